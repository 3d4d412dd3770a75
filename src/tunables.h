/* SPDX-License-Identifier: MIT */
/* Every number that is tuned, with what chose it. Spin times are turned into turns of port_relax once, at start: a
 * pause instruction takes 5 to 150 ns, by CPU (26 here).
 *
 * Measured on two cores of an idle virtual machine (AMD EPYC, Linux 6.18) as `recip bench mutex` does, interleaved,
 * medians of 5 to 7 rounds: millions of operations per second, with one mt19937 step in the critical section and
 * nothing outside ("hot") or up to 250 steps outside ("moderate") unless it says otherwise. glibc: hot 19-37,
 * moderate 3.2; TBB's spin mutex, which is the best peer in both: hot 60-70, moderate 3.4.
 */
#ifndef RECIP_SRC_TUNABLES_H
#define RECIP_SRC_TUNABLES_H

#include "port/port.h"

/* Below this bound a sleeping leader is woken while the owner works, above it when the owner has released. Not
 * measured: under a bound of 0 nobody else could use the time between release and wake-up, under the default one all
 * others can. */
#define SMALL_BOUND 64

/* Turns between two looks: the first of a newcomer, the longest of a newcomer, of the leader. With pauses that double
 * without end, two threads with sections of a microsecond: 0.65 of 0.86 possible; with these 0.79. LevelDB's reads of
 * ten keys in memory, 8 and 32 threads, over glibc's: 1.15 and 1.16 with a first pause of 4, 1.19 with 1; hot, moderate
 * and with a microsecond no difference beyond noise. */
#define NEWCOMER_PAUSE 1
#define NEWCOMER_LONGEST_PAUSE 8
#define LEADER_PAUSE 8

/* A mutex is hot if so many have passed in so many turns, or in fewer, between two looks; a yield or a nap counts as no
 * turn. Whoever competes for a hot one takes the cache lines from the owner, whoever does not leaves it 73 where
 * competing had 52. With sections of a microsecond it is not hot: there a spinning waiter is the best one. */
#define HOT_PASSES 4
#define HOT_TURNS 8

/* Turns between two looks at a hot mutex, before the waiter queues or naps: it may cool down soon. Two threads with a
 * queue of 64 places and condition variables, nanoseconds an item: 1,180 with a nap at once, 140, 82 and 63 with pauses
 * of 64, 32 and 16 turns (glibc: 1,130); hot, 32 threads: 62 to 73 with all,
 * and no difference that can be told from noise. */
#define HOT_PAUSE 32

/* A leader that has been passed so often naps instead of asking to be woken. With sections of 100 microseconds a
 * wake-up at each release, always too late, cost the owner 12 microseconds of the 112 of each operation. */
#define FEW_PASSES 3

/* At most so many sleepers of a segment are put in the order in which they came, while the mutex is held: some hundred
 * nanoseconds. Sections of 100 microseconds, 32 threads, ten seconds, operations of the slowest over those of the
 * fastest thread: 0.67 to 0.71; with none 0.37 to 0.63. */
#define MAX_REVERSED 32

/* Nanoseconds: the longest nap of a leader, which the mutex may be idle for. Beyond RECIP_NAP it is also at most half
 * of what the leader has waited. */
#define LONGEST_NAP 1000000

struct recip_tuning {
    unsigned newcomer_turns; /* a newcomer looks this long */
    unsigned newcomer_naps;  /* and, after the yields, naps so often, before it queues */
    unsigned follower_turns; /* a follower looks this long before it sleeps */
    unsigned leader_turns;   /* the leader, before it sleeps or naps */
    unsigned yields;         /* of the CPU, by newcomer and leader, to an owner that may have been preempted */
    /* nanoseconds */
    int64_t nap;           /* of the leader while the mutex is hot; 0 for no naps at all */
    int64_t hot_patience;  /* of a leader that naps, before it bars newcomers: while the mutex is hot */
    int64_t long_patience; /* and while it is not */
};

#if defined(RECIP_PORT_NATIVE_H) || defined(PORT_HAS_TUNING)
extern struct recip_tuning recip_tuning;
#else
/* Another world waits by itself: no spinning, no naps. */
static const struct recip_tuning recip_tuning;
#endif

/* Sets it, to what ships unless the environment says otherwise (tuning.c). */
void recip_tune(void);

/* Moderate, 32 threads: without yields and naps 2.6, with 4 yields 3.1, with 16 yields 3.1, with 4 of each 3.3 to 3.4.
 * Whoever queues has to be woken, one after the other, and meanwhile a core may have nobody to run. */
#define YIELDS 4
#define NEWCOMER_NAPS 4

/* In nanoseconds, and by the environment: */

/* RECIP_SPIN_NEWCOMER. Moderate, 8 threads: 2.6 with 300, 3.1 with 1,000, 3.3 with 5,000. */
#define NEWCOMER_NANOSECONDS 5000
/* RECIP_SPIN_FOLLOWER. About what a sleep and a wake-up cost; from 0 to 5,000 the same within noise. */
#define FOLLOWER_NANOSECONDS 5000
/* RECIP_SPIN_LEADER. Moderate, 8 threads: 3.1 with 1,000, 3.3 with 5,000. */
#define LEADER_NANOSECONDS 5000
/* RECIP_NAP, 0 for none. The kernel makes 100 microseconds of it for a thread with the usual timer slack. */
#define NAP_NANOSECONDS 50000
/* RECIP_PATIENCE_HOT. Hot, 2 and 8 threads: 69 to 82 with 100,000 to 500,000; 60 and 70 with 1,000,000 and more, where
 * the bound is reached first, while the leader naps. */
#define HOT_PATIENCE_NANOSECONDS 250000
/* RECIP_PATIENCE. Sections of 100 microseconds, 8 threads: level with glibc, and the 99.9th percentile of the wait 39
 * ms against glibc's 120 to 157. A millisecond or less would let more than one in a thousand operations wait where
 * sections take a microsecond. */
#define LONG_PATIENCE_NANOSECONDS 4000000

#endif
