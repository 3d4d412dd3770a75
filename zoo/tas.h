/* SPDX-License-Identifier: MIT */
/* Test-and-set lock. No order, no fairness. `held` is 0 when unlocked, 1 when locked. */
#ifndef RECIP_ZOO_TAS_H
#define RECIP_ZOO_TAS_H

#include "zoo/parts/mutex-form.h"
#include "port/port.h"

struct tas_lock {
    _Atomic(uintptr_t) held;
};

struct tas_context {
};

static inline bool tas_try_acquire(struct tas_lock *lock, struct tas_context *context)
{
    (void)context;
    /* acquire: with the store of release. */
    return !atomic_exchange_explicit(&lock->held, 1, memory_order_acquire);
}

static inline void tas_acquire(struct tas_lock *lock, struct tas_context *context)
{
    while (!tas_try_acquire(lock, context))
        port_relax();
}

static inline void tas_release(struct tas_lock *lock, struct tas_context *context)
{
    (void)context;
    /* release: with the exchange of try-acquire. */
    atomic_store_explicit(&lock->held, 0, memory_order_release);
}

ZERO_IS_UNLOCKED(tas)
MUTEX_FORM(tas)

#endif
