/* SPDX-License-Identifier: MIT */
/* Every number of the mutex that is tuned. All waiting is in nanoseconds, by the CPU's counter of time: a pause
 * instruction takes 1 ns on some CPUs and 140 on others, and nothing depends on it.
 *
 * What chose them: "Intel" is a prototype on two cores of a Sapphire Rapids, virtual, idle; "EPYC" is this code or the
 * one before on two cores of a Zen 3, virtual; "model" is `recip sim --machine two-core`, where a seldom locker comes
 * once in a millisecond beside threads that lock all the time. "Hot": one mt19937 step inside, nothing outside;
 * "moderate": up to 250 steps outside. M/s are millions of acquisitions in a second. The environment changes those that
 * name a variable; the variables are for experiments, and may go with any version.
 */
#ifndef RECIP_SRC_TUNABLES_H
#define RECIP_SRC_TUNABLES_H

#include "port/port.h"

/* Below this bound a sleeping leader is woken while the owner works, above it when the owner has released. Not
 * measured: under a bound of 0 nobody else could use the time between release and wake-up, under the default one all
 * others can. */
#define SMALL_BOUND 64

/* At most so many sleepers of a segment are put in the order in which they came, while the mutex is held: some hundred
 * nanoseconds. Sections of 100 microseconds, 32 threads, ten seconds, operations of the slowest over those of the
 * fastest thread: 0.67 to 0.71; with none 0.37 to 0.63 (EPYC). */
#define MAX_REVERSED 32

/* So many passes are few: a leader that has been passed less often asks to be woken by release, else it naps. With
 * sections of 100 microseconds a wake-up at each release, always too late, cost the owner 12 of the 112 microseconds of
 * each operation (EPYC). */
#define FEW_PASSES 3

/* So many waits a thread tries short looks, after one long one; and in so many it then goes by what it has found
 * (newcomer.c). 2 threads with 25, 50, 100 and 250 ns outside: 36, 21, 16 and 7.4 M/s; with long looks wherever passes
 * were closer than 200 ns 37, 19, 12 and 7.3, with short ones always 29, 22, 16 and 7.4 (EPYC of Zen 4; 16 is not
 * measured against other numbers of waits). */
#define TRIAL_WAITS 16
#define TRUSTED_WAITS 1000

/* Short looks between two readings of the clock. Reading it at each costs 10 to 15 % with 25 to 100 steps outside
 * (Intel). */
#define LOOKS_AT_ONCE 8

/* RECIP_YIELDS: a leader yields so often before it sleeps. Measured for leaders and newcomers together: sections of
 * 1,000 ns, 100 outside, 31 threads and a seldom locker, in 0.3 seconds: with 4, 16 and 64 yields 0.83, 0.82 and 0.89
 * M/s, p99 of the seldom locker 5,011, 166 and 61 us, operations of the slowest over those of the fastest thread 0.07,
 * 0.41 and 0.54 (EPYC of Zen 4; glibc 0.62 M/s, 32,583 us, 0.11). 256 yields: the same, but sections of 100 us get 0.93
 * done.
 */
#define YIELDS 64

/* RECIP_QUICK_YIELD, RECIP_QUICK_YIELDS: yields that are over so soon have let nobody run; after so many of them a
 * newcomer stops. Without this, 8 to 18 threads on a socket, moderate, get 2.2 M/s done instead of 2.8 (model x5-2).
 * Where threads exceed CPUs no difference is seen (EPYC of Zen 4). */
#define QUICK_YIELD_NANOSECONDS 3000
#define QUICK_YIELDS 4

/* RECIP_SLEEPS, RECIP_SLEEPS_HOT: a leader that has slept so often, and found the mutex taken each time, bars
 * newcomers; the second where the mutex is hot. Naps take some 70 us, so that 32 threads wait for at most 10 ms (hot: 2
 * ms). As times instead of counts, 300 and 20 us, the mutex was barred for leaders that did not run: with 50 ns inside,
 * 1,000 outside and 31 threads half of a seldom locker's waits were over 3.6 ms; with counts and give-way 0.1 us (EPYC
 * of Zen 4). */
#define SLEEPS 4
#define SLEEPS_HOT 1

/* An express waiter naps so often, each time twice as long, before it queues: 15 milliseconds in all. Not measured. */
#define EXPRESS_NAPS 4

/* RECIP_LOOK: between two looks of a waiter that is awake. 13 ns on Intel; a pause of a Zen 3 takes as long as this. */
#define LOOK_NANOSECONDS 30
/* RECIP_LONG_LOOK: the same at a hot mutex. Two threads with 25, 50 and 100 steps outside: 27, 15 and 8 M/s, with looks
 * of 13 ns 9, 5.7 and 4.1 (Intel). */
#define LONG_LOOK_NANOSECONDS 1700
/* RECIP_HOT_GAP: a mutex is hot if passes are closer than this. With 50 ns inside and 200 outside threads fit side by
 * side, and long looks are wrong (Intel). Below this one thread alone gets more done than handovers do, which cost the
 * time of two cache lines: with 200, threads under moderate contention fell from handovers into long looks and back
 * (model cloud-8). */
#define HOT_GAP_NANOSECONDS 100
/* RECIP_NEWCOMER: a newcomer looks this long. Moderate, 8 threads: 2.6 M/s with 300, 3.1 with 1,000, 3.3 with 5,000
 * (EPYC). */
