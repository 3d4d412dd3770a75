/* SPDX-License-Identifier: MIT */
/* Reciprocating lock, double swap, with a compare-and-swap in front. Dice and Kogan, "Reciprocating Locks", suggest it
 * in the appendix.
 *
 * As reciprocating-doubleswap.h, but a thread first tries to take a free lock by one compare-and-swap. Without
 * contention that is one atomic operation instead of two; with contention it is one more, which mostly fails.
 */
#ifndef RECIP_ZOO_RECIPROCATING_DOUBLESWAP_CAS_H
#define RECIP_ZOO_RECIPROCATING_DOUBLESWAP_CAS_H

#include "zoo/reciprocating-doubleswap.h"

struct reciprocating_doubleswap_cas_lock {
    struct reciprocating_doubleswap_lock inner;
};

struct reciprocating_doubleswap_cas_context {
    struct reciprocating_doubleswap_context inner;
};

static inline bool reciprocating_doubleswap_cas_try_acquire(struct reciprocating_doubleswap_cas_lock *lock,
                                                            struct reciprocating_doubleswap_cas_context *context)
{
    return reciprocating_doubleswap_try_acquire(&lock->inner, &context->inner);
}

static inline void reciprocating_doubleswap_cas_acquire(struct reciprocating_doubleswap_cas_lock *lock,
                                                        struct reciprocating_doubleswap_cas_context *context)
{
    if (!reciprocating_doubleswap_cas_try_acquire(lock, context))
        reciprocating_doubleswap_acquire(&lock->inner, &context->inner);
}

static inline void reciprocating_doubleswap_cas_release(struct reciprocating_doubleswap_cas_lock *lock,
                                                        struct reciprocating_doubleswap_cas_context *context)
{
    reciprocating_doubleswap_release(&lock->inner, &context->inner);
}

ZERO_IS_UNLOCKED(reciprocating_doubleswap_cas)
MUTEX_FORM(reciprocating_doubleswap_cas)

#endif
