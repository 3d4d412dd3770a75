/* SPDX-License-Identifier: MIT */
/* A thread of mutexbench: the loop that is measured, and what it notes there. */
#ifndef RECIP_BENCH_MEASURE_MUTEXBENCH_THREAD_H
#define RECIP_BENCH_MEASURE_MUTEXBENCH_THREAD_H

#include <pthread.h>
#include <stdatomic.h>

#include "bench/measure/histogram.h"
#include "cli/mt19937.h"
#include "bench/measure/mutexbench.h"
#include "port/thread.h"

enum phase { GATHER, WARM_UP, RUN, STOP };

/* What is written in the measured loop has cache lines of its own. */
struct arena {
    alignas(RECIP_LINE) char mutex[RECIP_LOCK_SIZE_MAX];
    alignas(RECIP_LINE) struct mt19937 shared;
    alignas(RECIP_LINE) _Atomic(uint64_t) admissions; /* written by the owner: loads and stores, no read-modify-write */
    alignas(RECIP_LINE) uint64_t second;              /* the other line of SECTION_LINES */
    alignas(RECIP_LINE) _Atomic(int) phase;
    const struct mutexbench *bench;
    uint64_t start_ticks, stop_ticks, slice_ticks;
};

struct participant {
    alignas(RECIP_LINE) struct mt19937 own;
    struct histogram acquire;
    struct arena *arena;
    pthread_t thread;
    unsigned index;
    uint64_t operations, turns, most_passed;
    uint64_t steps;                   /* of the private generator */
    uint32_t until_sample, random;    /* turns until one is timed; state of the generator that draws it */
    uint64_t wait_start, wait_number; /* of the turn that is timed: when it began, and how many admissions there were */
    uint32_t *slices;                 /* admissions in each */
    uint64_t ticks, number;           /* the last admission: when, and its number among all */
    uint64_t last_number, longest_gap; /* the number of the admission before; the longest gap so far */
    double cpu_seconds;
    uint64_t switches;
    struct system_calls calls;
    uint32_t consumed; /* what the generators gave, so that the compiler can leave out no step */
};

/* Before the thread is started; its slices are the caller's. */
void mutexbench_prepare(struct participant *self, struct arena *arena, unsigned index);

/* The body of the thread; its argument is the participant. */
void *mutexbench_participate(void *of);

#endif
