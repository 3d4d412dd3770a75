/* SPDX-License-Identifier: MIT */
/* HemLock. Dice and Kogan, SPAA 2021. FIFO; no context; one word for each thread, whatever it holds.
 *
 * tail is null when unlocked, otherwise the grant word of the last thread in the queue. A thread waits until the grant
 * of the one before it holds the address of this lock, then clears it; release waits for that, so that the word can
 * serve again.
 */
#ifndef RECIP_ZOO_HEMLOCK_H
#define RECIP_ZOO_HEMLOCK_H

#include "zoo/parts/mutex-form.h"
#include "port/port.h"

struct hemlock_lock {
    _Atomic(_Atomic(uintptr_t) *) tail;
};

struct hemlock_context {
};

/* Enters the queue behind the thread whose grant is returned; null, and the lock is the caller's. */
static inline _Atomic(uintptr_t) *hemlock_enter(struct hemlock_lock *lock)
{
    /* acq_rel. Acquire: with the unlocking CAS. Release: with the exchange of the thread behind, which then sees this
     * grant cleared. */
    return atomic_exchange_explicit(&lock->tail, &port_thread()->grant, memory_order_acq_rel);
}

/* Unlocks if nobody is behind; otherwise grants the lock, and it may be gone. */
static inline bool hemlock_unlock_or_grant(struct hemlock_lock *lock, _Atomic(uintptr_t) *grant)
{
    _Atomic(uintptr_t) *expected = grant;
    /* release: with the exchange and the CAS that find the lock free. */
    if (atomic_compare_exchange_strong_explicit(&lock->tail, &expected, NULL, memory_order_release,
                                                memory_order_relaxed))
        return true;
    /* release: with the load, or the CAS, of the thread that waits. */
    atomic_store_explicit(grant, (uintptr_t)lock, memory_order_release);
    return false;
}

static inline void hemlock_acquire(struct hemlock_lock *lock, struct hemlock_context *context)
{
    (void)context;
    _Atomic(uintptr_t) *before = hemlock_enter(lock);
    if (!before)
        return;
    /* acquire: with the granting store. */
    while (atomic_load_explicit(before, memory_order_acquire) != (uintptr_t)lock)
        port_relax();
    /* release: with the acquire at the end of release, so that the word is not used again before it was read. */
    atomic_store_explicit(before, 0, memory_order_release);
}

static inline bool hemlock_try_acquire(struct hemlock_lock *lock, struct hemlock_context *context)
{
    (void)context;
    _Atomic(uintptr_t) *unlocked = NULL;
    /* acq_rel: as the exchange of acquire. */
    return atomic_compare_exchange_strong_explicit(&lock->tail, &unlocked, &port_thread()->grant, memory_order_acq_rel,
                                                   memory_order_relaxed);
}

static inline void hemlock_release(struct hemlock_lock *lock, struct hemlock_context *context)
{
    (void)context;
    _Atomic(uintptr_t) *grant = &port_thread()->grant;
    if (hemlock_unlock_or_grant(lock, grant))
        return;
    /* acquire: with the clearing store. */
    while (atomic_load_explicit(grant, memory_order_acquire))
        port_relax();
}

ZERO_IS_UNLOCKED(hemlock)
MUTEX_FORM(hemlock)

#endif
