/* SPDX-License-Identifier: MIT */
/* A misfit, and so no line of registry.def: a two-face lock, in the manner of Lee's HL1 (2005), of Dvir, Rhee, and
 * Jayanti. Reconstructed: the listings were not at hand. Exchanges alone, FIFO, constant time both ways.
 *
 * As CLH, but no node changes hands. A thread has two gates, its faces, and shows them in turn: it closes one, pushes
 * it on the lock, and waits at the one that was there. When it shows a face again, it has been admitted with the other
 * one meanwhile, behind the thread that waited at this one; so that thread has gone on.
 *
 * That holds for one lock only. "Reciprocating Locks" leaves such locks out for it: a thread needs a pair of faces, and
 * which of them it showed last, for each lock that it uses, found again at each acquire. With one pair for two locks,
 * both used in turn, it closes a face that the other lock still shows, and waits for itself; with three held at once it
 * opens one that stands for a lock that it holds. And the pair has to outlive the lock, whose tail points at it after
 * its thread has ended. There is no try-acquire: exchanges cannot look first.
 * tests/check/two-face.c shows each.
 */
#ifndef RECIP_ZOO_HL1_H
#define RECIP_ZOO_HL1_H

#include "port/gate.h"

typedef _Atomic(uintptr_t) hl1_face;

struct hl1_lock {
    _Atomic(hl1_face *) tail; /* of the last thread that came; null before the first */
};

/* Of one thread, for one lock. */
struct hl1_faces {
    alignas(RECIP_LINE) hl1_face face[2];
    unsigned next; /* the one to show */
};

struct hl1_context {
    hl1_face *shown;
};

static inline void hl1_acquire(struct hl1_lock *lock, struct hl1_faces *faces, struct hl1_context *context)
{
    context->shown = &faces->face[faces->next];
    faces->next ^= 1;
    gate_close(context->shown);
    /* acq_rel. Release: the closed face, to the next thread. Acquire: the face before, as its thread closed it. */
    hl1_face *before = atomic_exchange_explicit(&lock->tail, context->shown, memory_order_acq_rel);
    if (before)
        gate_await(before);
}

static inline void hl1_release(struct hl1_context *context)
{
    gate_open(context->shown, GATE_OPEN);
}

#endif
