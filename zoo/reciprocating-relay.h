/* SPDX-License-Identifier: MIT */
/* Reciprocating lock, relay. Dice and Kogan, "Reciprocating Locks", appendix "Variations", the first of them.
 *
 * A thread that finds the lock free swaps twice: its element in, LOCKED_EMPTY in. If others arrived between the two,
 * its element is at the bottom of the segment that it has just detached, so it passes ownership to the top and waits
 * for its turn there. No end of segment is needed; that race costs one more hand-over.
 *
 * No element's address is left behind by acquire: elements may be on the stack, and any thread may release.
 */
#ifndef RECIP_ZOO_RECIPROCATING_RELAY_H
#define RECIP_ZOO_RECIPROCATING_RELAY_H

#include "zoo/parts/arrivals.h"
#include "zoo/parts/mutex-form.h"

struct reciprocating_relay_lock {
    arrivals_word arrivals;
};

struct reciprocating_relay_context {
    struct element *successor; /* next in the entry segment, or null at its end */
};

static inline void reciprocating_relay_acquire(struct reciprocating_relay_lock *lock,
                                               struct reciprocating_relay_context *context)
{
    ELEMENT_HERE(self);
    gate_close(&self->gate);
    struct element *tail = arrivals_push(&lock->arrivals, self);
    if (!tail) {
        struct element *newest = arrivals_detach(&lock->arrivals);
        if (newest == self) {
            context->successor = NULL;
            return;
        }
        gate_open(&newest->gate, GATE_OPEN);
    }
    gate_await(&self->gate);
    context->successor = arrivals_below(tail);
}

static inline bool reciprocating_relay_try_acquire(struct reciprocating_relay_lock *lock,
                                                   struct reciprocating_relay_context *context)
{
    context->successor = NULL;
    return arrivals_try_lock(&lock->arrivals);
}

static inline void reciprocating_relay_release(struct reciprocating_relay_lock *lock,
                                               struct reciprocating_relay_context *context)
{
    struct element *successor = context->successor;
    if (!successor)
        successor = arrivals_unlock_or_detach(&lock->arrivals, LOCKED_EMPTY);
    if (successor)
        gate_open(&successor->gate, GATE_OPEN);
}

ZERO_IS_UNLOCKED(reciprocating_relay)
MUTEX_FORM(reciprocating_relay)

#endif
