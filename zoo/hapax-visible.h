/* SPDX-License-Identifier: MIT */
/* Hapax lock, visible waiters. Dice and Kogan, "Hapax Locks", PPoPP 2026. FIFO.
 *
 * As hapax.h, but a waiter leaves the number that it waits for in that number's slot. Release finds it there and takes
 * it out: that hands the lock over, and depart is not written.
 *
 * | slot   | meaning                                                       |
 * |--------|---------------------------------------------------------------|
 * | 0      | free                                                          |
 * | number | the acquisition behind this number, of some lock, waits here  |
 *
 * A number is put into its slot by one thread only, and never twice. It is taken out by release, which hands over, or
 * by the waiter that has seen it in depart. A waiter whose slot is taken by another number waits at depart instead.
 *
 * If release finds nobody it stores depart and looks once more, for a waiter that came late; that waiter looks at
 * depart once more. Each writes one word and then reads the other's: one of the two must see the other, which takes a
 * sequentially consistent fence on both sides. acq_rel fences, or none, leave a waiter behind. A compare-and-swap in
 * their place does not help: one that fails is a load. (docs/locks.md.)
 */
#ifndef RECIP_ZOO_HAPAX_VISIBLE_H
#define RECIP_ZOO_HAPAX_VISIBLE_H

#include "zoo/parts/hapax-words.h"
#include "zoo/parts/mutex-form.h"

struct hapax_visible_lock {
    struct hapax_words words;
};

struct hapax_visible_context {
    uint64_t number;
};

/* False: another number is in the slot. */
static inline bool hapax_visible_put(_Atomic(uint64_t) *slot, uint64_t number)
{
    uint64_t free = 0;
    /* relaxed: says who waits, and nothing else. */
    return atomic_compare_exchange_strong_explicit(slot, &free, number, memory_order_relaxed, memory_order_relaxed);
}

static inline bool hapax_visible_take_out(_Atomic(uint64_t) *slot, uint64_t number)
{
    /* release: with the load of the waiter, which owns the lock when the number has gone. */
    return atomic_compare_exchange_strong_explicit(slot, &number, 0, memory_order_release, memory_order_relaxed);
}

/* The number is in its slot. */
static inline void hapax_visible_await(struct hapax_visible_lock *lock, _Atomic(uint64_t) *slot, uint64_t before)
{
    /* seq_cst: with the fence of release. */
    atomic_thread_fence(memory_order_seq_cst);
    if (hapax_has_departed(&lock->words, before)) {
        uint64_t expected = before;
        /* relaxed: ownership came by depart. It fails if release has taken the number out meanwhile. */
        atomic_compare_exchange_strong_explicit(slot, &expected, 0, memory_order_relaxed, memory_order_relaxed);
        return;
    }
    /* acquire: with the release in hapax_visible_take_out. */
    while (atomic_load_explicit(slot, memory_order_acquire) == before)
        port_relax();
}

static inline void hapax_visible_acquire(struct hapax_visible_lock *lock, struct hapax_visible_context *context)
{
    uint64_t before = hapax_arrive(&lock->words, &context->number);
    if (hapax_has_departed(&lock->words, before))
        return;
    _Atomic(uint64_t) *slot = hapax_slot(lock, before);
    if (hapax_visible_put(slot, before)) {
        hapax_visible_await(lock, slot, before);
        return;
    }
    while (!hapax_has_departed(&lock->words, before))
        port_relax();
}

static inline bool hapax_visible_try_acquire(struct hapax_visible_lock *lock, struct hapax_visible_context *context)
{
    return hapax_try_arrive(&lock->words, &context->number);
}

static inline void hapax_visible_release(struct hapax_visible_lock *lock, struct hapax_visible_context *context)
{
    uint64_t number = context->number;
    _Atomic(uint64_t) *slot = hapax_slot(lock, number);
    if (hapax_visible_take_out(slot, number))
        return;
    hapax_depart(&lock->words, number);
    /* The lock may be gone by now; the slot is not. seq_cst: with the fence of the waiter. */
    atomic_thread_fence(memory_order_seq_cst);
    /* relaxed: a look; the CAS decides, and is seldom needed. */
    if (atomic_load_explicit(slot, memory_order_relaxed) == number)
        hapax_visible_take_out(slot, number);
}

ZERO_IS_UNLOCKED(hapax_visible)
MUTEX_FORM(hapax_visible)

#endif
