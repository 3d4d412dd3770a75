/* SPDX-License-Identifier: MIT */
/* Reciprocating lock that demotes what it hands over. Dice and Kogan, "Reciprocating Locks", name it as future work.
 *
 * As reciprocating.h. After the store that opens the successor's gate, the owner's cache has that line, modified, and
 * the waiter has to fetch it from there. CLDEMOTE asks the CPU to move the line to the cache that the cores share,
 * where the waiter finds it sooner. It is a hint: it changes no value, faults nowhere, and does nothing where there is
 * no such instruction.
 */
#ifndef RECIP_ZOO_RECIPROCATING_DEMOTE_H
#define RECIP_ZOO_RECIPROCATING_DEMOTE_H

#include "zoo/reciprocating.h"

struct reciprocating_demote_lock {
    struct reciprocating_lock inner;
};

struct reciprocating_demote_context {
    struct reciprocating_context inner;
};

static inline void reciprocating_demote_acquire(struct reciprocating_demote_lock *lock,
                                                struct reciprocating_demote_context *context)
{
    reciprocating_acquire(&lock->inner, &context->inner);
}

static inline bool reciprocating_demote_try_acquire(struct reciprocating_demote_lock *lock,
                                                    struct reciprocating_demote_context *context)
{
    return reciprocating_try_acquire(&lock->inner, &context->inner);
}

static inline void reciprocating_demote_release(struct reciprocating_demote_lock *lock,
                                                struct reciprocating_demote_context *context)
{
    struct element *successor = context->inner.successor;
    if (!successor)
        successor = arrivals_unlock_or_detach(&lock->inner.arrivals, context->inner.eos);
    if (!successor)
        return;
    gate_open(&successor->gate, (uintptr_t)context->inner.eos);
    port_demote(&successor->gate);
}

ZERO_IS_UNLOCKED(reciprocating_demote)
MUTEX_FORM(reciprocating_demote)

#endif
