/* SPDX-License-Identifier: MIT */
/* Reciprocating lock, double swap. Dice and Kogan, "Reciprocating Locks", appendix "Variations", the last of them.
 *
 * A thread that finds the lock free swaps twice: its element in, LOCKED_EMPTY in. If others arrived between the two, it
 * keeps the lock: they are its entry segment, and the address of its own element, at the bottom, goes through their
 * elements as the end of segment.
 *
 * eos is used up within acquire: elements may be on the stack, and any thread may release (it is a binary semaphore).
 */
#ifndef RECIP_ZOO_RECIPROCATING_DOUBLESWAP_H
#define RECIP_ZOO_RECIPROCATING_DOUBLESWAP_H

#include "zoo/parts/arrivals.h"
#include "zoo/parts/mutex-form.h"
#include "zoo/parts/segment-end.h"

struct reciprocating_doubleswap_lock {
    arrivals_word arrivals;
};

struct reciprocating_doubleswap_context {
    struct element *successor; /* next in the entry segment, or null at its end */
};

static inline void reciprocating_doubleswap_acquire(struct reciprocating_doubleswap_lock *lock,
                                                    struct reciprocating_doubleswap_context *context)
{
    ELEMENT_HERE(self);
    segment_end_clear(self);
    gate_close(&self->gate);
    struct element *tail = arrivals_push(&lock->arrivals, self);
    if (tail) {
        gate_await(&self->gate);
        context->successor = segment_end_pass(self, arrivals_below(tail));
        return;
    }
    context->successor = NULL;
    struct element *newest = arrivals_detach(&lock->arrivals);
    if (newest != self) {
        context->successor = newest;
        segment_end_set(newest, self);
    }
}

static inline bool reciprocating_doubleswap_try_acquire(struct reciprocating_doubleswap_lock *lock,
                                                        struct reciprocating_doubleswap_context *context)
{
    context->successor = NULL;
    return arrivals_try_lock(&lock->arrivals);
}

static inline void reciprocating_doubleswap_release(struct reciprocating_doubleswap_lock *lock,
                                                    struct reciprocating_doubleswap_context *context)
{
    struct element *successor = context->successor;
    if (!successor)
        successor = arrivals_unlock_or_detach(&lock->arrivals, LOCKED_EMPTY);
    if (successor)
        gate_open(&successor->gate, GATE_OPEN);
}

ZERO_IS_UNLOCKED(reciprocating_doubleswap)
MUTEX_FORM(reciprocating_doubleswap)

#endif
