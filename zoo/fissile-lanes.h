/* SPDX-License-Identifier: MIT */
/* Fissile lock with lanes: a ticket lock for speed, two reciprocating lanes in front of it for those who have to wait.
 * After Dice and Kogan, "Fissile Locks", 2020, whose FissileTicket it is near to, and the two lanes of "Reciprocating
 * Locks".
 *
 * As reciprocating-lanes.h, but a thread that finds the lock free takes it by its first access. Otherwise it waits in a
 * lane; the holder of a lane draws a ticket, so at most two threads spin there, and leaves the lane as soon as it owns
 * the lock. So there is no context and any thread may release.
 *
 * A newcomer gets in only while no ticket is drawn: that is, between the moment that a thread gets its lane and the
 * moment that it draws its ticket. Nothing bounds how often that happens to one waiter, so no order is promised.
 */
#ifndef RECIP_ZOO_FISSILE_LANES_H
#define RECIP_ZOO_FISSILE_LANES_H

#include "zoo/reciprocating-lanes.h"

struct fissile_lanes_lock {
    struct reciprocating_lanes_lock lanes;
};

struct fissile_lanes_context {
};

static inline bool fissile_lanes_try_acquire(struct fissile_lanes_lock *lock, struct fissile_lanes_context *context)
{
    (void)context;
    return ticket_try_acquire(&lock->lanes.outer, &(struct ticket_context){});
}

static inline void fissile_lanes_acquire(struct fissile_lanes_lock *lock, struct fissile_lanes_context *context)
{
    if (fissile_lanes_try_acquire(lock, context))
        return;
    struct reciprocating_doubleswap_lock *lane = &lock->lanes.lane[reciprocating_lanes_pick(&lock->lanes)].inner;
    struct reciprocating_doubleswap_context inner;
    reciprocating_doubleswap_acquire(lane, &inner);
    ticket_acquire(&lock->lanes.outer, &(struct ticket_context){});
    reciprocating_doubleswap_release(lane, &inner);
}

static inline void fissile_lanes_release(struct fissile_lanes_lock *lock, struct fissile_lanes_context *context)
{
    (void)context;
    ticket_release(&lock->lanes.outer, &(struct ticket_context){});
}

ZERO_IS_UNLOCKED(fissile_lanes)
MUTEX_FORM(fissile_lanes)

#endif
