/* Every number that is tuned, with what chose it. Times are turned into turns of port_relax once, at start. */
#ifndef RECIP_MUTEX_TUNABLES_H
#define RECIP_MUTEX_TUNABLES_H

#include "locks/port.h"

/* Below this bound a sleeping leader is woken while the owner works, above it when the owner has released. */
#define SMALL_BOUND 64

struct recip_tuning {
    unsigned newcomer_turns; /* a newcomer looks this long before it queues */
    unsigned follower_turns; /* a follower, before it sleeps */
    unsigned leader_turns;   /* the leader, before it sleeps */
    unsigned leader_pause;   /* the longest pause of the leader between two looks at a busy word */
};

#ifdef RECIP_LOCKS_PORT_NATIVE_H
extern struct recip_tuning recip_tuning;

/* Nanoseconds. RECIP_SPIN_NEWCOMER, RECIP_SPIN_FOLLOWER, RECIP_SPIN_LEADER, RECIP_PAUSE_LEADER in the environment. */
#define NEWCOMER_NANOSECONDS 1000
#define FOLLOWER_NANOSECONDS 5000
#define LEADER_NANOSECONDS 50000
#define PAUSE_NANOSECONDS 2000
#else
/* Another world waits by itself: no spinning. */
static const struct recip_tuning recip_tuning = {0, 0, 0, 0};
#endif

#endif
