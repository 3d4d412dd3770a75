#include "bench/mutexbench.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include "cli/clock.h"
#include "bench/histogram.h"
#include "bench/mt19937.h"
#include "bench/threads.h"
#include "port/thread.h"

enum phase { GATHER, WARM_UP, RUN, STOP };

enum { SHARED_SEED = 5489 };

/* Everything that is written in the measured loop has lines of its own. */
struct arena {
    alignas(RECIP_LINE) char mutex[RECIP_LOCK_SIZE_MAX];
    alignas(RECIP_LINE) struct mt19937 shared;
    alignas(RECIP_LINE) _Atomic(uint64_t) admissions; /* written by the owner: loads and stores, no read-modify-write */
    alignas(RECIP_LINE) uint64_t second;              /* the other line of SECTION_LINES */
    alignas(RECIP_LINE) _Atomic(int) phase;
    const struct mutexbench *bench;
    uint64_t start_ticks, stop_ticks, slice_ticks;
};

struct participant {
    alignas(RECIP_LINE) struct mt19937 own;
    struct histogram acquire;
    struct arena *arena;
    pthread_t thread;
    unsigned index;
    uint64_t operations, turns, most_passed;
    uint64_t steps;                    /* of the private generator */
    uint32_t until_sample, random;     /* turns until one is timed, and what that is drawn from */
    uint64_t wait_start, wait_number;  /* of the one that is timed: when, and which admission was the last */
    uint32_t *slices;                  /* admissions in each, if that is asked for */
    uint64_t ticks, number;            /* the admission that was the last: when, and which of all */
    uint64_t last_number, longest_gap; /* the one before it */
    double cpu_seconds;
    uint64_t switches;
    struct calls calls;
    uint32_t consumed; /* what the generators gave, so that no step can be left out by the compiler */
};

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

static uint64_t admissions_of(struct arena *arena)
{
    /* relaxed: under the lock it is the owner's own, and elsewhere a recent value will do. */
    return atomic_load_explicit(&arena->admissions, memory_order_relaxed);
}

/* At random: at equal distances, a lock that admits in a rhythm would show one beat of it only. Two turns at least,
 * because timing starts in the one before. */
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

/* Outside the critical section: what was noted in it goes to its slice. */
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

/* Often enough that the look at the phase costs nothing, and no longer than a few microseconds. */
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

/* The loop that is measured, while the phase lasts; how often it has turned. */
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
        /* Where nothing is outside, the clock is read inside: a thread that took longer from release to acquire when
         * it is timed would lose the lock just then. */
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

static double thread_cpu_seconds(const struct rusage *usage)
{
    return (double)usage->ru_utime.tv_sec + (double)usage->ru_stime.tv_sec +
           ((double)usage->ru_utime.tv_usec + (double)usage->ru_stime.tv_usec) * 1e-6;
}

static void *participate(void *of)
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
    if (arena->bench->count_calls)
        calls_begin(&self->calls);
    uint64_t turns = turn(self, RUN);
    if (arena->bench->count_calls)
        calls_end();
    getrusage(RUSAGE_THREAD, &after);
    /* The last one ended after the time was up. */
    self->operations = turns > 0 ? turns - 1 : 0;
    self->turns += turns;
    self->cpu_seconds = thread_cpu_seconds(&after) - thread_cpu_seconds(&before);
    self->switches = (uint64_t)(after.ru_nvcsw - before.ru_nvcsw + after.ru_nivcsw - before.ru_nivcsw);
    return NULL;
}

static void summarise_waits(const struct arena *arena, const struct histogram *acquire,
                            struct mutexbench_result *result)
{
    static const double shares[] = {0.5, 0.99, 0.999};
    double nanoseconds = result->seconds * 1e9 / (double)(arena->stop_ticks - arena->start_ticks);
    for (int i = 0; i < 3; i++)
        result->nanoseconds[i] = (double)histogram_quantile(acquire, shares[i]) * nanoseconds;
    result->nanoseconds[3] = (double)acquire->most * nanoseconds;
}

/* A step that was left out, and one that two threads made as one, show in the counter and the generators' states. */
static void verify(struct arena *arena, const struct participant *participants, uint64_t turns,
                   struct mutexbench_result *result)
{
    const struct mutexbench *bench = arena->bench;
    uint64_t steps = bench->section == SECTION_STEPS ? turns * bench->inside : 0;
    result->excluded = bench->section == SECTION_NOTHING || bench->section == SECTION_PAIR ||
                       (admissions_of(arena) == turns && mt19937_is_after(&arena->shared, SHARED_SEED, steps) &&
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

/* Starts as many as can be had of the threads that are asked for. */
static unsigned start_threads(struct arena *arena, struct participant *participants)
{
    const struct mutexbench *bench = arena->bench;
    for (unsigned i = 0; i < bench->threads; i++) {
        struct participant *participant = &participants[i];
        participant->arena = arena;
        participant->index = i;
        mt19937_seed(&participant->own, i + 1);
        participant->random = i + 1;
        choose_sample(participant);
        participant->slices = calloc(bench->slices + 1, sizeof *participant->slices);
        if (!participant->slices)
            return i;
        if (!threads_start(&participant->thread, bench->pinned ? (int)i : ANY_CPU, participate, participant))
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
