/* Every number that is tuned, with what chose it. Times are turned into turns of port_relax once, at start: a pause
 * instruction takes 5 to 150 ns, by CPU (26 here).
 *
 * Measured on two cores of a virtual machine (AMD EPYC, family 25) that was not idle, so as ratios in the same run, by
 * bench/mutex-peers: one mt19937 step in the critical section and nothing outside unless it says otherwise.
 */
#ifndef RECIP_MUTEX_TUNABLES_H
#define RECIP_MUTEX_TUNABLES_H

#include "locks/port.h"

/* Below this bound a sleeping leader is woken while the owner works, above it when the owner has released. Not
 * measured: under a bound of 0 nobody else could use the time between release and wake-up, under the default one all
 * others can. */
#define SMALL_BOUND 64

/* Turns: the first pause of a newcomer, doubled each time. Two threads, 10 microseconds in all: 1.97 times glibc with
 * 4, 1.91 with 16; with 1 microsecond in all 0.77 with 1, 1.12 with 16. */
#define NEWCOMER_PAUSE 4

/* A look that finds nobody has passed counts for so many: with sections of 100 microseconds, a leader that spins for
 * all of its time took half as much CPU again as glibc's waiters. */
#define IDLE_LOOK_COST 4

struct recip_tuning {
    unsigned newcomer_turns; /* a newcomer looks this long before it queues */
    unsigned follower_turns; /* a follower, before it sleeps */
    unsigned leader_turns;   /* the leader, before it sleeps */
    unsigned leader_pause;   /* the longest pause of the leader between two looks at a busy word */
};

#ifdef RECIP_LOCKS_PORT_NATIVE_H
extern struct recip_tuning recip_tuning;

/* Nanoseconds. */

/* RECIP_SPIN_NEWCOMER. Two threads: 0.77 of glibc with 1,000, 1.97 times with 10,000; 16 threads: the same within
 * noise. */
#define NEWCOMER_NANOSECONDS 10000
/* RECIP_SPIN_FOLLOWER. About what a sleep and a wake-up cost; from 0 to 5,000 the same within noise. */
#define FOLLOWER_NANOSECONDS 5000
/* RECIP_SPIN_LEADER. 16 threads: 1.38 times glibc with 5,000, 1.52 with 50,000. */
#define LEADER_NANOSECONDS 50000
/* RECIP_PAUSE_LEADER. From 500 to 25,000 the same within noise. */
#define PAUSE_NANOSECONDS 2000
/* RECIP_NAP_LEADER, 0 for none. Four threads: 2.25 times glibc and 19 ns of CPU for an operation, without it 2.13
 * and 32. */
#define NAP_NANOSECONDS 50000
#else
/* Another world waits by itself: no spinning. */
static const struct recip_tuning recip_tuning = {0, 0, 0, 0};
#endif

#endif
