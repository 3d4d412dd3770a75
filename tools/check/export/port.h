/* SPDX-License-Identifier: MIT */
/* The seam (port/port.h) for other checkers: what a lock asks of its world, as small functions of C11 that say what
 * they mean. `recip check --export` puts them, the lock and its client into one file. */
#ifndef RECIP_CHECK_EXPORT_PORT_H
#define RECIP_CHECK_EXPORT_PORT_H

#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>

#include "port/thread.h"

/* Who am I: main is 0, the threads of the client count from 1. */
static struct thread records[8];
static _Thread_local unsigned self;

static inline struct thread *port_thread(void)
{
    return &records[self];
}

/* One turn of a spin loop. Nothing: the loop looks again, and waits for another thread if it sees the same. */
static inline void port_relax(void)
{
}

/* A futex: sleep while *word == expected, until somebody wakes. Comparing and falling asleep are one step, for a wake
 * that comes after the count is read ends the sleep. A wake is for all who sleep, anywhere: sleepers may wake without a
 * reason. */
static _Atomic(unsigned) wakes;

#define SLEEP_WHILE(word, expected)                                                                                    \
    unsigned before = atomic_load_explicit(&wakes, memory_order_acquire);                                              \
    if (atomic_load_explicit(word, memory_order_relaxed) == (expected))                                                \
        while (atomic_load_explicit(&wakes, memory_order_acquire) == before)                                           \
            port_relax();

static inline void port_park(_Atomic(uintptr_t) *word, uintptr_t expected)
{
    SLEEP_WHILE(word, expected)
}

static inline void port_wake(_Atomic(uintptr_t) *word)
{
    (void)word;
    atomic_fetch_add_explicit(&wakes, 1, memory_order_acq_rel);
}

#define PORT_HAS_PARK32

static inline void port_park32(_Atomic(uint32_t) *word, uint32_t expected)
{
    SLEEP_WHILE(word, expected)
}

static inline void port_wake32(_Atomic(uint32_t) *word)
{
    (void)word;
    atomic_fetch_add_explicit(&wakes, 1, memory_order_acq_rel);
}

/* Two sockets; neighbours are on different ones. */
static inline unsigned port_socket(void)
{
    return self % 2;
}

/* A number below n, any: what a lock draws. Where the checker knows no such thing it is the thread's own, so that not
 * every choice is explored. */
#define PORT_HAS_CHOICE
#ifdef __CPROVER
unsigned nondet_unsigned(void);
#endif

static inline unsigned port_choose(unsigned n)
{
#ifdef __CPROVER
    return nondet_unsigned() % n;
#else
    return self % n;
#endif
}

#endif
