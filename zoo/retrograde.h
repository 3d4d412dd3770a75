/* SPDX-License-Identifier: MIT */
/* Retrograde ticket lock. Dice and Kogan, "Reciprocating Locks", appendix "Retrograde Ticket Lock".
 *
 * Acquire is the ticket lock's; release grants the tickets of a segment from the highest down, which is the admission
 * order of reciprocating.h.
 *
 *     ... base ........ grant ........ top ........ ticket
 *         |  entry      |   admitted    |  arrival  |
 *
 * top and base belong to the owner. A release that finds nobody waiting leaves top == base == grant == the ticket that
 * is drawn next.
 */
#ifndef RECIP_ZOO_RETROGRADE_H
#define RECIP_ZOO_RETROGRADE_H

#include "zoo/ticket.h"

struct retrograde_lock {
    struct ticket_lock tickets;
    int64_t top;  /* the highest ticket of the entry segment */
    int64_t base; /* the highest ticket of the segment before it */
};

struct retrograde_context {
};

static inline void retrograde_acquire(struct retrograde_lock *lock, struct retrograde_context *context)
{
    (void)context;
    ticket_await(&lock->tickets, ticket_draw(&lock->tickets));
}

static inline bool retrograde_try_acquire(struct retrograde_lock *lock, struct retrograde_context *context)
{
    (void)context;
    return ticket_try_acquire(&lock->tickets, &(struct ticket_context){});
}

/* The ticket to admit next; the segments move on as needed. It is the next one to be drawn if nobody waits. */
static inline int64_t retrograde_next(struct retrograde_lock *lock)
{
    int64_t below = ticket_granted(&lock->tickets) - 1;
    if (below > lock->base)
        return below;
    /* relaxed: who drew a ticket waits for grant, and who draws one after this load is not in the segment. */
    int64_t drawn = atomic_load_explicit(&lock->tickets.ticket, memory_order_relaxed);
    bool nobody = drawn == lock->top + 1;
    lock->base = nobody ? drawn : lock->top;
    lock->top = nobody ? drawn : drawn - 1;
    return lock->top;
}

static inline void retrograde_release(struct retrograde_lock *lock, struct retrograde_context *context)
{
    (void)context;
    ticket_admit(&lock->tickets, retrograde_next(lock));
}

ZERO_IS_UNLOCKED(retrograde)
MUTEX_FORM(retrograde)

#endif
