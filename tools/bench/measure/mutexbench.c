/* SPDX-License-Identifier: MIT */
#include "bench/measure/mutexbench.h"

#include <stdlib.h>
#include <string.h>

#include "bench/measure/mutexbench-thread.h"
#include "bench/measure/threads.h"
#include "cli/clock.h"

/* Of the generator in the critical section. */
enum { SHARED_SEED = 5489 };

static void pass(void *lock)
{
    (void)lock;
}

static bool pass_try(void *lock)
{
    (void)lock;
    return true;
}

const struct recip_algorithm mutexbench_no_lock = {
    .id = "none",
    .summary = "no lock at all",
    .init = pass,
    .destroy = pass,
    .mutex_lock = pass,
    .mutex_trylock = pass_try,
    .mutex_unlock = pass,
};

static void summarise_waits(const struct arena *arena, const struct histogram *acquire,
                            struct mutexbench_result *result)
{
    static const double shares[] = {0.5, 0.99, 0.999};
    double nanoseconds = result->seconds * 1e9 / (double)(arena->stop_ticks - arena->start_ticks);
    for (int i = 0; i < 3; i++)
        result->nanoseconds[i] = (double)histogram_quantile(acquire, shares[i]) * nanoseconds;
    result->nanoseconds[3] = (double)acquire->max * nanoseconds;
}

/* A step that was left out, or that two threads made at once, shows in the counter or in the states of the generators.
 */
static void verify(struct arena *arena, const struct participant *participants, uint64_t turns,
                   struct mutexbench_result *result)
{
    const struct mutexbench *bench = arena->bench;
    uint64_t steps = bench->section == SECTION_STEPS ? turns * bench->inside : 0;
    result->excluded =
        bench->section == SECTION_NOTHING || bench->section == SECTION_PAIR ||
        (atomic_load(&arena->admissions) == turns && mt19937_is_after(&arena->shared, SHARED_SEED, steps) &&
         arena->second == (bench->section == SECTION_LINES ? turns : 0));
    result->worked = mt19937_is_after(&participants[0].own, 1, participants[0].steps);
}

static void add_slices(const struct participant *participant, const struct mutexbench *bench,
                       struct mutexbench_result *result)
{
    for (unsigned slice = 0; slice < bench->slices; slice++)
        result->slices[(size_t)slice * bench->threads + participant->index] = participant->slices[slice];
    if (participant->longest_gap > result->longest_gap)
        result->longest_gap = participant->longest_gap;
}

static void add_up(const struct participant *participants, struct arena *arena, struct mutexbench_result *result)
{
    volatile uint32_t consumed = 0;
    struct histogram acquire = {.count = 0};
    uint64_t turns = 0;
    for (unsigned i = 0; i < arena->bench->threads; i++) {
        const struct participant *participant = &participants[i];
        consumed = consumed + participant->consumed;
        result->per_thread[i] = participant->operations;
        result->operations += participant->operations;
        turns += participant->turns;
        result->cpu_seconds += participant->cpu_seconds;
        result->switches += participant->switches;
        result->calls.all += participant->calls.all;
        result->calls.futex += participant->calls.futex;
        if (participant->most_passed > result->most_passed)
            result->most_passed = participant->most_passed;
        add_slices(participant, arena->bench, result);
        histogram_merge(&acquire, &participant->acquire);
    }
    verify(arena, participants, turns, result);
    summarise_waits(arena, &acquire, result);
}

/* Starts the threads, or as many as the system allows. Returns how many. */
static unsigned start_threads(struct arena *arena, struct participant *participants)
{
    const struct mutexbench *bench = arena->bench;
    for (unsigned i = 0; i < bench->threads; i++) {
        struct participant *participant = &participants[i];
        mutexbench_prepare(participant, arena, i);
        participant->slices = calloc(bench->slices + 1, sizeof *participant->slices);
        if (!participant->slices)
            return i;
        if (!threads_start(&participant->thread, bench->pinned ? (int)i : ANY_CPU, mutexbench_participate, participant))
            return i;
    }
    return bench->threads;
}

/* Warm-up and measurement. */
static void pass_phases(struct arena *arena, struct mutexbench_result *result)
{
    const struct mutexbench *bench = arena->bench;
    atomic_store(&arena->phase, WARM_UP);
    result->cut_short = !sleep_for(bench->warm_up);
    double start = seconds_now();
    arena->start_ticks = ticks_now();
    atomic_store(&arena->phase, RUN);
    result->cut_short = result->cut_short || !sleep_for(bench->seconds);
    atomic_store(&arena->phase, STOP);
    arena->stop_ticks = ticks_now();
    result->seconds = seconds_now() - start;
}

static bool run_in(struct arena *arena, struct participant *participants, struct mutexbench_result *result)
{
    const struct mutexbench *bench = arena->bench;
    mt19937_seed(&arena->shared, SHARED_SEED);
    if (bench->slices)
        arena->slice_ticks = (uint64_t)(bench->seconds * ticks_per_second() / bench->slices) + 1;
    bench->lock->init(arena->mutex);
    unsigned started = start_threads(arena, participants);
    bool all = started == bench->threads;
    if (all)
        pass_phases(arena, result);
    atomic_store(&arena->phase, STOP);
    while (started > 0)
        pthread_join(participants[--started].thread, NULL);
    bench->lock->destroy(arena->mutex);
    if (all)
        add_up(participants, arena, result);
    for (unsigned i = 0; i < bench->threads; i++)
        free(participants[i].slices);
    return all;
}

bool mutexbench_run(const struct mutexbench *bench, struct mutexbench_result *result)
{
    struct arena *arena = aligned_alloc(RECIP_LINE, sizeof *arena);
    struct participant *participants = aligned_alloc(RECIP_LINE, bench->threads * sizeof *participants);
    bool done = false;
    *result = (struct mutexbench_result){
        .per_thread = calloc(bench->threads, sizeof *result->per_thread),
        .slices = calloc((size_t)bench->threads * bench->slices + 1, sizeof *result->slices),
    };
    if (arena && participants && result->per_thread && result->slices) {
        memset(arena, 0, sizeof *arena);
        memset(participants, 0, bench->threads * sizeof *participants);
        arena->bench = bench;
        done = run_in(arena, participants, result);
    }
    free(participants);
    free(arena);
    if (!done)
        mutexbench_free(result);
    return done;
}

void mutexbench_free(struct mutexbench_result *result)
{
    free(result->per_thread);
    free(result->slices);
    result->per_thread = NULL;
    result->slices = NULL;
}
