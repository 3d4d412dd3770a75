/* Every number that is tuned, with what chose it. Times are turned into turns of port_relax once, at start. */
#ifndef RECIP_MUTEX_TUNABLES_H
#define RECIP_MUTEX_TUNABLES_H

#include "locks/port.h"

/* Below this bound a sleeping leader is woken while the owner works, above it when the owner has released. */
#define SMALL_BOUND 64

/* Turns: the first pause of a newcomer, doubled each time. */
#define NEWCOMER_PAUSE 4

/* Great demand: so many bypasses between two looks of the leader. */
#define DEMAND_FOR_NAP 32
/* Bypasses that a nap must leave: at the highest rate known, 100 in a microsecond, a nap of 50 microseconds and the
 * slack of the timer let 11,000 pass. */
#define ROOM_FOR_NAP 16384

struct recip_tuning {
    unsigned newcomer_turns; /* a newcomer looks this long before it queues */
    unsigned follower_turns; /* a follower, before it sleeps */
    unsigned leader_turns;   /* the leader, before it sleeps */
    unsigned leader_pause;   /* the longest pause of the leader between two looks at a busy word */
    unsigned nap;            /* how long a leader sleeps that finds the mutex in great demand, in nanoseconds */
};

#ifdef RECIP_LOCKS_PORT_NATIVE_H
extern struct recip_tuning recip_tuning;

/* Nanoseconds. RECIP_SPIN_NEWCOMER, RECIP_SPIN_FOLLOWER, RECIP_SPIN_LEADER, RECIP_PAUSE_LEADER in the environment. */
#define NEWCOMER_NANOSECONDS 10000
#define FOLLOWER_NANOSECONDS 5000
#define LEADER_NANOSECONDS 50000
#define PAUSE_NANOSECONDS 2000
#define NAP_NANOSECONDS 50000
#else
/* Another world waits by itself: no spinning. */
static const struct recip_tuning recip_tuning = {0, 0, 0, 0, 0};
#endif

#endif
