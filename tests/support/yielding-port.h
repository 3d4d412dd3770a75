/* SPDX-License-Identifier: MIT */
/* The native world for tests: a turn of a spin loop yields the CPU, and a thread that waits says so. */
#ifndef RECIP_TESTS_YIELDING_PORT_H
#define RECIP_TESTS_YIELDING_PORT_H

#include <sched.h>
#include <stdbool.h>

#define port_relax port_native_relax
#define port_park port_native_park
#define port_wake port_native_wake
#define port_socket port_native_socket
#define port_cluster port_native_cluster
#define port_relax_at port_native_relax_at
#include "port/native.h"
#undef port_relax
#undef port_park
#undef port_wake
#undef port_socket
#undef port_cluster
#undef port_relax_at

/* The socket that the calling thread says it runs on: threads take turns, two sockets, unless told otherwise. */
extern _Thread_local int test_socket;
int test_next_socket(void);

static inline unsigned port_socket(void)
{
    if (test_socket < 0)
        test_socket = test_next_socket();
    return (unsigned)test_socket;
}

static inline unsigned port_cluster(void)
{
    return port_socket();
}

/* Where the calling thread notes that it has begun to wait; null where nobody asks. */
extern _Thread_local _Atomic(bool) *test_waits;

/* How many wake-up calls there have been. */
extern _Atomic(unsigned) test_wakes;

static inline void test_note_waiting(void)
{
    /* relaxed: what is asked is whether it waits, not what it did before. */
    if (test_waits)
        atomic_store_explicit(test_waits, true, memory_order_relaxed);
}

static inline void port_relax(void)
{
    test_note_waiting();
    sched_yield();
}

static inline void port_relax_at(const _Atomic(uintptr_t) *word, uintptr_t seen)
{
    (void)word;
    (void)seen;
    port_relax();
}

static inline void port_park(_Atomic(uintptr_t) *word, uintptr_t expected)
{
    test_note_waiting();
    port_native_park(word, expected);
}

static inline void port_wake(_Atomic(uintptr_t) *word)
{
    atomic_fetch_add(&test_wakes, 1);
    port_native_wake(word);
}

#endif
