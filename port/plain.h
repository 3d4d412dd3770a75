/* SPDX-License-Identifier: MIT */
/* The mutex's part of the port for a world that has none: no time passes, nobody forks, release is atomic, and the
 * leader spins where it would sleep. */
#ifndef RECIP_PORT_PLAIN_H
#define RECIP_PORT_PLAIN_H

#include <stdbool.h>

#include "port/release.h"

struct deadline {
    int never;
};

static inline bool port_park_until(_Atomic(uintptr_t) *word, uintptr_t expected, const struct deadline *deadline)
{
    (void)deadline;
    port_park(word, expected);
    return true;
}

#ifndef PORT_HAS_PARK32
static inline void port_park32(_Atomic(uint32_t) *word, uint32_t expected)
{
    /* relaxed: the caller looks at the word again. */
    while (atomic_load_explicit(word, memory_order_relaxed) == expected)
        port_relax();
}

static inline void port_wake32(_Atomic(uint32_t) *word)
{
    (void)word;
}
#endif

static inline bool port_park_as(_Atomic(uint32_t) *word, uint32_t expected, uint32_t kind,
                                const struct deadline *deadline)
{
    (void)kind;
    (void)deadline;
    port_park32(word, expected);
    return true;
}

static inline bool port_nap_at(_Atomic(uint32_t) *word, uint32_t expected, uint32_t kind, int64_t nanoseconds)
{
    (void)word;
    (void)expected;
    (void)kind;
    (void)nanoseconds;
    port_relax();
    return true;
}

static inline bool port_wake_as(_Atomic(uint32_t) *word, uint32_t kind)
{
    (void)kind;
    port_wake32(word);
    return true;
}

static inline bool port_release_fast(_Atomic(uint32_t) *state)
{
    return release_in_one_step(state);
}

static inline void port_barrier(void)
{
}

static inline void port_yield(void)
{
}

static inline bool port_nap(int64_t nanoseconds)
{
    (void)nanoseconds;
    return true;
}

static inline int64_t port_ticks(void)
{
    return 0;
}

static inline void port_wait(int64_t ticks)
{
    (void)ticks;
}

static inline unsigned port_epoch(void)
{
    return 0;
}

#endif
