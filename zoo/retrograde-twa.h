/* SPDX-License-Identifier: MIT */
/* Retrograde ticket lock that waits as TWA does. Dice and Kogan, "Reciprocating Locks", appendix "Retrograde Ticket
 * Lock".
 *
 * As retrograde.h, but only the thread that is next spins on grant; the others wait at a slot of the table that all
 * locks share. Release calls up the one that will be next after the new owner. The first of a segment could not be
 * called up before, so it is called with its grant.
 */
#ifndef RECIP_ZOO_RETROGRADE_TWA_H
#define RECIP_ZOO_RETROGRADE_TWA_H

#include "zoo/retrograde.h"
#include "port/waiting-array.h"

struct retrograde_twa_lock {
    struct retrograde_lock retrograde;
};

struct retrograde_twa_context {
};

static inline void retrograde_twa_acquire(struct retrograde_twa_lock *lock, struct retrograde_twa_context *context)
{
    (void)context;
    struct ticket_lock *tickets = &lock->retrograde.tickets;
    int64_t ticket = ticket_draw(tickets);
    _Atomic(uint64_t) *slot = waiting_slot(lock, ticket);
    for (;;) {
        /* The slot is read before grant: a call that comes after the look changes what was seen. */
        uint64_t seen = waiting_slot_read(slot);
        /* acquire: with the release in ticket_admit. */
        int64_t granted = atomic_load_explicit(&tickets->grant, memory_order_acquire);
        if (granted == ticket)
            return;
        /* Tickets are granted downwards, so with the one above inside this one is next. */
        if (granted == ticket + 1)
            break;
        waiting_slot_await(slot, seen);
    }
    ticket_await(tickets, ticket);
}

static inline bool retrograde_twa_try_acquire(struct retrograde_twa_lock *lock, struct retrograde_twa_context *context)
{
    (void)context;
    return ticket_try_acquire(&lock->retrograde.tickets, &(struct ticket_context){});
}

static inline void retrograde_twa_release(struct retrograde_twa_lock *lock, struct retrograde_twa_context *context)
{
    (void)context;
    int64_t next = retrograde_next(&lock->retrograde);
    bool first = next == lock->retrograde.top;
    bool another = next - 1 > lock->retrograde.base;
    ticket_admit(&lock->retrograde.tickets, next);
    /* The lock may be gone by now; its address is still good for the hash. */
    if (first)
        waiting_slot_change(waiting_slot(lock, next));
    if (another)
        waiting_slot_change(waiting_slot(lock, next - 1));
}

ZERO_IS_UNLOCKED(retrograde_twa)
MUTEX_FORM(retrograde_twa)

#endif
