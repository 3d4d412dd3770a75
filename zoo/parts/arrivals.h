/* SPDX-License-Identifier: MIT */
/* The arrivals word: the stack of threads that have arrived since the owner last detached it. Pushed by exchange,
 * detached whole by exchange, and by the owner only, so there is no A-B-A.
 *
 * | word         | meaning                                                                                        |
 * |--------------|------------------------------------------------------------------------------------------------|
 * | 0            | unlocked                                                                                       |
 * | LOCKED_EMPTY | locked, nobody has arrived since the last detach                                               |
 * | element      | locked; the newest arrival, or the owner that found the lock free, if nobody has come after it |
 */
#ifndef RECIP_ZOO_PARTS_ARRIVALS_H
#define RECIP_ZOO_PARTS_ARRIVALS_H

#include <stdbool.h>

#include "zoo/parts/element.h"

typedef _Atomic(struct element *) arrivals_word;

#define LOCKED_EMPTY ((struct element *)(uintptr_t)1)

/* A new arrival at its closed gate. What was there: null, and the lock is the caller's; otherwise the caller waits. */
static inline struct element *arrivals_push(arrivals_word *arrivals, struct element *self)
{
    /* acq_rel. Acquire: with the unlocking CAS. Release: the closed gate, to the exchange that detaches it. */
    return atomic_exchange_explicit(arrivals, self, memory_order_acq_rel);
}

/* The element below a new arrival, from what arrivals_push returned; LOCKED_EMPTY is none. */
static inline struct element *arrivals_below(struct element *pushed_on)
{
    return pushed_on == LOCKED_EMPTY ? NULL : pushed_on;
}

/* The owner takes all that have arrived; the newest of them. */
static inline struct element *arrivals_detach(arrivals_word *arrivals)
{
    /* acquire: with the release in arrivals_push, so that a gate is seen closed before it is opened. */
    return atomic_exchange_explicit(arrivals, LOCKED_EMPTY, memory_order_acquire);
}

static inline bool arrivals_try_lock(arrivals_word *arrivals)
{
    struct element *unlocked = NULL;
    /* acquire: with the unlocking CAS. */
    return atomic_compare_exchange_strong_explicit(arrivals, &unlocked, LOCKED_EMPTY, memory_order_acquire,
                                                   memory_order_relaxed);
}

/* The owner at the end of its segment. Null: nobody has arrived, the word was still `empty`, and the lock is free and
 * no longer the caller's to touch. Otherwise those who have arrived are detached; the newest of them. */
static inline struct element *arrivals_unlock_or_detach(arrivals_word *arrivals, struct element *empty)
{
    /* release: with the acquire in arrivals_push and arrivals_try_lock. */
    if (atomic_compare_exchange_strong_explicit(arrivals, &empty, NULL, memory_order_release, memory_order_relaxed))
        return NULL;
    return arrivals_detach(arrivals);
}

#endif
