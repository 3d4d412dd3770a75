/* HemLock with coherence traffic reduction. Dice and Kogan, SPAA 2021.
 *
 * As hemlock.h, but both waits are done with read-modify-writes, so that the line arrives in a state in which it can be
 * written, once, instead of shared and then upgraded.
 */
#ifndef RECIP_LOCKS_HEMLOCK_CTR_H
#define RECIP_LOCKS_HEMLOCK_CTR_H

#include "hemlock.h"

struct hemlock_ctr_lock {
    _Atomic(_Atomic(uintptr_t) *) tail;
};

struct hemlock_ctr_context {
};

static inline void hemlock_ctr_acquire(struct hemlock_ctr_lock *lock, struct hemlock_ctr_context *context)
{
    (void)context;
    /* acq_rel. Acquire: with the unlocking CAS. Release: for the thread behind, which reads this thread's grant. */
    _Atomic(uintptr_t) *before = atomic_exchange_explicit(&lock->tail, &port_thread()->grant, memory_order_acq_rel);
    if (!before)
        return;
    uintptr_t granted = (uintptr_t)lock;
    /* acq_rel. Acquire: with the granting store. Release: with the last fetch-add of release. */
    while (!atomic_compare_exchange_strong_explicit(before, &granted, 0, memory_order_acq_rel, memory_order_relaxed)) {
        granted = (uintptr_t)lock;
        port_relax();
    }
}

static inline bool hemlock_ctr_try_acquire(struct hemlock_ctr_lock *lock, struct hemlock_ctr_context *context)
{
    (void)context;
    _Atomic(uintptr_t) *unlocked = NULL;
    /* acq_rel: as the exchange of acquire. */
    return atomic_compare_exchange_strong_explicit(&lock->tail, &unlocked, &port_thread()->grant, memory_order_acq_rel,
                                                   memory_order_relaxed);
}

static inline void hemlock_ctr_release(struct hemlock_ctr_lock *lock, struct hemlock_ctr_context *context)
{
    (void)context;
    _Atomic(uintptr_t) *grant = &port_thread()->grant, *expected = grant;
    /* release: with the exchange and the CAS that find the lock free. */
    if (atomic_compare_exchange_strong_explicit(&lock->tail, &expected, NULL, memory_order_release,
                                                memory_order_relaxed))
        return;
    /* release: with the CAS of the thread that waits. The lock may be gone after it. */
    atomic_store_explicit(grant, (uintptr_t)lock, memory_order_release);
    /* acquire: with that CAS. Adding nothing is a read that asks for the line to write. */
    while (atomic_fetch_add_explicit(grant, 0, memory_order_acquire))
        port_relax();
}

ZERO_IS_UNLOCKED(hemlock_ctr)
MUTEX_FORM(hemlock_ctr)

#endif
