/* SPDX-License-Identifier: MIT */
#include "bench/measure/latency.h"

#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "cli/clock.h"
#include "cli/statistics.h"
#include "bench/measure/threads.h"
#include "port/thread.h"

enum { MAX_SAMPLES = 1 << 16 };

/* How long the owner waits until the other thread has surely begun to wait, but has not gone to sleep yet. */
#define SETTLE_SECONDS 2e-6

/* In handovers the threads take turns: a thread that has released does not lock again before the other has acquired. */
struct arena {
    alignas(RECIP_LINE) char mutex[RECIP_LOCK_SIZE_MAX];
    alignas(RECIP_LINE) uint64_t released;                    /* when; under the lock */
    alignas(RECIP_LINE) _Atomic(bool) waiting[2][RECIP_LINE]; /* of each thread: it is in its call of lock */
    alignas(RECIP_LINE) _Atomic(bool) held, running, stop;
    const struct latency *latency;
    uint64_t settle_ticks, operations;
    double *samples; /* ticks; written by the owner of the lock */
    size_t count;
};

struct party {
    struct arena *arena;
    unsigned index;
    pthread_t thread;
};

static bool stopped(struct arena *arena)
{
    /* relaxed: a turn more or less does not matter. */
    return atomic_load_explicit(&arena->stop, memory_order_relaxed);
}

static void take_sample(struct arena *arena, uint64_t ticks)
{
    if (!atomic_load_explicit(&arena->running, memory_order_relaxed))
        return;
    arena->operations++;
    if (arena->count < MAX_SAMPLES)
        arena->samples[arena->count++] = (double)ticks;
}

static void *lock_alone(void *of)
{
    struct arena *arena = ((struct party *)of)->arena;
    void (*const lock)(void *) = arena->latency->lock->mutex_lock;
    void (*const unlock)(void *) = arena->latency->lock->mutex_unlock;
    while (!stopped(arena)) {
        uint64_t start = ticks_now();
        for (int i = 0; i < LATENCY_BATCH; i++) {
            lock(arena->mutex);
            unlock(arena->mutex);
        }
        take_sample(arena, ticks_now() - start);
    }
    return NULL;
}

/* Until the other thread is in its call of lock, or out of it. False if the run is over. */
static bool wait_for(struct arena *arena, unsigned other, bool waiting)
{
    while (atomic_load_explicit(arena->waiting[other], memory_order_relaxed) != waiting)
        if (stopped(arena))
            return false;
    return true;
}

static void settle(const struct arena *arena)
{
    uint64_t start = ticks_now();
    while (ticks_now() - start < arena->settle_ticks)
        ;
}

/* Releases the lock when the other thread waits for it. False if the run is over; the lock is released in either case.
 */
static bool hand_over(struct party *self)
{
    struct arena *arena = self->arena;
    const unsigned other = 1 - self->index;
    bool going = wait_for(arena, other, true);
    settle(arena);
    arena->released = ticks_now();
    arena->latency->lock->mutex_unlock(arena->mutex);
    return going && wait_for(arena, other, false);
}

static void receive(struct party *self)
{
    struct arena *arena = self->arena;
    /* relaxed: settle waits long enough for it, and one bad sample among many does not matter. */
    atomic_store_explicit(arena->waiting[self->index], true, memory_order_relaxed);
    arena->latency->lock->mutex_lock(arena->mutex);
    uint64_t now = ticks_now();
    atomic_store_explicit(arena->waiting[self->index], false, memory_order_relaxed);
    take_sample(arena, now - arena->released);
}

/* The first thread has the lock when the second comes. */
static void *take_turns(void *of)
{
    struct party *self = of;
    struct arena *arena = self->arena;
    if (self->index == 0) {
        arena->latency->lock->mutex_lock(arena->mutex);
        atomic_store(&arena->held, true);
    } else {
        while (!atomic_load(&arena->held))
            sched_yield();
        receive(self);
    }
    while (hand_over(self))
        receive(self);
    return NULL;
}

static void measure(struct arena *arena, struct latency_result *result)
{
    result->cut_short = !sleep_for(arena->latency->warm_up);
    double start = seconds_now();
    atomic_store(&arena->running, true);
    result->cut_short = result->cut_short || !sleep_for(arena->latency->seconds);
    result->seconds = seconds_now() - start;
}

static bool run_in(struct arena *arena, struct latency_result *result)
{
    struct party parties[2] = {{arena, 0, 0}, {arena, 1, 0}};
    const struct recip_algorithm *lock = arena->latency->lock;
    const unsigned wanted = arena->latency->handover ? 2 : 1;
    unsigned started = 0;
    lock->init(arena->mutex);
    while (started < wanted && threads_start(&parties[started].thread, (int)started,
                                             arena->latency->handover ? take_turns : lock_alone, &parties[started]))
        started++;
    if (started == wanted)
        measure(arena, result);
    atomic_store(&arena->stop, true);
    for (unsigned i = 0; i < started; i++)
        pthread_join(parties[i].thread, NULL);
    lock->destroy(arena->mutex);
    return started == wanted;
}

bool latency_run(const struct latency *latency, struct latency_result *result)
{
    struct arena *arena = aligned_alloc(RECIP_LINE, sizeof *arena);
    double *samples = malloc(MAX_SAMPLES * sizeof *samples);
    bool done = false;
    *result = (struct latency_result){.nanoseconds = 0};
    if (arena && samples) {
        memset(arena, 0, sizeof *arena);
        arena->latency = latency;
        arena->samples = samples;
        arena->settle_ticks = (uint64_t)(SETTLE_SECONDS * ticks_per_second());
        done = run_in(arena, result);
    }
    if (done && arena->count) {
        unsigned pairs = latency->handover ? 1 : LATENCY_BATCH;
        result->operations = arena->operations * pairs;
        result->nanoseconds = estimate_median(samples, arena->count).median * 1e9 / ticks_per_second() / pairs;
    }
    free(samples);
    free(arena);
    return done;
}
