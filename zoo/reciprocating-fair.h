/* SPDX-License-Identifier: MIT */
/* Reciprocating lock with long-term fairness. Dice and Kogan, "Reciprocating Locks", section "Mitigation".
 *
 * As reciprocating.h, but an incoming owner that has a successor sometimes gives way: it closes its gate again, passes
 * ownership on at once, and its element travels through the segment to the end, where it is admitted. That breaks the
 * palindrome, and since nobody leaves its segment a later arrival still overtakes at most once. The price is a second
 * wait in one acquire.
 *
 * Those who gave way form a stack: each remembers the one before it, and is admitted before it.
 */
#ifndef RECIP_ZOO_RECIPROCATING_FAIR_H
#define RECIP_ZOO_RECIPROCATING_FAIR_H

#include "zoo/parts/arrivals.h"
#include "zoo/parts/mutex-form.h"
#include "zoo/parts/random.h"

/* One in so many owners gives way. Most over least admissions of 5 threads in 10,000: 1.03 at 4, 1.06 at 8, 1.09 at 16,
 * 1.14 at 64. */
#define RECIPROCATING_FAIR_ODDS 8

struct reciprocating_fair_lock {
    arrivals_word arrivals;
};

struct reciprocating_fair_context {
    struct element *successor; /* next in the entry segment, or null at its end */
    struct element *eos;       /* end of segment: an element, or LOCKED_EMPTY */
    struct element *deferred;  /* the last one that gave way in this segment, or null */
};

static inline void reciprocating_fair_pass(struct element *successor, const struct reciprocating_fair_context *context)
{
    /* relaxed: published by the opening of the gate. */
    if (context->deferred)
        atomic_store_explicit(&successor->deferred, context->deferred, memory_order_relaxed);
    gate_open(&successor->gate, (uintptr_t)context->eos);
}

/* At the end of the segment those who gave way are next. */
static inline void reciprocating_fair_turn_to_deferred(struct reciprocating_fair_context *context)
{
    context->successor = context->deferred;
    context->deferred = NULL;
    context->eos = LOCKED_EMPTY;
}

static inline void reciprocating_fair_acquire(struct reciprocating_fair_lock *lock,
                                              struct reciprocating_fair_context *context)
{
    struct thread *thread = port_thread();
    struct element *self = &thread->element;
    /* relaxed: published by the push. */
    atomic_store_explicit(&self->deferred, NULL, memory_order_relaxed);
    gate_close(&self->gate);
    struct element *tail = arrivals_push(&lock->arrivals, self);
    if (!tail) {
        *context = (struct reciprocating_fair_context){NULL, self, NULL};
        return;
    }
    context->successor = arrivals_below(tail);
    context->eos = (struct element *)gate_await(&self->gate);
    /* relaxed: read after the gate has opened. */
    context->deferred = atomic_load_explicit(&self->deferred, memory_order_relaxed);
    if (!context->successor || context->successor == context->eos) {
        reciprocating_fair_turn_to_deferred(context);
    } else if (random_one_in(&thread->random, (uint32_t)(uintptr_t)self, RECIPROCATING_FAIR_ODDS)) {
        struct element *before = context->deferred;
        gate_close(&self->gate);
        context->deferred = self;
        reciprocating_fair_pass(context->successor, context);
        gate_await(&self->gate);
        *context = (struct reciprocating_fair_context){before, LOCKED_EMPTY, NULL};
    }
}

static inline bool reciprocating_fair_try_acquire(struct reciprocating_fair_lock *lock,
                                                  struct reciprocating_fair_context *context)
{
    *context = (struct reciprocating_fair_context){NULL, LOCKED_EMPTY, NULL};
    return arrivals_try_lock(&lock->arrivals);
}

static inline void reciprocating_fair_release(struct reciprocating_fair_lock *lock,
                                              struct reciprocating_fair_context *context)
{
    struct element *successor = context->successor;
    if (!successor)
        successor = arrivals_unlock_or_detach(&lock->arrivals, context->eos);
    if (successor)
        reciprocating_fair_pass(successor, context);
}

ZERO_IS_UNLOCKED(reciprocating_fair)
MUTEX_FORM(reciprocating_fair)

#endif
