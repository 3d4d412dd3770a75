/* SPDX-License-Identifier: MIT */
/* HemLock with coherence traffic reduction. Dice and Kogan, SPAA 2021.
 *
 * As hemlock.h, but both waits are done with read-modify-writes, so that the line arrives in a state in which it can be
 * written, once, instead of shared and then upgraded.
 */
#ifndef RECIP_ZOO_HEMLOCK_CTR_H
#define RECIP_ZOO_HEMLOCK_CTR_H

#include "zoo/hemlock.h"

struct hemlock_ctr_lock {
    struct hemlock_lock hemlock;
};

struct hemlock_ctr_context {
};

static inline void hemlock_ctr_acquire(struct hemlock_ctr_lock *lock, struct hemlock_ctr_context *context)
{
    (void)context;
    _Atomic(uintptr_t) *before = hemlock_enter(&lock->hemlock);
    if (!before)
        return;
    uintptr_t granted = (uintptr_t)lock;
    /* acq_rel. Acquire: with the granting store. Release: with the last CAS of release. */
    while (!atomic_compare_exchange_strong_explicit(before, &granted, 0, memory_order_acq_rel, memory_order_relaxed)) {
        granted = (uintptr_t)lock;
        port_relax();
    }
}

static inline bool hemlock_ctr_try_acquire(struct hemlock_ctr_lock *lock, struct hemlock_ctr_context *context)
{
    (void)context;
    return hemlock_try_acquire(&lock->hemlock, &(struct hemlock_context){});
}

static inline void hemlock_ctr_release(struct hemlock_ctr_lock *lock, struct hemlock_ctr_context *context)
{
    (void)context;
    _Atomic(uintptr_t) *grant = &port_thread()->grant;
    if (hemlock_unlock_or_grant(&lock->hemlock, grant))
        return;
    uintptr_t taken = 0;
    /* acquire: with the CAS of the thread behind. Putting nothing in place of nothing is a read that asks for the line
     * to write; so is the paper's fetch-add of nothing, which clang turns into a load. */
    while (!atomic_compare_exchange_strong_explicit(grant, &taken, 0, memory_order_acquire, memory_order_relaxed)) {
        taken = 0;
        port_relax();
    }
}

ZERO_IS_UNLOCKED(hemlock_ctr)
MUTEX_FORM(hemlock_ctr)

#endif
