/* SPDX-License-Identifier: MIT */
/* MutexBench, the paper's micro-benchmark: threads that acquire one central lock, advance a shared mt19937 by some
 * steps, release, and advance a private mt19937, or do nothing, outside. With other critical sections, too. */
#ifndef RECIP_BENCH_MUTEXBENCH_H
#define RECIP_BENCH_MUTEXBENCH_H

#include <stdbool.h>
#include <stdint.h>

#include "bench/measure/system-calls.h"
#include "zoo/algorithm.h"

/* The paper's moderate contention: up to so many steps outside. */
enum { MODERATE_STEPS = 250 };

enum section {
    SECTION_STEPS,   /* `inside` steps of the shared generator, and a counter */
    SECTION_NOTHING, /* nothing at all: exclusion is not checked */
    SECTION_LINES,   /* two counters on two lines */
    SECTION_TIME,    /* `inside` nanoseconds, and a counter */
    SECTION_PAIR,    /* none: lock and unlock as a program has them, inline, by one thread, with nothing around them */
};

/* Makes so many pairs of lock and unlock. */
typedef void pairs_function(unsigned count);

struct mutexbench {
    const struct recip_algorithm *lock;
    unsigned threads;
    enum section section;
    pairs_function *pairs; /* of SECTION_PAIR: what is called instead of the lock */
    unsigned inside;       /* how long it is */
    unsigned outside;      /* steps of the private generator: a uniform draw from [0, outside); 0 is no work at all */
    double seconds, warm_up;
    unsigned slices;  /* slices of time whose admissions are counted separately; 0: none */
    bool pinned;      /* each thread to a CPU, in turn */
    bool count_calls; /* the system calls; slows them down */
};

struct mutexbench_result {
    double seconds;        /* as measured */
    uint64_t operations;   /* by all threads */
    uint64_t *per_thread;  /* freed by mutexbench_free, as are the slices */
    uint32_t *slices;      /* admissions: of each thread in the first slice, then in the second, ... */
    uint64_t longest_gap;  /* with slices: most admissions of others between two of one thread */
    bool cut_short;        /* by a signal: not to be used */
    bool excluded;         /* counter and shared generator have advanced as often as the threads made turns */
    bool worked;           /* so has the private generator of the first thread */
    double cpu_seconds;    /* of all threads */
    uint64_t switches;     /* context switches, voluntary or not */
    uint64_t most_passed;  /* of the sampled acquisitions: most admissions of others between call and return */
    double nanoseconds[4]; /* to acquire, of the sampled acquisitions: p50, p99, p99.9, maximum */
    struct system_calls calls;
};

/* One acquisition in so many is timed, on average. */
enum { SAMPLE_EVERY = 32 };

/* A lock that excludes nobody: to measure what the loop itself costs, and to show that the check of exclusion can fail.
 */
extern const struct recip_algorithm mutexbench_no_lock;

/* False if the threads could not be had; nothing has run then. */
bool mutexbench_run(const struct mutexbench *bench, struct mutexbench_result *result);
void mutexbench_free(struct mutexbench_result *result);

#endif
