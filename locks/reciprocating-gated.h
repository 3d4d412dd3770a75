/* Reciprocating lock, gated. Named in the appendix of Dice and Kogan, "Reciprocating Locks".
 *
 * A stack of arrivals and a gate, on lines of their own. Whoever finds the stack empty leads a new generation: it waits
 * for the gate, shuts it, detaches the stack and enters; its element's address is the mark at which the segment ends.
 * The others wait at their own elements for that mark. The last of a generation opens the gate again.
 *
 * So the first arrival of a generation is admitted first, then the rest from the newest.
 *
 * | gate        | meaning                                                          |
 * |-------------|------------------------------------------------------------------|
 * | 0           | open: unlocked                                                   |
 * | GATE_SHUT   | a generation is inside                                           |
 * | GATE_PARKED | the same, and the next leader is asleep here (RECIP_PARK only)   |
 *
 * The leader shuts the gate by CAS, where a store would do for the leader alone, because try-acquire does the same.
 */
#ifndef RECIP_LOCKS_RECIPROCATING_GATED_H
#define RECIP_LOCKS_RECIPROCATING_GATED_H

#include "element.h"
#include "mutex-form.h"

enum { GATE_SHUT = 1 };

struct reciprocating_gated_lock {
    alignas(RECIP_LINE) _Atomic(struct element *) arrivals;
    alignas(RECIP_LINE) _Atomic(uintptr_t) gate;
};

struct reciprocating_gated_context {
    struct element *successor; /* next in the segment, or null at its end */
    struct element *mark;      /* the leader's element, the end of the segment */
};

static inline bool reciprocating_gated_shut(struct reciprocating_gated_lock *lock)
{
    uintptr_t open = 0;
    /* acquire: with the release that opens the gate. */
    return atomic_compare_exchange_strong_explicit(&lock->gate, &open, GATE_SHUT, memory_order_acquire,
                                                   memory_order_relaxed);
}

static inline void reciprocating_gated_acquire(struct reciprocating_gated_lock *lock,
                                               struct reciprocating_gated_context *context)
{
    ELEMENT_HERE(self);
    gate_close(&self->gate);
    /* release: the closed gate, to the leader that detaches it. Nothing is learnt from what was there: a leader learns
     * that the lock is free from the gate. */
    struct element *below = atomic_exchange_explicit(&lock->arrivals, self, memory_order_release);
    if (below) {
        context->mark = (struct element *)gate_await(&self->gate);
        context->successor = below == context->mark ? NULL : below;
        return;
    }
    do
        gate_await_change(&lock->gate, GATE_SHUT);
    while (!reciprocating_gated_shut(lock));
    /* acquire: with the arrival exchanges, so that a gate is seen closed before it is opened. Not release: the next
     * leader, which finds this null, might believe the gate still open, but its CAS does not. */
    struct element *newest = atomic_exchange_explicit(&lock->arrivals, NULL, memory_order_acquire);
    context->mark = self;
    context->successor = newest == self ? NULL : newest;
}

static inline bool reciprocating_gated_try_acquire(struct reciprocating_gated_lock *lock,
                                                   struct reciprocating_gated_context *context)
{
    *context = (struct reciprocating_gated_context){NULL, NULL};
    return reciprocating_gated_shut(lock);
}

static inline void reciprocating_gated_release(struct reciprocating_gated_lock *lock,
                                               struct reciprocating_gated_context *context)
{
    if (context->successor)
        gate_open(&context->successor->gate, (uintptr_t)context->mark);
    else
        gate_open(&lock->gate, 0);
}

ZERO_IS_UNLOCKED(reciprocating_gated)
MUTEX_FORM(reciprocating_gated)

#endif
