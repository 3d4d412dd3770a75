/* SPDX-License-Identifier: MIT */
/* Reciprocating lock, the simplified starting point. Dice and Kogan, "Reciprocating Locks", appendix "Simplified
 * Example".
 *
 * As reciprocating.h, but the end of segment is a word of the lock, on a line of its own, instead of travelling through
 * the gates. It changes at the onset and at the end of contention only.
 *
 * Release compares the arrivals word with the caller's own element, so the thread that acquired has to release.
 */
#ifndef RECIP_ZOO_RECIPROCATING_SIMPLE_H
#define RECIP_ZOO_RECIPROCATING_SIMPLE_H

#include "zoo/parts/arrivals.h"
#include "zoo/parts/mutex-form.h"

struct reciprocating_simple_lock {
    alignas(RECIP_LINE) arrivals_word arrivals;
    alignas(RECIP_LINE) _Atomic(struct element *) eos;
};

struct reciprocating_simple_context {
    struct element *successor; /* next in the entry segment, or null at its end */
};

static inline void reciprocating_simple_acquire(struct reciprocating_simple_lock *lock,
                                                struct reciprocating_simple_context *context)
{
    struct element *self = element_self();
    gate_close(&self->gate);
    struct element *tail = arrivals_push(&lock->arrivals, self);
    context->successor = NULL;
    if (!tail) {
        /* relaxed, here and below: eos is the owner's, and ownership carries it. */
        atomic_store_explicit(&lock->eos, self, memory_order_relaxed);
        return;
    }
    gate_await(&self->gate);
    struct element *successor = arrivals_below(tail);
    if (successor == atomic_load_explicit(&lock->eos, memory_order_relaxed))
        atomic_store_explicit(&lock->eos, LOCKED_EMPTY, memory_order_relaxed);
    else
        context->successor = successor;
}

static inline bool reciprocating_simple_try_acquire(struct reciprocating_simple_lock *lock,
                                                    struct reciprocating_simple_context *context)
{
    if (!arrivals_try_lock(&lock->arrivals))
        return false;
    atomic_store_explicit(&lock->eos, LOCKED_EMPTY, memory_order_relaxed);
    context->successor = NULL;
    return true;
}

static inline void reciprocating_simple_release(struct reciprocating_simple_lock *lock,
                                                struct reciprocating_simple_context *context)
{
    struct element *successor = context->successor;
    if (!successor) {
        /* relaxed: a guess at what the word holds while nobody has arrived. */
        struct element *tail = atomic_load_explicit(&lock->arrivals, memory_order_relaxed);
        if (tail == element_self() || tail == LOCKED_EMPTY)
            successor = arrivals_unlock_or_detach(&lock->arrivals, tail);
        else
            successor = arrivals_detach(&lock->arrivals);
    }
    if (successor)
        gate_open(&successor->gate, GATE_OPEN);
}

ZERO_IS_UNLOCKED(reciprocating_simple)
MUTEX_FORM(reciprocating_simple)

#endif
