/* SPDX-License-Identifier: MIT */
/* Cohort lock C-BO-MCS. Dice, Marathe and Shavit, "Lock Cohorting", PPoPP 2012.
 *
 * As cohort-ticket.h, with an MCS queue for each socket, and for the global lock a word that threads try again and
 * again, less and less often. Only the first of each socket tries for that word. Within a socket the order is FIFO.
 * Between sockets there is none: the word goes to the one that tries at the right time, and a socket may starve.
 *
 * | message of a gate | meaning                                             |
 * |-------------------|-----------------------------------------------------|
 * | GATE_OPEN         | holder of the local lock; has to get the global one |
 * | COHORT_GLOBAL     | owner: the global lock comes with the local one     |
 *
 * A node counts the handovers of the global lock within the socket. Release gives up the local lock before the global
 * one: the next of the socket tries early, and nothing is touched after the global release. The context names the
 * cohort and the node, so any thread may release.
 */
#ifndef RECIP_ZOO_COHORT_BO_MCS_H
#define RECIP_ZOO_COHORT_BO_MCS_H

#include "zoo/mcs.h"
#include "zoo/parts/backoff.h"
#include "zoo/parts/cohort.h"
#include "zoo/ttas.h"

enum { COHORT_GLOBAL = 3 };

struct cohort_bo_mcs_cohort {
    alignas(RECIP_LINE) struct mcs_lock local;
};

struct cohort_bo_mcs_lock {
    alignas(RECIP_LINE) struct ttas_lock global;
    struct cohort_bo_mcs_cohort cohort[COHORTS];
};

struct cohort_bo_mcs_context {
    struct mcs_context local;
    unsigned cohort;
};

static inline bool cohort_bo_mcs_try_global(struct cohort_bo_mcs_lock *lock)
{
    return ttas_try_acquire(&lock->global, &(struct ttas_context){});
}

static inline void cohort_bo_mcs_acquire(struct cohort_bo_mcs_lock *lock, struct cohort_bo_mcs_context *context)
{
    struct node *node = node_take();
    node->handovers = 0;
    *context = (struct cohort_bo_mcs_context){{node}, cohort_self()};
    if (mcs_enter(&lock->cohort[context->cohort].local, node) == COHORT_GLOBAL)
        return;
    for (unsigned turns = BACKOFF_FIRST; !cohort_bo_mcs_try_global(lock);)
        backoff(&turns);
}

static inline bool cohort_bo_mcs_try_acquire(struct cohort_bo_mcs_lock *lock, struct cohort_bo_mcs_context *context)
{
    context->cohort = cohort_self();
    struct mcs_lock *local = &lock->cohort[context->cohort].local;
    /* relaxed: a look, so that the local lock is taken only where the global one is likely to come with it. */
    if (atomic_load_explicit(&lock->global.held, memory_order_relaxed))
        return false;
    if (!mcs_try_acquire(local, &context->local))
        return false;
    context->local.node->handovers = 0;
    if (cohort_bo_mcs_try_global(lock))
        return true;
    mcs_release(local, &context->local);
    return false;
}

static inline void cohort_bo_mcs_release(struct cohort_bo_mcs_lock *lock, struct cohort_bo_mcs_context *context)
{
    struct node *node = context->local.node;
    uint32_t handovers = node->handovers;
    /* acquire: with the linking store, so that the gate is seen closed before it is opened. */
    struct node *next = atomic_load_explicit(&node->next, memory_order_acquire);
    if (next && !seldom(&handovers, COHORT_BATCH)) {
        next->handovers = handovers;
        gate_open(&next->gate, COHORT_GLOBAL);
        node_give(node);
        return;
    }
    mcs_release(&lock->cohort[context->cohort].local, &context->local);
    ttas_release(&lock->global, &(struct ttas_context){});
}

ZERO_IS_UNLOCKED(cohort_bo_mcs)
MUTEX_FORM(cohort_bo_mcs)

#endif
