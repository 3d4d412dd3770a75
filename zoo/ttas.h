/* SPDX-License-Identifier: MIT */
/* Test-and-test-and-set lock: as tas.h, but waiters read until the lock looks free. No order, no fairness. */
#ifndef RECIP_ZOO_TTAS_H
#define RECIP_ZOO_TTAS_H

#include "zoo/parts/mutex-form.h"
#include "port/port.h"

struct ttas_lock {
    _Atomic(uintptr_t) held;
};

struct ttas_context {
};

static inline bool ttas_try_acquire(struct ttas_lock *lock, struct ttas_context *context)
{
    (void)context;
    /* relaxed: a look; the exchange decides. acquire: with the store of release. */
    return !atomic_load_explicit(&lock->held, memory_order_relaxed) &&
           !atomic_exchange_explicit(&lock->held, 1, memory_order_acquire);
}

static inline void ttas_acquire(struct ttas_lock *lock, struct ttas_context *context)
{
    while (!ttas_try_acquire(lock, context))
        port_relax();
}

static inline void ttas_release(struct ttas_lock *lock, struct ttas_context *context)
{
    (void)context;
    /* release: with the exchange of try-acquire. */
    atomic_store_explicit(&lock->held, 0, memory_order_release);
}

ZERO_IS_UNLOCKED(ttas)
MUTEX_FORM(ttas)

#endif
