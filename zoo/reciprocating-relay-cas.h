/* SPDX-License-Identifier: MIT */
/* Reciprocating lock, relay, with a compare-and-swap in front. Dice and Kogan, "Reciprocating Locks", suggest it in the
 * appendix.
 *
 * As reciprocating-relay.h, but a thread first tries to take a free lock by one compare-and-swap. Without contention
 * that is one atomic operation instead of two; with contention it is one more, which mostly fails.
 */
#ifndef RECIP_ZOO_RECIPROCATING_RELAY_CAS_H
#define RECIP_ZOO_RECIPROCATING_RELAY_CAS_H

#include "zoo/reciprocating-relay.h"

struct reciprocating_relay_cas_lock {
    struct reciprocating_relay_lock inner;
};

struct reciprocating_relay_cas_context {
    struct reciprocating_relay_context inner;
};

static inline bool reciprocating_relay_cas_try_acquire(struct reciprocating_relay_cas_lock *lock,
                                                       struct reciprocating_relay_cas_context *context)
{
    return reciprocating_relay_try_acquire(&lock->inner, &context->inner);
}

static inline void reciprocating_relay_cas_acquire(struct reciprocating_relay_cas_lock *lock,
                                                   struct reciprocating_relay_cas_context *context)
{
    if (!reciprocating_relay_cas_try_acquire(lock, context))
        reciprocating_relay_acquire(&lock->inner, &context->inner);
}

static inline void reciprocating_relay_cas_release(struct reciprocating_relay_cas_lock *lock,
                                                   struct reciprocating_relay_cas_context *context)
{
    reciprocating_relay_release(&lock->inner, &context->inner);
}

ZERO_IS_UNLOCKED(reciprocating_relay_cas)
MUTEX_FORM(reciprocating_relay_cas)

#endif
