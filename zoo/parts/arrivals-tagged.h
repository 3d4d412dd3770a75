/* SPDX-License-Identifier: MIT */
/* The arrivals word of the two fetch-add formulations: a tag in the low bits that one fetch-add moves on.
 *
 * | word        | meaning                                                    |
 * |-------------|------------------------------------------------------------|
 * | element + 2 | locked; the newest arrival                                 |
 * | element + 3 | locked; that segment is detached, nobody has arrived since |
 * | element + 4 | unlocked; so is every word without TAG_LOCKED, 0 among them |
 *
 * Adding 1 goes down this table. The paper's tags are 0, 1 and 2; two more here make an all-zero word unlocked.
 */
#ifndef RECIP_ZOO_PARTS_ARRIVALS_TAGGED_H
#define RECIP_ZOO_PARTS_ARRIVALS_TAGGED_H

#include <stdbool.h>

#include "zoo/parts/element.h"

typedef _Atomic(uintptr_t) tagged_word;

enum { TAG_LOCKED = 2, TAG_ARRIVED = 2, TAG_DETACHED = 3, TAG_MASK = 7 };

static inline bool tagged_unlocked(uintptr_t word)
{
    return !(word & TAG_LOCKED);
}

static inline bool tagged_detached(uintptr_t word)
{
    return (word & TAG_DETACHED) == TAG_DETACHED;
}

/* The element at the top of the word's stack; none once it has been detached. */
static inline struct element *tagged_top(uintptr_t word)
{
    return tagged_detached(word) ? NULL : (struct element *)(word & ~(uintptr_t)TAG_MASK);
}

/* A new arrival at its closed gate. What was there: unlocked, and the lock is the caller's; otherwise the caller waits.
 */
static inline uintptr_t tagged_push(tagged_word *arrivals, struct element *self)
{
    /* acq_rel. Acquire: with the unlocking fetch-add. Release: the closed gate, to the fetch-add that detaches it. */
    return atomic_exchange_explicit(arrivals, (uintptr_t)self + TAG_ARRIVED, memory_order_acq_rel);
}

/* The owner that found the lock free takes its own element away; the newest arrival, which is its own if nobody came.
 */
static inline struct element *tagged_detach(tagged_word *arrivals)
{
    /* acquire: with the release in tagged_push, so that a gate is seen closed before it is opened. */
    return tagged_top(atomic_fetch_add_explicit(arrivals, 1, memory_order_acquire));
}

static inline bool tagged_try_lock(tagged_word *arrivals)
{
    /* relaxed: a guess for the CAS. */
    uintptr_t word = atomic_load_explicit(arrivals, memory_order_relaxed);
    /* acquire: with the unlocking fetch-add. */
    return tagged_unlocked(word) && atomic_compare_exchange_strong_explicit(arrivals, &word, TAG_DETACHED,
                                                                            memory_order_acquire, memory_order_relaxed);
}

/* The owner at the end of its segment. Null: nobody has arrived, and the lock is free and no longer the caller's to
 * touch. Otherwise those who have arrived are detached; the newest of them. */
static inline struct element *tagged_unlock_or_detach(tagged_word *arrivals)
{
    /* acq_rel. Release: unlocks, with the acquire in tagged_push and tagged_try_lock. Acquire: detaches, with the
     * release in tagged_push, so that a gate is seen closed before it is opened. */
    return tagged_top(atomic_fetch_add_explicit(arrivals, 1, memory_order_acq_rel));
}

#endif
