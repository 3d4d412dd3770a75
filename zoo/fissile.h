/* SPDX-License-Identifier: MIT */
/* Fissile lock around CNA. Dice and Kogan, "Fissile Locks", 2020; reconstructed from its description.
 *
 * A test-and-set lock for speed, and cna.h in front of it for those who have to wait: only the first of CNA's queue
 * tries for the outer lock. Newcomers may take it before that thread for a grace period; then the thread is impatient,
 * and the next release hands the lock over to it. The inner lock is released as soon as the outer one is had, so there
 * is no context and any thread may release.
 *
 * | outer          | meaning                                              |
 * |----------------|------------------------------------------------------|
 * | 0              | unlocked                                             |
 * | FISSILE_LOCKED | locked                                               |
 * | FISSILE_HANDED | for the impatient thread, and nobody else            |
 *
 * impatient is what release stores in outer: 0, or FISSILE_HANDED. The holder of the inner lock writes it.
 */
#ifndef RECIP_ZOO_FISSILE_H
#define RECIP_ZOO_FISSILE_H

#include "zoo/cna.h"

enum { FISSILE_LOCKED = 1, FISSILE_HANDED = 2 };

/* Turns of the first in line before it is impatient. */
#define FISSILE_GRACE LIMIT(50u, 0u)

struct fissile_lock {
    _Atomic(uint32_t) outer, impatient;
    struct cna_lock inner;
};

struct fissile_context {
};

static inline bool fissile_try_acquire(struct fissile_lock *lock, struct fissile_context *context)
{
    (void)context;
    uint32_t unlocked = 0;
    /* acquire: with the store of release. */
    return atomic_compare_exchange_strong_explicit(&lock->outer, &unlocked, FISSILE_LOCKED, memory_order_acquire,
                                                   memory_order_relaxed);
}

static inline bool fissile_try_first(struct fissile_lock *lock)
{
    /* acquire: with the store of release that hands over. */
    uint32_t outer = atomic_load_explicit(&lock->outer, memory_order_acquire);
    if (outer == FISSILE_HANDED)
        /* relaxed: others leave the word alone while it has this value. */
        atomic_store_explicit(&lock->outer, FISSILE_LOCKED, memory_order_relaxed);
    return outer == FISSILE_HANDED || (!outer && fissile_try_acquire(lock, &(struct fissile_context){}));
}

/* relaxed: the owner that reads it may be late by one, and who reads it later knows what the thread knew that owned the
 * lock after it was written. */
static inline void fissile_set_impatient(struct fissile_lock *lock, uint32_t value)
{
    atomic_store_explicit(&lock->impatient, value, memory_order_relaxed);
}

/* The holder of the inner lock. */
static inline void fissile_await_outer(struct fissile_lock *lock)
{
    unsigned turns = 0;
    while (!fissile_try_first(lock)) {
        if (turns == FISSILE_GRACE)
            fissile_set_impatient(lock, FISSILE_HANDED);
        turns += turns <= FISSILE_GRACE;
        port_relax();
    }
    fissile_set_impatient(lock, 0);
}

static inline void fissile_acquire(struct fissile_lock *lock, struct fissile_context *context)
{
    if (fissile_try_acquire(lock, context))
        return;
    struct cna_context inner;
    cna_acquire(&lock->inner, &inner);
    fissile_await_outer(lock);
    cna_release(&lock->inner, &inner);
}

static inline void fissile_release(struct fissile_lock *lock, struct fissile_context *context)
{
    (void)context;
    uint32_t next = atomic_load_explicit(&lock->impatient, memory_order_relaxed);
    /* release: with the CAS and the load of those that find it so. */
    atomic_store_explicit(&lock->outer, next, memory_order_release);
}

ZERO_IS_UNLOCKED(fissile)
MUTEX_FORM(fissile)

#endif
