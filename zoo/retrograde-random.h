/* SPDX-License-Identifier: MIT */
/* Retrograde ticket lock with random succession. Dice and Kogan, "Reciprocating Locks", appendix "Retrograde Ticket
 * Lock".
 *
 * As retrograde.h, but once in a while release admits the oldest of the entry segment instead of the newest: a
 * count-down with a random start, so that the generator is rarely asked. Mostly newest first, fair in the long run, and
 * nobody leaves its segment, so a later arrival still overtakes at most once.
 */
#ifndef RECIP_ZOO_RETROGRADE_RANDOM_H
#define RECIP_ZOO_RETROGRADE_RANDOM_H

#include "zoo/parts/random.h"
#include "zoo/parts/retrograde-segment.h"
#include "zoo/parts/seldom.h"

/* The count-down starts between 1 and this. Most over least admissions of 5 threads in 10,000: 1.01 at 2, 1.03 at
 * 8, 1.11 at 32. */
#define RETROGRADE_RANDOM_LONGEST LIMIT(8, 2)

struct retrograde_random_lock {
    struct retrograde_segment segment;
    uint32_t count_down;
    uint32_t random;
};

struct retrograde_random_context {
};

static inline void retrograde_random_acquire(struct retrograde_random_lock *lock,
                                             struct retrograde_random_context *context)
{
    (void)context;
    ticket_await(&lock->segment.tickets, ticket_draw(&lock->segment.tickets));
}

static inline bool retrograde_random_try_acquire(struct retrograde_random_lock *lock,
                                                 struct retrograde_random_context *context)
{
    (void)context;
    return ticket_try_acquire(&lock->segment.tickets, &(struct ticket_context){});
}

static inline void retrograde_random_release(struct retrograde_random_lock *lock,
                                             struct retrograde_random_context *context)
{
    (void)context;
    retrograde_segment_refill(&lock->segment);
    bool oldest = lock->count_down == 0;
    if (oldest)
        lock->count_down = 1 + random_below(&lock->random, 1, RETROGRADE_RANDOM_LONGEST);
    lock->count_down--;
    ticket_admit(&lock->segment.tickets, retrograde_segment_take(&lock->segment, oldest));
}

ZERO_IS_UNLOCKED(retrograde_random)
MUTEX_FORM(retrograde_random)

#endif
