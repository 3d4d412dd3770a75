/* SPDX-License-Identifier: MIT */
/* Reciprocating lock. Dice and Kogan, "Reciprocating Locks", PPoPP 2025, Listing 1.
 *
 *     struct reciprocating_lock lock = {0};
 *     struct reciprocating_context context;
 *     reciprocating_acquire(&lock, &context);
 *     ...
 *     reciprocating_release(&lock, &context);
 *
 * Arriving threads push their element on a stack, the arrival segment, and wait at it. When the entry segment is used
 * up, the owner detaches the stack, which becomes the next entry segment: newest first within a segment, oldest segment
 * first. Nobody links elements: each thread knows the one below its own, its successor. arrivals.h has the arrivals
 * word.
 *
 * An owner that found the lock free leaves its element at the bottom of the next stack. That element is no waiter: its
 * address travels through the gates as the end of segment, is compared and never followed. Until release has unlocked
 * or detached, that address must not arrive at this lock again, so the thread that acquired has to release. It may wait
 * at the element for other locks meanwhile.
 */
#ifndef RECIP_ZOO_RECIPROCATING_H
#define RECIP_ZOO_RECIPROCATING_H

#include "zoo/parts/arrivals.h"
#include "zoo/parts/mutex-form.h"

struct reciprocating_lock {
    arrivals_word arrivals;
};

struct reciprocating_context {
    struct element *successor; /* next in the entry segment, or null at its end */
    struct element *eos;       /* end of segment: an element, or LOCKED_EMPTY */
};

static inline void reciprocating_acquire(struct reciprocating_lock *lock, struct reciprocating_context *context)
{
    struct element *self = element_self();
    gate_close(&self->gate);
    struct element *tail = arrivals_push(&lock->arrivals, self);
    if (!tail) {
        *context = (struct reciprocating_context){NULL, self};
        return;
    }
    struct element *successor = arrivals_below(tail);
    struct element *eos = (struct element *)gate_await(&self->gate);
    if (successor == eos)
        *context = (struct reciprocating_context){NULL, LOCKED_EMPTY};
    else
        *context = (struct reciprocating_context){successor, eos};
}

static inline bool reciprocating_try_acquire(struct reciprocating_lock *lock, struct reciprocating_context *context)
{
    *context = (struct reciprocating_context){NULL, LOCKED_EMPTY};
    return arrivals_try_lock(&lock->arrivals);
}

static inline void reciprocating_release(struct reciprocating_lock *lock, struct reciprocating_context *context)
{
    struct element *successor = context->successor;
    if (!successor)
        successor = arrivals_unlock_or_detach(&lock->arrivals, context->eos);
    if (successor)
        gate_open(&successor->gate, (uintptr_t)context->eos);
}

ZERO_IS_UNLOCKED(reciprocating)

/* The mutex form is two words, not three: successor and end of segment share one, and where both are needed the end of
 * segment waits in the successor's element, which nobody else looks at before its gate opens.
 *
 * | word          | successor | eos                                         |
 * |---------------|-----------|---------------------------------------------|
 * | 1             | none      | LOCKED_EMPTY                                |
 * | successor + 1 | successor | LOCKED_EMPTY                                |
 * | successor     | successor | kept in successor->eos                      |
 * | eos + 2       | none      | eos, the element of an owner that came first |
 */
static inline uintptr_t reciprocating_pack(struct reciprocating_context context)
{
    uintptr_t successor = (uintptr_t)context.successor;
    if (context.eos == LOCKED_EMPTY)
        return successor + 1;
    if (!successor)
        return (uintptr_t)context.eos + 2;
    /* relaxed: read back by this owner only. */
    atomic_store_explicit(&context.successor->eos, context.eos, memory_order_relaxed);
    return successor;
}

static inline struct reciprocating_context reciprocating_unpack(uintptr_t word)
{
    struct element *element = (struct element *)(word & ~(uintptr_t)3);
    if (word & 1)
        return (struct reciprocating_context){element, LOCKED_EMPTY};
    if (word & 2)
        return (struct reciprocating_context){NULL, element};
    return (struct reciprocating_context){element, atomic_load_explicit(&element->eos, memory_order_relaxed)};
}

MUTEX_FORM_KEEPING(reciprocating, uintptr_t, reciprocating_pack, reciprocating_unpack)

#endif
