/* SPDX-License-Identifier: MIT */
#include "bench/measure/arrivals.h"

#include <errno.h>
#include <math.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <time.h>

#include "bench/measure/threads.h"
#include "bench/measure/work.h"
#include "cli/clock.h"

static uint64_t system_now(void *of)
{
    (void)of;
    return nanoseconds_now();
}

enum { LEAST_SLACK = 1, USUAL_SLACK = 0 };

static void system_sleep_until(void *of, uint64_t when)
{
    struct timespec time = {.tv_sec = (time_t)(when / 1000000000), .tv_nsec = (long)(when % 1000000000)};
    (void)of;
    prctl(PR_SET_TIMERSLACK, LEAST_SLACK, 0, 0, 0);
    while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &time, NULL) == EINTR)
        continue;
    prctl(PR_SET_TIMERSLACK, USUAL_SLACK, 0, 0, 0);
}

const struct arrival_clock arrival_system_clock = {.now = system_now, .sleep_until = system_sleep_until};

void arrivals_start(struct arrivals *arrivals, const struct arrival_clock *clock, double period, uint64_t start,
                    unsigned seed)
{
    *arrivals = (struct arrivals){clock, period, start, seed + UINT64_C(0x9e3779b97f4a7c15)};
}

/* From 0 to below 1. */
static double draw(uint64_t *random)
{
    *random ^= *random << 13;
    *random ^= *random >> 7;
    *random ^= *random << 17;
    return (double)(*random * UINT64_C(2685821657736338717) >> 11) * 0x1p-53;
}

uint64_t arrivals_next(struct arrivals *arrivals)
{
    arrivals->due += (uint64_t)(-log1p(-draw(&arrivals->random)) * arrivals->period);
    return arrivals->due;
}

uint64_t arrivals_come(const struct arrivals *arrivals)
{
    const struct arrival_clock *clock = arrivals->clock;
    if (clock->now(clock->of) >= arrivals->due)
        return arrivals->due;
    clock->sleep_until(clock->of, arrivals->due);
    return clock->now(clock->of);
}

/* ---- Without a lock ---- */

enum { VISITS = 300, VISITS_PERIOD = 1000000 };

static void *compute_until(void *done)
{
    uint64_t state = 1;
    while (!atomic_load_explicit((atomic_bool *)done, memory_order_relaxed))
        state = work_for(state, 100);
    return NULL;
}

static void visit_nobody(struct histogram *late, const struct arrival_clock *clock)
{
    struct arrivals arrivals;
    arrivals_start(&arrivals, clock, VISITS_PERIOD, clock->now(clock->of), 1);
    for (int i = 0; i < VISITS; i++) {
        uint64_t due = arrivals_next(&arrivals);
        histogram_add(late, arrivals_come(&arrivals) - due);
    }
}

bool arrivals_lateness(struct histogram *late, const struct arrival_clock *clock, unsigned computing)
{
    atomic_bool done = false;
    pthread_t *threads = calloc(computing + 1, sizeof *threads);
    unsigned started = 0;
    *late = (struct histogram){.count = 0};
    while (threads && started < computing && threads_start(&threads[started], ANY_CPU, compute_until, &done))
        started++;
    bool good = threads && started == computing;
    if (good)
        visit_nobody(late, clock);
    atomic_store(&done, true);
    for (unsigned i = 0; i < started; i++)
        pthread_join(threads[i], NULL);
    free(threads);
    return good;
}
