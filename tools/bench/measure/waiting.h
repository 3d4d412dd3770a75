/* SPDX-License-Identifier: MIT */
/* Waiting by the clock. Some threads, the hogs, lock all the time. Others lock seldom: they come by the clock, whatever
 * happened to their arrivals before, and each of their waits counts. With a monitor, the others are consumers instead:
 * hogs signal them, likewise by the clock, and what counts is the time from the signal until the consumer has the
 * mutex. */
#ifndef RECIP_BENCH_MEASURE_WAITING_H
#define RECIP_BENCH_MEASURE_WAITING_H

#include <stdbool.h>
#include <stdint.h>

#include "bench/measure/histogram.h"
#include "bench/measure/monitor.h"
#include "zoo/algorithm.h"

enum { WAITING_USUAL_BOUND = -1 };

/* Signals in one run at most, on average. */
#define WAITING_MAX_SIGNALS 1e7

struct waiting {
    const struct recip_algorithm *lock; /* or */
    const struct monitor *monitor;      /* null: the others lock seldom, and nobody is signalled */
    int bound;                          /* of a recip_mutex_t */
    unsigned hogs, others;
    uint64_t inside;  /* turns of work in a critical section */
    uint64_t outside; /* and between two of a hog: a uniform draw from 0 to twice this */
    double period;    /* seconds between two arrivals of each of the others, on average */
    double seconds, warm_up;
    unsigned seed; /* of the arrivals */
};

/* Nanoseconds of each arrival that counts, in parts: it is due; the thread runs; it has the lock. Consumers have
 * `waits` only, from the signal until they have the mutex. */
struct arrival_times {
    struct histogram from_due; /* from when it was due until it had the lock */
    struct histogram late;     /* of that until it ran: the kernel's part; none if it was still busy with one before */
    struct histogram waits;    /* and from then on: the lock's part */
};

struct waiting_result {
    double seconds;                 /* as measured */
    uint64_t operations;            /* by all hogs */
    uint64_t *per_thread;           /* by each hog; freed by waiting_free */
    double cpu_seconds;             /* of the hogs */
    struct arrival_times *arrivals; /* freed likewise */
    bool cut_short;                 /* by a signal: not to be used */
    bool excluded;                  /* all work in critical sections was done, by one thread at a time */
    bool worked;                    /* so was the work outside, of the first hog */
};

/* False if the threads or the memory cannot be had; nothing has run then. */
bool waiting_run(const struct waiting *waiting, struct waiting_result *result);
void waiting_free(struct waiting_result *result);

#endif