#define NEWCOMER_NANOSECONDS 5000
/* RECIP_EXPRESS: an express waiter looks this long before it naps, and does not yield: where threads exceed CPUs a
 * yield costs it its place among those that are ready (Linux 6.18). With 30,000 and yields, Apache's slowest replies
 * took 9 ms instead of 7, and 20 instead of 12 beside a program that computes; glibc's 7 (EPYC of Zen 5). */
#define EXPRESS_NANOSECONDS 2000
/* RECIP_CREDIT, 0 for no credit: what an express wait costs. With 100,000 more waits are not express, with 400,000 most
 * (Intel). RECIP_CREDIT_MAX: the most that a thread can have. */
#define CREDIT_PRICE_NANOSECONDS 50000
#define CREDIT_MAX_NANOSECONDS 200000
/* RECIP_LEADER: the leader looks this long before it sleeps or naps. Moderate, 8 threads: 3.1 M/s with 1,000, 3.3 with
 * 5,000 (EPYC). */
#define LEADER_NANOSECONDS 5000
/* RECIP_FOLLOWER: a follower looks this long before it sleeps; what it waits for takes longer. From 0 to 5,000 the same
 * within noise (EPYC, Intel). */
#define FOLLOWER_NANOSECONDS 0
/* RECIP_OWN_CPU: after so many quick yields in a row a thread has a CPU of its own (own-cpu.c). With 1, 3 hogs and a
 * seldom locker on two CPUs took turns in handing the mutex to threads that did not run: sections of 1,000 ns, 100
 * outside, p90 of the seldom locker 7,602 us instead of 22 (EPYC of Zen 5). Other numbers are not measured. */
#define OWN_CPU 16
/* One in so many handovers is left out, to find out whether the mutex is hot. That takes a long look. */
#define HANDOVERS 1024
/* RECIP_AWAKE: a waiter that has a CPU of its own stays awake this long. 36 threads with sections of 20,000 ns wait for
 * 0.7 ms each, and twice that in the reciprocating order; with 1 ms they get 0.82 of the best lock done (model x5-2).
 */
#define AWAKE_NANOSECONDS 2000000
/* RECIP_BETWEEN_YIELDS: so often such a waiter yields. Moderate, 18 threads: 2.86 M/s with 5,000, 2.97 with 100,000,
 * and the same as that with 20,000 (model x5-2). */
#define BETWEEN_YIELDS_NANOSECONDS 20000
/* RECIP_NEWCOMER_ALONE: a newcomer that has a CPU of its own looks this long before it queues. From 0 to 5,000 the same
 * within noise (model cloud-8). */
#define NEWCOMER_ALONE_NANOSECONDS 1000
/* RECIP_SIGNALLED: a waiter of a condition variable or semaphore. A queue with 2 producers and 2 consumers: 130 ns an
 * item, with 0 485 to 705 (Intel). */
#define SIGNALLED_NANOSECONDS 5000
/* RECIP_NAP, 0 for none: of a leader; the kernel makes 60 to 80 microseconds of it. Sections of 1,000 ns, 100 outside,
 * 3 threads: 0.98 M/s, without naps 0.60 (Intel). */
#define NAP_NANOSECONDS 10000
/* RECIP_EXPRESS_NAP: the first nap of an express waiter. Only a release that has missed its mark lets it end by itself.
 * Apache with 64 clients: 0.94 of glibc's throughput with 100,000, 0.98 with this (EPYC of Zen 5). */
#define EXPRESS_NAP_NANOSECONDS 1000000
/* RECIP_LEADER_NAP: of a leader that asks to be woken by release. Long enough for most sections; a leader whose nap is
 * over calls the barrier, 14 microseconds where the other core runs (Intel), and up to some milliseconds where a
 * virtual core does not (EPYC). */
#define LEADER_NAP_NANOSECONDS 100000
/* RECIP_YIELDING: a newcomer's yields take so long at most. Beside a thread that computes each may take the kernel's
 * slice of some milliseconds. 20 ns inside, 8 threads beside 2 that compute: p90 of a seldom locker 211 ms without an
 * end, 15 with 1,000,000; glibc 42 to 84 (EPYC of Zen 4). 20,000 ns inside and outside, 31 threads: 0.025 M/s with
 * 1,000,000 and at most 64 yields, 0.037 with this; glibc 0.024. Beside threads that compute no difference (EPYC of Zen
 * 5). */
#define YIELDING_NANOSECONDS 5000000
/* RECIP_GIVE_WAY: a thread that competes lets others run so often at least. 50 ns inside and outside, 3 threads and a
 * seldom locker: p99 of its wait 62 us, without 5,650 (EPYC of Zen 4, 2 CPUs; the kernel's tick is 4 ms). With 30,000
 * the same. */
#define GIVE_WAY_NANOSECONDS 100000

/* In ticks of port_ticks, but for the naps. */
struct recip_tuning {
    int64_t look, long_look, hot_gap;
    int64_t newcomer, express, leader, follower, signalled, awake, between_yields,
        newcomer_alone; /* how long each is awake */
    int64_t credit_price, credit_max;
    int64_t give_way, quick_yield, yielding;
    int64_t nap, express_nap, leader_nap; /* nanoseconds */
    unsigned yields, quick_yields, own_cpu, handovers, express_naps, sleeps, sleeps_hot;
};

#if defined(RECIP_PORT_NATIVE_H) || defined(PORT_HAS_TUNING)
extern struct recip_tuning recip_tuning;
#else
/* Another world waits by itself: no spinning, no naps. */
static const struct recip_tuning recip_tuning;
#endif

/* Sets it, to what ships unless the environment says otherwise (tuning.c). */
void recip_tune(void);

#endif
