/* MutexBench, the paper's micro-benchmark: threads that acquire one central lock, advance a shared mt19937 by some
 * steps, release, and advance a private mt19937, or do nothing, outside. */
#ifndef RECIP_BENCH_MUTEXBENCH_H
#define RECIP_BENCH_MUTEXBENCH_H

#include <stdbool.h>
#include <stdint.h>

#include "bench/histogram.h"
#include "locks/algorithm.h"

/* The paper's moderate contention: up to so many steps outside. */
enum { MODERATE_STEPS = 250 };

struct mutexbench {
    const struct recip_algorithm *lock;
    unsigned threads;
    unsigned inside;  /* steps of the shared generator in the critical section */
    unsigned outside; /* steps of the private one outside: a uniform draw from [0, outside); 0 is no work at all */
    double seconds, warm_up;
    bool pinned; /* each thread to a CPU, in turn */
};

struct mutexbench_result {
    double seconds;       /* as measured */
    uint64_t operations;  /* by all threads */
    uint64_t *per_thread; /* freed by mutexbench_free */
    bool excluded;        /* a counter in the critical section, advanced without atomics, agrees with the operations */
    double cpu_seconds;   /* of all threads */
    uint64_t switches;    /* context switches, voluntary or not */
    uint64_t
        most_passed; /* in one acquisition of those sampled, how many others were admitted between call and return */
    double nanoseconds[4]; /* to acquire: p50, p99, p99.9 and the most, of the acquisitions sampled */
};

/* One acquisition in so many is timed; a power of two. */
enum { SAMPLE_EVERY = 32 };

/* A lock that excludes nobody: what the loop itself costs, and proof that the check of exclusion can fail. */
extern const struct recip_algorithm mutexbench_no_lock;

/* False if the threads could not be had; nothing has run then. */
bool mutexbench_run(const struct mutexbench *bench, struct mutexbench_result *result);
void mutexbench_free(struct mutexbench_result *result);

#endif
