/* SPDX-License-Identifier: MIT */
/* The threads of waiting.h. */
#ifndef RECIP_BENCH_MEASURE_WAITING_THREAD_H
#define RECIP_BENCH_MEASURE_WAITING_THREAD_H

#include <pthread.h>
#include <stdatomic.h>

#include "bench/measure/arrivals.h"
#include "bench/measure/waiting.h"
#include "port/thread.h"

enum waiting_phase { WAITING_GATHER, WAITING_WARM_UP, WAITING_RUN, WAITING_STOP };

/* What hogs signal to consumers. The times of signals are never overwritten: consumers may be far behind. */
struct signals {
    uint64_t sent, taken; /* under the mutex */
    uint64_t *times;      /* of those that were sent; room for so many: */
    uint64_t room;
    bool over; /* there will be no more; under the mutex */
};

/* What is written in the measured loop has cache lines of its own. */
struct waiting_arena {
    alignas(RECIP_LINE) char mutex[RECIP_LOCK_SIZE_MAX];
    alignas(RECIP_LINE) uint64_t work; /* of the critical sections */
    struct signals signals;
    alignas(RECIP_LINE) _Atomic(uint64_t) due; /* signals that hogs should have sent by now; the timer adds to it */
    alignas(RECIP_LINE) _Atomic(int) phase;
    const struct waiting *waiting;
    const struct arrival_clock *clock;
    void (*lock)(void *);
    void (*unlock)(void *);
    /* Arrivals from `start` to before `stop` count. A run that is cut short sets `stop` to 0. */
    uint64_t start;
    _Atomic(uint64_t) stop;
};

struct hog {
    alignas(RECIP_LINE) uint64_t work;
    struct waiting_arena *arena;
    pthread_t thread;
    uint64_t random;
    uint64_t sections, operations; /* all; those that count */
    uint64_t turns;                /* of its own work */
    double cpu_seconds;
};

/* One that locks seldom, or a consumer, or the timer. */
struct visitor {
    alignas(RECIP_LINE) struct waiting_arena *arena;
    pthread_t thread;
    unsigned index;
    uint64_t sections;
    struct arrival_times times;
};

/* The bodies of the threads; the argument is the hog or the visitor. They begin when the phase is no longer GATHER. */
void *waiting_hog(void *of);
void *waiting_seldom(void *of);
void *waiting_consumer(void *of);
void *waiting_timer(void *of);

/* What waiting_seldom does once it has begun. */
void waiting_come_by_clock(struct visitor *self);

/* Lets all consumers go; they take what has been sent first. */
void waiting_end_signals(struct waiting_arena *arena);

#endif
