/* SPDX-License-Identifier: MIT */
/* Reciprocating lock, fetch-add with an end of segment. Dice and Kogan, "Reciprocating Locks", appendix "Variations",
 * the third of them.
 *
 * As reciprocating-fetchadd.h, but a thread that found the lock free and was overtaken between its two atomics keeps
 * the lock: those who came are its entry segment, and the address of its own element, at the bottom, goes through their
 * elements as the end of segment. That happens at the onset of contention only; otherwise eos stays null and is not
 * touched. arrivals-tagged.h has the encoding of the arrivals word.
 *
 * eos is used up within acquire: elements may be on the stack, and any thread may release.
 */
#ifndef RECIP_ZOO_RECIPROCATING_FETCHADD_EOS_H
#define RECIP_ZOO_RECIPROCATING_FETCHADD_EOS_H

#include "zoo/parts/arrivals-tagged.h"
#include "zoo/parts/mutex-form.h"
#include "zoo/parts/segment-end.h"

struct reciprocating_fetchadd_eos_lock {
    tagged_word arrivals;
};

struct reciprocating_fetchadd_eos_context {
    struct element *successor; /* next in the entry segment, or null at its end */
};

static inline void reciprocating_fetchadd_eos_acquire(struct reciprocating_fetchadd_eos_lock *lock,
                                                      struct reciprocating_fetchadd_eos_context *context)
{
    ELEMENT_HERE(self);
    segment_end_clear(self);
    gate_close(&self->gate);
    uintptr_t tail = tagged_push(&lock->arrivals, self);
    if (!tagged_unlocked(tail)) {
        gate_await(&self->gate);
        context->successor = segment_end_pass(self, tagged_top(tail));
        return;
    }
    context->successor = NULL;
    struct element *newest = tagged_detach(&lock->arrivals);
    if (newest != self) {
        context->successor = newest;
        segment_end_set(newest, self);
    }
}

static inline bool reciprocating_fetchadd_eos_try_acquire(struct reciprocating_fetchadd_eos_lock *lock,
                                                          struct reciprocating_fetchadd_eos_context *context)
{
    context->successor = NULL;
    return tagged_try_lock(&lock->arrivals);
}

static inline void reciprocating_fetchadd_eos_release(struct reciprocating_fetchadd_eos_lock *lock,
                                                      struct reciprocating_fetchadd_eos_context *context)
{
    struct element *successor = context->successor;
    if (!successor)
        successor = tagged_unlock_or_detach(&lock->arrivals);
    if (successor)
        gate_open(&successor->gate, GATE_OPEN);
}

ZERO_IS_UNLOCKED(reciprocating_fetchadd_eos)
MUTEX_FORM(reciprocating_fetchadd_eos)

#endif
