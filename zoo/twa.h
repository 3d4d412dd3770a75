/* SPDX-License-Identifier: MIT */
/* TWA, ticket lock with a waiting array. Dice and Kogan, Euro-Par 2019. FIFO.
 *
 * A ticket lock in which only the next thread in line spins on grant. The others wait at a slot of a table that all
 * locks share, until the owner before their predecessor calls them up.
 */
#ifndef RECIP_ZOO_TWA_H
#define RECIP_ZOO_TWA_H

#include "zoo/ticket.h"
#include "port/waiting-array.h"

/* How many threads spin on grant: those at most so far from their turn. */
#define TWA_NEAR 1

struct twa_lock {
    struct ticket_lock tickets;
};

struct twa_context {
};

static inline int64_t twa_distance(struct twa_lock *lock, int64_t ticket)
{
    /* acquire: with the release in ticket_admit. */
    return ticket - atomic_load_explicit(&lock->tickets.grant, memory_order_acquire);
}

static inline void twa_acquire(struct twa_lock *lock, struct twa_context *context)
{
    (void)context;
    int64_t ticket = ticket_draw(&lock->tickets);
    int64_t distance = twa_distance(lock, ticket);
    if (distance == 0)
        return;
    if (distance > TWA_NEAR) {
        _Atomic(uint64_t) *slot = waiting_slot(lock, ticket);
        for (;;) {
            /* The slot is read before the distance: a call that comes after the second look changes what was seen. */
            uint64_t seen = waiting_slot_read(slot);
            if (twa_distance(lock, ticket) <= TWA_NEAR)
                break;
            waiting_slot_await(slot, seen);
        }
    }
    ticket_await(&lock->tickets, ticket);
}

static inline bool twa_try_acquire(struct twa_lock *lock, struct twa_context *context)
{
    (void)context;
    return ticket_try_acquire(&lock->tickets, &(struct ticket_context){});
}

static inline void twa_release(struct twa_lock *lock, struct twa_context *context)
{
    (void)context;
    int64_t next = ticket_granted(&lock->tickets) + 1;
    ticket_admit(&lock->tickets, next);
    /* The lock may be gone by now; its address is still good for the hash. */
    waiting_slot_change(waiting_slot(lock, next + TWA_NEAR));
}

ZERO_IS_UNLOCKED(twa)
MUTEX_FORM(twa)

#endif
