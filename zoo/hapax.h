/* SPDX-License-Identifier: MIT */
/* Hapax lock, invisible waiters. Dice and Kogan, "Hapax Locks", PPoPP 2026; reconstructed from its description. FIFO.
 *
 * Each acquisition has a number that never recurs (hapax.h). A thread leaves its number in arrive, finds the one of the
 * acquisition before it there, and owns the lock once that number has departed. There are no nodes: numbers may be
 * compared long after their acquisitions have ended. Acquire has one place to wait, release takes constant time.
 *
 * | arrive | depart | meaning                                                        |
 * |--------|--------|----------------------------------------------------------------|
 * | n      | n      | unlocked; n was the last acquisition (0: there was none)       |
 * | n      | other  | locked; n is the last acquisition that owns the lock or waits  |
 *
 * A slot only tells waiters to look at depart again. Release changes it after depart, by a read-modify-write: with a
 * store, a waiter that sees the later of two changes of one slot would not be sure to see what came before the earlier,
 * and could wait for a change that has been. The context is the owner's number: any thread may release.
 */
#ifndef RECIP_ZOO_HAPAX_H
#define RECIP_ZOO_HAPAX_H

#include "zoo/parts/hapax-words.h"
#include "zoo/parts/mutex-form.h"

struct hapax_lock {
    struct hapax_words words;
};

struct hapax_context {
    uint64_t number;
};

static inline void hapax_acquire(struct hapax_lock *lock, struct hapax_context *context)
{
    uint64_t before = hapax_arrive(&lock->words, &context->number);
    if (hapax_has_departed(&lock->words, before))
        return;
    _Atomic(uint64_t) *slot = hapax_slot(lock, before);
    for (;;) {
        /* The slot is read before depart: a change that comes after the look at depart changes what was seen.
         * acquire: with the addition in release, so that depart is seen as it was stored before. */
        uint64_t seen = atomic_load_explicit(slot, memory_order_acquire);
        if (hapax_has_departed(&lock->words, before))
            return;
        /* relaxed: the load above reads it again. */
        while (atomic_load_explicit(slot, memory_order_relaxed) == seen)
            port_relax();
    }
}

static inline bool hapax_try_acquire(struct hapax_lock *lock, struct hapax_context *context)
{
    return hapax_try_arrive(&lock->words, &context->number);
}

static inline void hapax_release(struct hapax_lock *lock, struct hapax_context *context)
{
    hapax_depart(&lock->words, context->number);
    /* release: with the loads of the slot in acquire. The lock may be gone by now; its address is still good for the
     * hash. */
    atomic_fetch_add_explicit(hapax_slot(lock, context->number), 1, memory_order_release);
}

ZERO_IS_UNLOCKED(hapax)
MUTEX_FORM(hapax)

#endif
