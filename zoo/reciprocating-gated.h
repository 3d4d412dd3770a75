/* SPDX-License-Identifier: MIT */
/* Reciprocating lock, gated. Named in the appendix of Dice and Kogan, "Reciprocating Locks".
 *
 * A stack of arrivals and a gate, on lines of their own. Whoever finds the stack empty leads a new generation: it waits
 * for the gate, shuts it, detaches the stack and enters; its element's address is the end of segment. The others
 * wait at their own elements for that address. The last of a generation opens the gate again.
 *
 * So the first arrival of a generation is admitted first, then the rest from the newest.
 */
#ifndef RECIP_ZOO_RECIPROCATING_GATED_H
#define RECIP_ZOO_RECIPROCATING_GATED_H

#include "zoo/parts/element.h"
#include "zoo/parts/latch.h"
#include "zoo/parts/mutex-form.h"

struct reciprocating_gated_lock {
    alignas(RECIP_LINE) _Atomic(struct element *) arrivals;
    alignas(RECIP_LINE) _Atomic(uintptr_t) gate; /* a latch: closed while a generation is inside */
};

struct reciprocating_gated_context {
    struct element *successor; /* next in the segment, or null at its end */
    struct element *eos;       /* end of segment: the leader's element */
};

static inline void reciprocating_gated_acquire(struct reciprocating_gated_lock *lock,
                                               struct reciprocating_gated_context *context)
{
    ELEMENT_HERE(self);
    gate_close(&self->gate);
    /* release: the closed gate, to the leader that detaches it. Nothing is learnt from what was there: a leader learns
     * that the lock is free from the gate. */
    struct element *below = atomic_exchange_explicit(&lock->arrivals, self, memory_order_release);
    if (below) {
        context->eos = (struct element *)gate_await(&self->gate);
        context->successor = below == context->eos ? NULL : below;
        return;
    }
    latch_close(&lock->gate);
    /* acquire: with the arrival exchanges, so that a gate is seen closed before it is opened. Not release: the next
     * leader, which finds this null, might believe the gate still open, but its CAS does not. */
    struct element *newest = atomic_exchange_explicit(&lock->arrivals, NULL, memory_order_acquire);
    context->eos = self;
    context->successor = newest == self ? NULL : newest;
}

static inline bool reciprocating_gated_try_acquire(struct reciprocating_gated_lock *lock,
                                                   struct reciprocating_gated_context *context)
{
    *context = (struct reciprocating_gated_context){NULL, NULL};
    /* relaxed: a look, so as not to pass by those who wait. */
    return !atomic_load_explicit(&lock->arrivals, memory_order_relaxed) && latch_try_close(&lock->gate);
}

static inline void reciprocating_gated_release(struct reciprocating_gated_lock *lock,
                                               struct reciprocating_gated_context *context)
{
    if (context->successor)
        gate_open(&context->successor->gate, (uintptr_t)context->eos);
    else
        latch_open(&lock->gate);
}

ZERO_IS_UNLOCKED(reciprocating_gated)
MUTEX_FORM(reciprocating_gated)

#endif
