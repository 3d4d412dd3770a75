/* SPDX-License-Identifier: MIT */
/* Reciprocating lock, fetch-add. Dice and Kogan, "Reciprocating Locks", appendix "Variations", the second of them.
 *
 * As reciprocating-relay.h, with the state in the low bits of the arrivals word, so that one fetch-add either unlocks
 * or detaches: release has a single atomic, and there is no end of segment. arrivals-tagged.h has the encoding.
 *
 * The address of an element that has been served may stay in the word under the tag "detached"; it is never followed,
 * so elements may be on the stack, and any thread may release.
 */
#ifndef RECIP_ZOO_RECIPROCATING_FETCHADD_H
#define RECIP_ZOO_RECIPROCATING_FETCHADD_H

#include "zoo/parts/arrivals-tagged.h"
#include "zoo/parts/mutex-form.h"

struct reciprocating_fetchadd_lock {
    tagged_word arrivals;
};

struct reciprocating_fetchadd_context {
    struct element *successor; /* next in the entry segment, or null at its end */
};

static inline void reciprocating_fetchadd_acquire(struct reciprocating_fetchadd_lock *lock,
                                                  struct reciprocating_fetchadd_context *context)
{
    ELEMENT_HERE(self);
    gate_close(&self->gate);
    uintptr_t tail = tagged_push(&lock->arrivals, self);
    context->successor = NULL;
    if (tagged_unlocked(tail)) {
        struct element *newest = tagged_detach(&lock->arrivals);
        if (newest == self)
            return;
        gate_open(&newest->gate, GATE_OPEN);
    } else {
        context->successor = tagged_top(tail);
    }
    gate_await(&self->gate);
}

static inline bool reciprocating_fetchadd_try_acquire(struct reciprocating_fetchadd_lock *lock,
                                                      struct reciprocating_fetchadd_context *context)
{
    context->successor = NULL;
    return tagged_try_lock(&lock->arrivals);
}

static inline void reciprocating_fetchadd_release(struct reciprocating_fetchadd_lock *lock,
                                                  struct reciprocating_fetchadd_context *context)
{
    struct element *successor = context->successor;
    if (!successor)
        successor = tagged_unlock_or_detach(&lock->arrivals);
    if (successor)
        gate_open(&successor->gate, GATE_OPEN);
}

ZERO_IS_UNLOCKED(reciprocating_fetchadd)
MUTEX_FORM(reciprocating_fetchadd)

#endif
