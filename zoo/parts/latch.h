/* SPDX-License-Identifier: MIT */
/* A latch: a word of the lock that is taken and put back, by the one thread that may wait for it and by try-acquire.
 *
 * | latch        | meaning                                                      |
 * |--------------|--------------------------------------------------------------|
 * | 0            | open                                                         |
 * | LATCH_CLOSED | closed                                                       |
 * | GATE_PARKED  | closed, and whoever is next sleeps here (RECIP_PARK only)    |
 */
#ifndef RECIP_ZOO_PARTS_LATCH_H
#define RECIP_ZOO_PARTS_LATCH_H

#include <stdbool.h>

#include "port/gate.h"

enum { LATCH_CLOSED = 1 };

static inline bool latch_try_close(_Atomic(uintptr_t) *latch)
{
    uintptr_t open = 0;
    /* acquire: with the release in latch_open. A CAS, where a store would do for the one who waits, because try-acquire
     * does the same. */
    return atomic_compare_exchange_strong_explicit(latch, &open, LATCH_CLOSED, memory_order_acquire,
                                                   memory_order_relaxed);
}

static inline void latch_close(_Atomic(uintptr_t) *latch)
{
    do
        gate_await_change(latch, LATCH_CLOSED);
    while (!latch_try_close(latch));
}

/* The last access to the lock. */
static inline void latch_open(_Atomic(uintptr_t) *latch)
{
    gate_open(latch, 0);
}

#endif
