/* SPDX-License-Identifier: MIT */
/* Reciprocating lock that admits each segment in random order. Dice and Kogan, "Reciprocating Locks", name it as future
 * work.
 *
 * As reciprocating.h, but release tosses a coin, and on heads sets the next waiter aside and admits the one after it.
 * Those set aside come at the end of the segment, the last one first, and the coin is tossed for them again. That
 * breaks the palindrome, and since nobody leaves its segment a later arrival still overtakes at most once. Of the 24
 * orders of four waiters 6 occur; that is enough for the long run, in which most over least admissions of 5 threads in
 * 10,000 are 1.02. Unlike in reciprocating-fair.h nobody waits twice; but a toss of heads looks at two waiters' lines,
 * which makes 5.3 invalidations in an episode instead of 4. To set up to three aside each time makes all orders
 * possible, no thread better off, and 6.2 invalidations.
 *
 * To set a waiter aside is to go on with the one below it, which only its own thread knows. So each thread says in its
 * element what it was pushed on, as soon as it knows. Release does not wait for that: a waiter that has not said so yet
 * is next, whatever the coin would have said.
 *
 * | element->below | meaning                                                              |
 * |----------------|----------------------------------------------------------------------|
 * | 0              | not known yet                                                        |
 * | LOCKED_EMPTY   | nobody                                                               |
 * | element        | the one below in the segment, or its end; or the one set aside before |
 */
#ifndef RECIP_ZOO_RECIPROCATING_SHUFFLED_H
#define RECIP_ZOO_RECIPROCATING_SHUFFLED_H

#include "zoo/parts/arrivals.h"
#include "zoo/parts/mutex-form.h"
#include "zoo/parts/random.h"

struct reciprocating_shuffled_lock {
    arrivals_word arrivals;
};

struct reciprocating_shuffled_context {
    struct element *successor; /* next in the entry segment, or null at its end */
    struct element *eos;       /* end of segment: an element, or LOCKED_EMPTY */
    struct element *deferred;  /* the last one set aside in this segment, or null */
};

/* At the end of the segment those set aside are next. */
static inline void reciprocating_shuffled_settle(struct reciprocating_shuffled_context *context)
{
    if (context->successor == context->eos)
        *context = (struct reciprocating_shuffled_context){context->deferred, LOCKED_EMPTY, NULL};
}

/* The successor, if it is known what is below it. */
static inline void reciprocating_shuffled_set_aside(struct reciprocating_shuffled_context *context)
{
    struct element *successor = context->successor;
    /* relaxed: an address. That the gate there is closed is known since the segment was detached. */
    struct element *below = atomic_load_explicit(&successor->below, memory_order_relaxed);
    if (!below)
        return;
    /* relaxed: read by owners, and by its thread when it is one. */
    atomic_store_explicit(&successor->below, context->deferred ? context->deferred : LOCKED_EMPTY,
                          memory_order_relaxed);
    context->deferred = successor;
    context->successor = below;
    reciprocating_shuffled_settle(context);
}

static inline void reciprocating_shuffled_acquire(struct reciprocating_shuffled_lock *lock,
                                                  struct reciprocating_shuffled_context *context)
{
    struct element *self = element_self();
    /* relaxed, both: published by the push. */
    atomic_store_explicit(&self->below, NULL, memory_order_relaxed);
    atomic_store_explicit(&self->deferred, NULL, memory_order_relaxed);
    gate_close(&self->gate);
    struct element *tail = arrivals_push(&lock->arrivals, self);
    *context = (struct reciprocating_shuffled_context){NULL, self, NULL};
    if (!tail)
        return;
    /* relaxed: who finds the old value does without the new one. */
    atomic_store_explicit(&self->below, tail, memory_order_relaxed);
    context->eos = (struct element *)gate_await(&self->gate);
    /* relaxed, both: read after the gate has opened. */
    context->successor = atomic_load_explicit(&self->below, memory_order_relaxed);
    context->deferred = atomic_load_explicit(&self->deferred, memory_order_relaxed);
    reciprocating_shuffled_settle(context);
}

static inline bool reciprocating_shuffled_try_acquire(struct reciprocating_shuffled_lock *lock,
                                                      struct reciprocating_shuffled_context *context)
{
    *context = (struct reciprocating_shuffled_context){NULL, LOCKED_EMPTY, NULL};
    return arrivals_try_lock(&lock->arrivals);
}

static inline void reciprocating_shuffled_release(struct reciprocating_shuffled_lock *lock,
                                                  struct reciprocating_shuffled_context *context)
{
    struct thread *thread = port_thread();
    if (!context->successor)
        context->successor = arrivals_unlock_or_detach(&lock->arrivals, context->eos);
    if (!context->successor)
        return;
    if (random_one_in(&thread->random, (uint32_t)(uintptr_t)thread, 2))
        reciprocating_shuffled_set_aside(context);
    /* relaxed: published by the opening of the gate. */
    if (context->deferred)
        atomic_store_explicit(&context->successor->deferred, context->deferred, memory_order_relaxed);
    gate_open(&context->successor->gate, (uintptr_t)context->eos);
}

ZERO_IS_UNLOCKED(reciprocating_shuffled)
MUTEX_FORM(reciprocating_shuffled)

#endif
