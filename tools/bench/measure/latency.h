/* SPDX-License-Identifier: MIT */
/* What one acquisition takes: by a thread that is alone, and when the lock passes from one thread to another. */
#ifndef RECIP_BENCH_LATENCY_H
#define RECIP_BENCH_LATENCY_H

#include <stdbool.h>
#include <stdint.h>

#include "zoo/algorithm.h"

struct latency {
    const struct recip_algorithm *lock;
    bool handover; /* one way, between threads on two CPUs; otherwise acquire and release by one thread on one CPU */
    double seconds, warm_up;
};

struct latency_result {
    double nanoseconds; /* the median: of batches of LATENCY_BATCH pairs, or of handovers */
    double seconds;     /* as measured */
    uint64_t operations;
    bool cut_short; /* by a signal: not to be used */
};

enum { LATENCY_BATCH = 1000 };

/* False if the threads or the memory cannot be had. */
bool latency_run(const struct latency *latency, struct latency_result *result);

#endif
