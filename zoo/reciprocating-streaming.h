/* SPDX-License-Identifier: MIT */
/* Reciprocating lock that hands over by a non-temporal store. Dice and Kogan, "Reciprocating Locks", name it as future
 * work.
 *
 * As reciprocating.h, but the successor's gate is opened by a store that goes past the caches, MOVNTI on x86: the
 * owner's cache does not fetch a line that it will not use, and the waiter reads it from memory. Such a store is
 * ordered with no other store and may stay in a buffer, so there is a fence before it and one after it. It cannot tell
 * whether the waiter is asleep: there is no parking form.
 */
#ifndef RECIP_ZOO_RECIPROCATING_STREAMING_H
#define RECIP_ZOO_RECIPROCATING_STREAMING_H

#include "zoo/reciprocating.h"

struct reciprocating_streaming_lock {
    struct reciprocating_lock inner;
};

struct reciprocating_streaming_context {
    struct reciprocating_context inner;
};

static inline void reciprocating_streaming_acquire(struct reciprocating_streaming_lock *lock,
                                                   struct reciprocating_streaming_context *context)
{
    reciprocating_acquire(&lock->inner, &context->inner);
}

static inline bool reciprocating_streaming_try_acquire(struct reciprocating_streaming_lock *lock,
                                                       struct reciprocating_streaming_context *context)
{
    return reciprocating_try_acquire(&lock->inner, &context->inner);
}

static inline void reciprocating_streaming_release(struct reciprocating_streaming_lock *lock,
                                                   struct reciprocating_streaming_context *context)
{
    struct element *successor = context->inner.successor;
    if (!successor)
        successor = arrivals_unlock_or_detach(&lock->inner.arrivals, context->inner.eos);
    if (successor)
        /* release: with the acquire in gate_await. */
        port_store_past_caches(&successor->gate, (uintptr_t)context->inner.eos);
}

ZERO_IS_UNLOCKED(reciprocating_streaming)
MUTEX_FORM(reciprocating_streaming)

#endif
