/* SPDX-License-Identifier: MIT */
#include "bench/measure/waiting.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <recip.h>

#include "bench/measure/threads.h"
#include "bench/measure/waiting-thread.h"
#include "bench/measure/work.h"
#include "cli/clock.h"

/* Of the work in critical sections; that of hog i starts from i. */
enum { INSIDE_SEED = 5489 };

/* All that a run needs; visitors are the others and, with a monitor, the timer behind them. */
struct run {
    struct waiting_arena *arena;
    struct hog *hogs;
    struct visitor *visitors;
    unsigned hogs_started, visitors_started, visitors_wanted;
};

static void *zeroed_lines(size_t size)
{
    void *memory = aligned_alloc(RECIP_LINE, size);
    return memory ? memset(memory, 0, size) : NULL;
}

/* So many that more come by chance once in ages. */
static uint64_t room_for_signals(const struct waiting *waiting)
{
    double expected = (waiting->warm_up + waiting->seconds) / waiting->period * waiting->others;
    return (uint64_t)(expected + 10 * sqrt(expected) + 100);
}

static bool make_run(struct run *run, const struct waiting *waiting)
{
    run->visitors_wanted = waiting->others + (waiting->monitor ? 1 : 0);
    run->arena = zeroed_lines(sizeof *run->arena);
    run->hogs = zeroed_lines(waiting->hogs * sizeof *run->hogs);
    run->visitors = zeroed_lines(run->visitors_wanted * sizeof *run->visitors);
    if (!run->arena || !run->hogs || !run->visitors)
        return false;
    run->arena->waiting = waiting;
    run->arena->clock = &arrival_system_clock;
    run->arena->work = INSIDE_SEED;
    run->arena->lock = waiting->monitor ? waiting->monitor->lock : waiting->lock->mutex_lock;
    run->arena->unlock = waiting->monitor ? waiting->monitor->unlock : waiting->lock->mutex_unlock;
    if (!waiting->monitor)
        return true;
    run->arena->signals.room = room_for_signals(waiting);
    run->arena->signals.times = malloc(run->arena->signals.room * sizeof *run->arena->signals.times);
    return run->arena->signals.times;
}

static void free_run(struct run *run)
{
    if (run->arena)
        free(run->arena->signals.times);
    free(run->arena);
    free(run->hogs);
    free(run->visitors);
}

static void init_lock(struct waiting_arena *arena)
{
    const struct waiting *waiting = arena->waiting;
    if (waiting->monitor)
        waiting->monitor->init(arena->mutex);
    else
        waiting->lock->init(arena->mutex);
    if (waiting->bound != WAITING_USUAL_BOUND)
        recip_mutex_init_bound((recip_mutex_t *)(void *)arena->mutex, (unsigned)waiting->bound);
}

static void destroy_lock(struct waiting_arena *arena)
{
    if (arena->waiting->monitor)
        arena->waiting->monitor->destroy(arena->mutex);
    else
        arena->waiting->lock->destroy(arena->mutex);
}

/* False if the system does not allow so many threads. */
static bool start_threads(struct run *run)
{
    const struct waiting *waiting = run->arena->waiting;
    for (unsigned i = 0; i < waiting->hogs; i++, run->hogs_started++) {
        struct hog *hog = &run->hogs[i];
        *hog = (struct hog){.work = i, .arena = run->arena, .random = i + 1};
        if (!threads_start(&hog->thread, ANY_CPU, waiting_hog, hog))
            return false;
    }
    for (unsigned i = 0; i < run->visitors_wanted; i++, run->visitors_started++) {
        struct visitor *visitor = &run->visitors[i];
        visitor->arena = run->arena;
        visitor->index = i + 1;
        if (!threads_start(&visitor->thread, ANY_CPU,
                           !waiting->monitor     ? waiting_seldom
                           : i < waiting->others ? waiting_consumer
                                                 : waiting_timer,
                           visitor))
            return false;
    }
    return true;
}

/* Warm-up and measurement. */
static void pass_phases(struct waiting_arena *arena, struct waiting_result *result)
{
    const struct waiting *waiting = arena->waiting;
    arena->start = nanoseconds_now() + (uint64_t)(waiting->warm_up * 1e9);
    atomic_store(&arena->stop, arena->start + (uint64_t)(waiting->seconds * 1e9));
    atomic_store(&arena->phase, WAITING_WARM_UP);
    result->cut_short = !sleep_for(waiting->warm_up);
    double start = seconds_now();
    atomic_store(&arena->phase, WAITING_RUN);
    result->cut_short = result->cut_short || !sleep_for(waiting->seconds);
    atomic_store(&arena->phase, WAITING_STOP);
    result->seconds = seconds_now() - start;
    if (result->cut_short)
        atomic_store(&arena->stop, 0);
}

/* Consumers sleep until they are let go, when nobody sends any more. */
static void join_threads(struct run *run)
{
    struct waiting_arena *arena = run->arena;
    atomic_store(&arena->phase, WAITING_STOP);
    for (unsigned i = 0; i < run->hogs_started; i++)
        pthread_join(run->hogs[i].thread, NULL);
    if (arena->waiting->monitor)
        waiting_end_signals(arena);
    for (unsigned i = 0; i < run->visitors_started; i++)
        pthread_join(run->visitors[i].thread, NULL);
}

static void merge(struct arrival_times *into, const struct arrival_times *from)
{
    histogram_merge(&into->from_due, &from->from_due);
    histogram_merge(&into->late, &from->late);
    histogram_merge(&into->waits, &from->waits);
}

static void add_up(const struct run *run, struct waiting_result *result)
{
    const struct waiting *waiting = run->arena->waiting;
    uint64_t sections = 0;
    for (unsigned i = 0; i < waiting->hogs; i++) {
        result->per_thread[i] = run->hogs[i].operations;
        result->operations += run->hogs[i].operations;
        result->cpu_seconds += run->hogs[i].cpu_seconds;
        sections += run->hogs[i].sections;
    }
    for (unsigned i = 0; i < run->visitors_wanted; i++) {
        merge(result->arrivals, &run->visitors[i].times);
        sections += run->visitors[i].sections;
    }
    result->excluded = work_is_after(run->arena->work, INSIDE_SEED, sections * waiting->inside);
    result->worked = work_is_after(run->hogs[0].work, 0, run->hogs[0].turns);
}

bool waiting_run(const struct waiting *waiting, struct waiting_result *result)
{
    struct run run = {.arena = NULL};
    bool done = false;
    *result = (struct waiting_result){
        .per_thread = calloc(waiting->hogs, sizeof *result->per_thread),
        .arrivals = calloc(1, sizeof *result->arrivals),
    };
    if (make_run(&run, waiting) && result->per_thread && result->arrivals) {
        init_lock(run.arena);
        done = start_threads(&run);
        if (done)
            pass_phases(run.arena, result);
        join_threads(&run);
        destroy_lock(run.arena);
        if (done)
            add_up(&run, result);
    }
    free_run(&run);
    if (!done)
        waiting_free(result);
    return done;
}

void waiting_free(struct waiting_result *result)
{
    free(result->per_thread);
    free(result->arrivals);
    result->per_thread = NULL;
    result->arrivals = NULL;
}
