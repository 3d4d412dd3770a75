/* SPDX-License-Identifier: MIT */
/* Cohort lock C-TKT-TKT. Dice, Marathe and Shavit, "Lock Cohorting", PPoPP 2012.
 *
 * A ticket lock for each socket, and a global one. The holder of a socket's lock takes the global one, unless the
 * thread before it has left that with the socket: release does so while others of the socket wait, up to COHORT_BATCH
 * times in a row. Both levels are FIFO: while a thread waits, each other cohort has the lock for COHORT_BATCH + 1
 * admissions at most before it is the turn of the thread's own.
 *
 * The owner is the thread that holds a local lock with has_global, or the global lock itself. has_global and batch
 * belong to the holder of the local lock. Release gives up the local lock before the global one: the next of the socket
 * queues early, and nothing is touched after the global release. Try-acquire takes the local lock for a moment even if
 * it then fails.
 */
#ifndef RECIP_ZOO_COHORT_TICKET_H
#define RECIP_ZOO_COHORT_TICKET_H

#include "zoo/parts/cohort.h"
#include "zoo/ticket.h"

struct cohort_ticket_cohort {
    alignas(RECIP_LINE) struct ticket_lock local;
    bool has_global;
    uint32_t batch;
};

struct cohort_ticket_lock {
    alignas(RECIP_LINE) struct ticket_lock global;
    struct cohort_ticket_cohort cohort[COHORTS];
};

struct cohort_ticket_context {
    unsigned cohort;
};

static inline void cohort_ticket_acquire(struct cohort_ticket_lock *lock, struct cohort_ticket_context *context)
{
    context->cohort = cohort_self();
    struct cohort_ticket_cohort *cohort = &lock->cohort[context->cohort];
    ticket_acquire(&cohort->local, &(struct ticket_context){});
    if (cohort->has_global)
        return;
    ticket_acquire(&lock->global, &(struct ticket_context){});
    cohort->has_global = true;
}

static inline bool cohort_ticket_try_acquire(struct cohort_ticket_lock *lock, struct cohort_ticket_context *context)
{
    context->cohort = cohort_self();
    struct cohort_ticket_cohort *cohort = &lock->cohort[context->cohort];
    /* relaxed, both: a look, so that the local lock is taken only where the global one is likely to come with it. */
    if (atomic_load_explicit(&lock->global.ticket, memory_order_relaxed) != ticket_granted(&lock->global))
        return false;
    if (!ticket_try_acquire(&cohort->local, &(struct ticket_context){}))
        return false;
    cohort->has_global = ticket_try_acquire(&lock->global, &(struct ticket_context){});
    if (cohort->has_global)
        return true;
    ticket_release(&cohort->local, &(struct ticket_context){});
    return false;
}

/* relaxed: one that draws a ticket after this look takes the global lock by itself. */
static inline bool cohort_ticket_is_awaited(struct ticket_lock *local)
{
    return atomic_load_explicit(&local->ticket, memory_order_relaxed) - ticket_granted(local) > 1;
}

static inline void cohort_ticket_release(struct cohort_ticket_lock *lock, struct cohort_ticket_context *context)
{
    struct cohort_ticket_cohort *cohort = &lock->cohort[context->cohort];
    bool keeps = cohort_ticket_is_awaited(&cohort->local) && !seldom(&cohort->batch, COHORT_BATCH);
    if (!keeps) {
        cohort->batch = 0;
        cohort->has_global = false;
    }
    ticket_release(&cohort->local, &(struct ticket_context){});
    if (!keeps)
        ticket_release(&lock->global, &(struct ticket_context){});
}

ZERO_IS_UNLOCKED(cohort_ticket)
MUTEX_FORM(cohort_ticket)

#endif
