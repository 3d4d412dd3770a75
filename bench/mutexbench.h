/* MutexBench, the paper's micro-benchmark: threads that acquire one central lock, advance a shared generator by a step,
 * release, and do something or nothing outside. */
#ifndef RECIP_BENCH_MUTEXBENCH_H
#define RECIP_BENCH_MUTEXBENCH_H

#include <stdbool.h>
#include <stdint.h>

#include "locks/algorithm.h"

enum { MODERATE_STEPS = 250 };

struct mutexbench {
    const struct recip_algorithm *lock;
    unsigned threads;
    unsigned outside; /* steps of a private generator outside: a uniform draw from [0, outside); 0 is no work at all */
    double seconds;
};

struct mutexbench_result {
    double seconds;       /* as measured */
    uint64_t operations;  /* by all threads */
    uint64_t least, most; /* by one thread */
    bool excluded;        /* a plain counter in the critical section agrees with the operations */
};

/* False if the threads could not be had; nothing has run then. */
bool mutexbench_run(const struct mutexbench *bench, struct mutexbench_result *result);

#endif
