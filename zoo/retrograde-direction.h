/* SPDX-License-Identifier: MIT */
/* Retrograde ticket lock with a direction for each segment. Dice and Kogan, "Reciprocating Locks", appendix "Retrograde
 * Ticket Lock".
 *
 * As retrograde.h, but each new entry segment is admitted oldest first instead of newest first with some probability.
 * The segments keep their order, so a later arrival still overtakes at most once.
 */
#ifndef RECIP_ZOO_RETROGRADE_DIRECTION_H
#define RECIP_ZOO_RETROGRADE_DIRECTION_H

#include "zoo/parts/random.h"
#include "zoo/parts/retrograde-segment.h"

/* One segment in so many is admitted oldest first. Most over least admissions of 5 threads in 10,000: 1.01 at 2, 1.06
 * at 4, 1.10 at 32. */
#define RETROGRADE_DIRECTION_ODDS 4

struct retrograde_direction_lock {
    struct retrograde_segment segment;
    uint32_t random;
    bool oldest_first;
};

struct retrograde_direction_context {
};

static inline void retrograde_direction_acquire(struct retrograde_direction_lock *lock,
                                                struct retrograde_direction_context *context)
{
    (void)context;
    ticket_await(&lock->segment.tickets, ticket_draw(&lock->segment.tickets));
}

static inline bool retrograde_direction_try_acquire(struct retrograde_direction_lock *lock,
                                                    struct retrograde_direction_context *context)
{
    (void)context;
    return ticket_try_acquire(&lock->segment.tickets, &(struct ticket_context){});
}

static inline void retrograde_direction_release(struct retrograde_direction_lock *lock,
                                                struct retrograde_direction_context *context)
{
    (void)context;
    if (retrograde_segment_refill(&lock->segment))
        lock->oldest_first = random_one_in(&lock->random, 1, RETROGRADE_DIRECTION_ODDS);
    ticket_admit(&lock->segment.tickets, retrograde_segment_take(&lock->segment, lock->oldest_first));
}

ZERO_IS_UNLOCKED(retrograde_direction)
MUTEX_FORM(retrograde_direction)

#endif
