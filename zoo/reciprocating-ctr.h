/* SPDX-License-Identifier: MIT */
/* Reciprocating lock with coherence traffic reduction (CTR). Dice and Kogan, "Reciprocating Locks", name it as future
 * work; the technique is HemLock's (2021).
 *
 * As reciprocating.h, but a thread waits by exchanges that close its gate again (parts/gate-reset.h). Listing 1 waits
 * by loads: the line arrives shared, and closing the gate for the next wait has to ask for it a second time. That is
 * one coherence event of four in an episode.
 *
 * The gate is a word of its own in the element, because locks that wait by loads leave theirs open. arrivals.h has the
 * arrivals word.
 */
#ifndef RECIP_ZOO_RECIPROCATING_CTR_H
#define RECIP_ZOO_RECIPROCATING_CTR_H

#include "zoo/parts/arrivals.h"
#include "zoo/parts/gate-reset.h"
#include "zoo/parts/mutex-form.h"

struct reciprocating_ctr_lock {
    arrivals_word arrivals;
};

struct reciprocating_ctr_context {
    struct element *successor; /* next in the entry segment, or null at its end */
    struct element *eos;       /* end of segment: an element, or LOCKED_EMPTY */
};

static inline void reciprocating_ctr_acquire(struct reciprocating_ctr_lock *lock,
                                             struct reciprocating_ctr_context *context)
{
    struct element *self = element_self();
    struct element *tail = arrivals_push(&lock->arrivals, self);
    *context = (struct reciprocating_ctr_context){NULL, self};
    if (!tail)
        return;
    context->successor = arrivals_below(tail);
    context->eos = (struct element *)gate_await_and_close(&self->reset_gate);
    if (context->successor == context->eos)
        *context = (struct reciprocating_ctr_context){NULL, LOCKED_EMPTY};
}

static inline bool reciprocating_ctr_try_acquire(struct reciprocating_ctr_lock *lock,
                                                 struct reciprocating_ctr_context *context)
{
    *context = (struct reciprocating_ctr_context){NULL, LOCKED_EMPTY};
    return arrivals_try_lock(&lock->arrivals);
}

static inline void reciprocating_ctr_release(struct reciprocating_ctr_lock *lock,
                                             struct reciprocating_ctr_context *context)
{
    struct element *successor = context->successor;
    if (!successor)
        successor = arrivals_unlock_or_detach(&lock->arrivals, context->eos);
    if (successor)
        gate_open(&successor->reset_gate, (uintptr_t)context->eos);
}

ZERO_IS_UNLOCKED(reciprocating_ctr)
MUTEX_FORM(reciprocating_ctr)

#endif
