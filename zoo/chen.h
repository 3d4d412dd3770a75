/* SPDX-License-Identifier: MIT */
/* Chen's lock. Chen and Huang, ICPADS 2005 and TPDS 2009, from the description in "Reciprocating Locks". The nearest
 * relative of reciprocating.h, with the same admission order.
 *
 * Arrivals push themselves by exchange on a stack that the owner closes when the one before is used up; but all wait on
 * one word of the lock, `turn`, for their own name. A name is the address of the thread's element; the element itself
 * is not used. The owner clears turn when it enters, so that an old name is never taken for a new turn.
 */
#ifndef RECIP_ZOO_CHEN_H
#define RECIP_ZOO_CHEN_H

#include "zoo/parts/arrivals.h"
#include "zoo/parts/mutex-form.h"

struct chen_lock {
    arrivals_word arrivals;
    _Atomic(struct element *) turn; /* who is next, or null */
    struct element *eos;            /* the owner's: end of segment, an element or LOCKED_EMPTY */
};

struct chen_context {
    struct element *successor;
};

static inline void chen_acquire(struct chen_lock *lock, struct chen_context *context)
{
    struct element *self = element_self();
    struct element *tail = arrivals_push(&lock->arrivals, self);
    context->successor = NULL;
    if (!tail) {
        lock->eos = self;
        return;
    }
    /* acquire: with the store of release. */
    while (atomic_load_explicit(&lock->turn, memory_order_acquire) != self)
        port_relax();
    /* relaxed: only this thread could take its old name for a new turn, and it sees its own store. */
    atomic_store_explicit(&lock->turn, NULL, memory_order_relaxed);
    struct element *successor = arrivals_below(tail);
    if (successor == lock->eos)
        lock->eos = LOCKED_EMPTY;
    else
        context->successor = successor;
}

static inline bool chen_try_acquire(struct chen_lock *lock, struct chen_context *context)
{
    if (!arrivals_try_lock(&lock->arrivals))
        return false;
    lock->eos = LOCKED_EMPTY;
    context->successor = NULL;
    return true;
}

static inline void chen_release(struct chen_lock *lock, struct chen_context *context)
{
    struct element *successor = context->successor;
    if (!successor)
        successor = arrivals_unlock_or_detach(&lock->arrivals, lock->eos);
    /* release: with the waiting load. */
    if (successor)
        atomic_store_explicit(&lock->turn, successor, memory_order_release);
}

ZERO_IS_UNLOCKED(chen)
MUTEX_FORM(chen)

#endif
