/* SPDX-License-Identifier: MIT */
#include "bench/measure/mutexbench-thread.h"

#include <sched.h>
#include <sys/resource.h>

#include "cli/clock.h"

static inline uint64_t admissions_of(struct arena *arena)
{
    /* relaxed: under the lock only the owner writes it, and elsewhere a recent value will do. */
    return atomic_load_explicit(&arena->admissions, memory_order_relaxed);
}

/* At random: at equal distances, a lock that admits in a rhythm would always be sampled at the same beat. Two turns at
 * least, because timing starts in the turn before. */
static void choose_sample(struct participant *self)
{
    self->random ^= self->random << 13;
    self->random ^= self->random >> 17;
    self->random ^= self->random << 5;
    self->until_sample = 2 + self->random % (2 * SAMPLE_EVERY - 3);
}

static void start_sample(struct participant *self)
{
    self->wait_number = admissions_of(self->arena);
    self->wait_start = ticks_now();
}

static void end_sample(struct participant *self)
{
    histogram_add(&self->acquire, ticks_now() - self->wait_start);
    uint64_t passed = admissions_of(self->arena) - self->wait_number;
    if (passed > self->most_passed)
        self->most_passed = passed;
    choose_sample(self);
}

static void pass_time(unsigned nanoseconds)
{
    uint64_t start = nanoseconds_now();
    while (nanoseconds_now() - start < nanoseconds)
        ;
}

static uint32_t work_inside(struct arena *arena, enum section section, unsigned inside)
{
    uint32_t consumed = 0;
    switch (section) {
    case SECTION_NOTHING:
    case SECTION_PAIR:
        return 0;
    case SECTION_STEPS:
        while (inside-- > 0)
            consumed += mt19937_next(&arena->shared);
        break;
    case SECTION_LINES:
        arena->second++;
        break;
    case SECTION_TIME:
        pass_time(inside);
        break;
    }
    /* relaxed: the lock orders it. */
    atomic_store_explicit(&arena->admissions, admissions_of(arena) + 1, memory_order_relaxed);
    return consumed;
}

static uint32_t work_outside(struct participant *self, unsigned outside)
{
    uint32_t consumed = 0, steps = mt19937_next(&self->own) % outside;
    self->steps += steps + 1;
    while (steps-- > 0)
        consumed += mt19937_next(&self->own);
    return consumed;
}

/* Outside the critical section: counts the admission that was noted in it. */
static void file_admission(struct participant *self)
{
    const struct arena *arena = self->arena;
    uint64_t slice = (self->ticks - arena->start_ticks) / arena->slice_ticks;
    uint64_t gap = self->number - self->last_number - 1;
    if (slice < arena->bench->slices)
        self->slices[slice]++;
    if (gap > self->longest_gap)
        self->longest_gap = gap;
    self->last_number = self->number;
}

/* So many that reading the phase costs nothing, and so few that they take some microseconds only. */
enum { PAIRS_AT_ONCE = 1000 };

/* The loop of SECTION_PAIR. */
static uint64_t make_pairs(struct arena *arena, int phase)
{
    pairs_function *const pairs = arena->bench->pairs;
    uint64_t made = 0;
    for (; atomic_load_explicit(&arena->phase, memory_order_relaxed) == phase; made += PAIRS_AT_ONCE)
        pairs(PAIRS_AT_ONCE);
    return made;
}

/* The loop that is measured, while the phase lasts. Returns the number of turns. */
static uint64_t turn(struct participant *self, int phase)
{
    struct arena *arena = self->arena;
    const struct mutexbench bench = *arena->bench;
    void (*const lock)(void *) = bench.lock->mutex_lock;
    void (*const unlock)(void *) = bench.lock->mutex_unlock;
    uint64_t turns = 0;
    if (bench.section == SECTION_PAIR)
        return make_pairs(arena, phase);
    self->last_number = admissions_of(arena);
    /* relaxed: the threads end a little later or earlier, and nothing else depends on it. */
    for (; atomic_load_explicit(&arena->phase, memory_order_relaxed) == phase; turns++) {
        lock(arena->mutex);
        if (--self->until_sample == 0)
            end_sample(self);
        self->consumed += work_inside(arena, bench.section, bench.inside);
        if (bench.slices) {
            self->ticks = ticks_now();
            self->number = admissions_of(arena);
        }
        /* Where nothing is outside, the clock is read inside: otherwise a thread would take longer from release to
         * acquire just when it is timed, and lose the lock. */
        if (self->until_sample == 1 && !bench.outside)
            start_sample(self);
        unlock(arena->mutex);
        if (bench.slices && phase == RUN)
            file_admission(self);
        if (bench.outside) {
            self->consumed += work_outside(self, bench.outside);
            if (self->until_sample == 1)
                start_sample(self);
        }
    }
    return turns;
}

void mutexbench_prepare(struct participant *self, struct arena *arena, unsigned index)
{
    self->arena = arena;
    self->index = index;
    mt19937_seed(&self->own, index + 1);
    self->random = index + 1;
    choose_sample(self);
}

void *mutexbench_participate(void *of)
{
    struct participant *self = of;
    struct arena *arena = self->arena;
    struct rusage before, after;
    while (atomic_load(&arena->phase) == GATHER)
        sched_yield();
    self->turns = turn(self, WARM_UP);
    self->acquire = (struct histogram){.count = 0};
    self->most_passed = 0;
    choose_sample(self);
    getrusage(RUSAGE_THREAD, &before);
    double cpu_seconds = thread_cpu_seconds_now();
    if (arena->bench->count_calls)
        system_calls_begin(&self->calls);
    uint64_t turns = turn(self, RUN);
    if (arena->bench->count_calls)
        system_calls_end();
    self->cpu_seconds = thread_cpu_seconds_now() - cpu_seconds;
    getrusage(RUSAGE_THREAD, &after);
    /* The last turn ended after the phase. */
    self->operations = turns > 0 ? turns - 1 : 0;
    self->turns += turns;
    self->switches = (uint64_t)(after.ru_nvcsw - before.ru_nvcsw + after.ru_nivcsw - before.ru_nivcsw);
    return NULL;
}
