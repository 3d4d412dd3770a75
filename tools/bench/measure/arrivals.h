/* SPDX-License-Identifier: MIT */
/* Arrivals by the clock, a Poisson process: they do not wait for earlier arrivals to be served. */
#ifndef RECIP_BENCH_MEASURE_ARRIVALS_H
#define RECIP_BENCH_MEASURE_ARRIVALS_H

#include <stdbool.h>
#include <stdint.h>

#include "bench/measure/histogram.h"

/* Time in nanoseconds, and how to wait for it: the system's, or a test's own. */
struct arrival_clock {
    uint64_t (*now)(void *of);
    void (*sleep_until)(void *of, uint64_t when);
    void *of;
};

/* CLOCK_MONOTONIC. A sleep ends as early as the system can: without timer slack, which is the usual again after it, so
 * that the naps of a lock are those of an ordinary thread. */
extern const struct arrival_clock arrival_system_clock;

struct arrivals {
    const struct arrival_clock *clock;
    double period; /* nanoseconds between two, on average */
    uint64_t due;  /* when the last one that was drawn is due; at first, when the process starts */
    uint64_t random;
};

void arrivals_start(struct arrivals *arrivals, const struct arrival_clock *clock, double period, uint64_t start,
                    unsigned seed);

/* Draws when the next is due, and returns that. */
uint64_t arrivals_next(struct arrivals *arrivals);

/* Waits until that arrival is due. Returns the moment from which it waits for the lock: now, when the thread runs
 * again; or when it was due, if that has passed, because the thread was still busy with an arrival before. */
uint64_t arrivals_come(const struct arrivals *arrivals);

/* How late a thread runs after its timer, without any lock: nanoseconds of a few hundred arrivals a millisecond apart,
 * on average, beside so many threads that compute. False if those cannot be had. */
bool arrivals_lateness(struct histogram *late, const struct arrival_clock *clock, unsigned computing);

#endif
