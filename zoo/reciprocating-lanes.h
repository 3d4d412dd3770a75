/* SPDX-License-Identifier: MIT */
/* Reciprocating lock, two lanes. Named in the appendix of Dice and Kogan, "Reciprocating Locks".
 *
 * Two reciprocating locks under a ticket lock. An arrival picks a lane at random, more often the first; whoever holds a
 * lane draws a ticket, so at most two threads spin there. The choice breaks the palindrome, and admissions are even in
 * the long run. In its own lane a waiter is overtaken by a later arrival at most once; since the lanes take turns, a
 * thread that keeps coming by the other lane may overtake more often. With T threads at most 4 (T - 1) + 1 admissions
 * pass before a waiter's own.
 *
 * Try-acquire takes the first lane for a moment even if it then fails; another one that comes then is refused.
 */
#ifndef RECIP_ZOO_RECIPROCATING_LANES_H
#define RECIP_ZOO_RECIPROCATING_LANES_H

#include "zoo/parts/random.h"
#include "zoo/reciprocating-doubleswap.h"
#include "zoo/ticket.h"

/* Of 256 arrivals so many take the first lane. Most over least admissions of 5 threads in 10,000: 1.04 at 128 and at
 * 192, 1.05 at 160, 1.07 at 240. */
#define RECIPROCATING_LANES_BIAS 160

struct reciprocating_lane {
    alignas(RECIP_LINE) struct reciprocating_doubleswap_lock inner;
};

struct reciprocating_lanes_lock {
    struct reciprocating_lane lane[2];
    alignas(RECIP_LINE) struct ticket_lock outer;
};

struct reciprocating_lanes_context {
    struct reciprocating_doubleswap_context inner;
    unsigned lane;
};

/* By a hash of the next ticket. One that spreads tickets evenly, as a single multiplication does, would not do: it is
 * regular enough to favour a thread for good. */
static inline unsigned reciprocating_lanes_pick(struct reciprocating_lanes_lock *lock)
{
    /* relaxed: any recent value will do. */
    uint32_t ticket = (uint32_t)atomic_load_explicit(&lock->outer.ticket, memory_order_relaxed);
    return !random_for(ticket, RECIPROCATING_LANES_BIAS);
}

static inline void reciprocating_lanes_acquire(struct reciprocating_lanes_lock *lock,
                                               struct reciprocating_lanes_context *context)
{
    context->lane = reciprocating_lanes_pick(lock);
    reciprocating_doubleswap_acquire(&lock->lane[context->lane].inner, &context->inner);
    ticket_acquire(&lock->outer, &(struct ticket_context){});
}

static inline bool reciprocating_lanes_try_acquire(struct reciprocating_lanes_lock *lock,
                                                   struct reciprocating_lanes_context *context)
{
    context->lane = 0;
    /* relaxed, both: a look, so that a lane is taken only where the lock is likely to come with it. */
    if (atomic_load_explicit(&lock->outer.ticket, memory_order_relaxed) != ticket_granted(&lock->outer))
        return false;
    if (!reciprocating_doubleswap_try_acquire(&lock->lane[0].inner, &context->inner))
        return false;
    if (ticket_try_acquire(&lock->outer, &(struct ticket_context){}))
        return true;
    reciprocating_doubleswap_release(&lock->lane[0].inner, &context->inner);
    return false;
}

/* The lane first: its next holder queues at the outer lock while this thread still owns it, and nothing of the lock is
 * touched after the outer release. */
static inline void reciprocating_lanes_release(struct reciprocating_lanes_lock *lock,
                                               struct reciprocating_lanes_context *context)
{
    reciprocating_doubleswap_release(&lock->lane[context->lane].inner, &context->inner);
    ticket_release(&lock->outer, &(struct ticket_context){});
}

ZERO_IS_UNLOCKED(reciprocating_lanes)
MUTEX_FORM(reciprocating_lanes)

#endif
