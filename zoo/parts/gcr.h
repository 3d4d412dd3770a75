/* SPDX-License-Identifier: MIT */
/* Generic concurrency restriction (GCR). Dice and Kogan, "Avoiding Scalability Collapse by Restricting Concurrency",
 * Euro-Par 2019; reconstructed from its description. It goes around any lock of the zoo:
 *
 *     GCR_AROUND(gcr_mcs, mcs)      struct gcr_mcs_lock, gcr_mcs_acquire, ... around those of mcs
 *
 * A few threads are active: they own the inner lock or wait for it. While there are GCR_ACTIVE of them, an arrival is
 * passive and waits in a queue of its own. The first in that queue looks, the others spin or sleep at their nodes. It
 * goes on when fewer than GCR_REJOIN threads are active, or when it is let in: every GCR_PERIOD-th release does so. So
 * the queue moves on once in GCR_PERIOD releases at least, provided that its first runs and looks; a thread that is
 * active waits as the inner lock has it.
 *
 * | word   | meaning                                                                        |
 * |--------|--------------------------------------------------------------------------------|
 * | active | how many threads are active; a few more than GCR_ACTIVE if they came at once   |
 * | let_in | 1: the first in the queue may become active, whatever `active` says            |
 *
 * Both words are hints about load and are relaxed throughout; the inner lock protects. Release touches nothing of the
 * lock after the release of the inner one.
 */
#ifndef RECIP_ZOO_PARTS_GCR_H
#define RECIP_ZOO_PARTS_GCR_H

#include "zoo/mcs.h"
#include "zoo/parts/seldom.h"

/* The paper's numbers. */
#define GCR_ACTIVE LIMIT(4u, 1u)
#define GCR_REJOIN LIMIT(2u, 1u)
#define GCR_PERIOD LIMIT(16384, 2)

struct gcr {
    _Atomic(uint32_t) active, let_in;
    uint32_t releases; /* since the last thread was let in; the owner's */
    struct mcs_lock passive;
};

static inline void gcr_count(struct gcr *gcr, uint32_t change)
{
    atomic_fetch_add_explicit(&gcr->active, change, memory_order_relaxed);
}

/* For the first in the queue. */
static inline bool gcr_may_enter(struct gcr *gcr)
{
    if (atomic_load_explicit(&gcr->active, memory_order_relaxed) < GCR_REJOIN)
        return true;
    if (!atomic_load_explicit(&gcr->let_in, memory_order_relaxed))
        return false;
    atomic_store_explicit(&gcr->let_in, 0, memory_order_relaxed);
    return true;
}

/* Before the acquisition of the inner lock. */
static inline void gcr_enter(struct gcr *gcr)
{
    if (atomic_load_explicit(&gcr->active, memory_order_relaxed) < GCR_ACTIVE) {
        gcr_count(gcr, 1);
        return;
    }
    struct mcs_context place;
    mcs_acquire(&gcr->passive, &place);
    while (!gcr_may_enter(gcr))
        port_relax();
    gcr_count(gcr, 1);
    mcs_release(&gcr->passive, &place);
}

/* Before the release of the inner lock. */
static inline void gcr_leave(struct gcr *gcr)
{
    if (seldom(&gcr->releases, GCR_PERIOD))
        atomic_store_explicit(&gcr->let_in, 1, memory_order_relaxed);
    gcr_count(gcr, (uint32_t)-1);
}

/* Try-acquire does not queue: it counts itself when it has the inner lock. */
#define GCR_AROUND(name, inside)                                                                                       \
    struct name##_lock {                                                                                               \
        struct gcr gcr;                                                                                                \
        alignas(RECIP_LINE) struct inside##_lock inner;                                                                \
    };                                                                                                                 \
    struct name##_context {                                                                                            \
        struct inside##_context inner;                                                                                 \
    };                                                                                                                 \
    static inline void name##_acquire(struct name##_lock *lock, struct name##_context *context)                        \
    {                                                                                                                  \
        gcr_enter(&lock->gcr);                                                                                         \
        inside##_acquire(&lock->inner, &context->inner);                                                               \
    }                                                                                                                  \
    static inline bool name##_try_acquire(struct name##_lock *lock, struct name##_context *context)                    \
    {                                                                                                                  \
        if (!inside##_try_acquire(&lock->inner, &context->inner))                                                      \
            return false;                                                                                              \
        gcr_count(&lock->gcr, 1);                                                                                      \
        return true;                                                                                                   \
    }                                                                                                                  \
    static inline void name##_release(struct name##_lock *lock, struct name##_context *context)                        \
    {                                                                                                                  \
        gcr_leave(&lock->gcr);                                                                                         \
        inside##_release(&lock->inner, &context->inner);                                                               \
    }

#endif
