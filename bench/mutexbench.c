#include "bench/mutexbench.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include "bench/clock.h"
#include "bench/mt19937.h"
#include "locks/thread.h"

enum phase { GATHER, WARM_UP, RUN, STOP };

/* Everything that is written in the measured loop has lines of its own. */
struct arena {
    alignas(RECIP_LINE) char mutex[RECIP_MOST_LOCK];
    alignas(RECIP_LINE) struct mt19937 shared;
    alignas(RECIP_LINE) _Atomic(uint64_t) admissions; /* written by the owner: loads and stores, no read-modify-write */
    alignas(RECIP_LINE) _Atomic(int) phase;
    const struct mutexbench *bench;
    uint64_t start_ticks, stop_ticks;
};

struct participant {
    alignas(RECIP_LINE) struct mt19937 own;
    struct histogram acquire;
    struct arena *arena;
    pthread_t thread;
    unsigned index;
    uint64_t operations, turns, most_passed;
    double cpu_seconds;
    uint64_t switches;
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

static void timed_lock(struct participant *self)
{
    struct arena *arena = self->arena;
    uint64_t before = admissions_of(arena), start = ticks_now();
    arena->bench->lock->mutex_lock(arena->mutex);
    histogram_add(&self->acquire, ticks_now() - start);
    uint64_t passed = admissions_of(arena) - before;
    if (passed > self->most_passed)
        self->most_passed = passed;
}

static uint32_t work_inside(struct arena *arena, unsigned steps)
{
    uint32_t consumed = 0;
    while (steps-- > 0)
        consumed += mt19937_next(&arena->shared);
    atomic_store_explicit(&arena->admissions, admissions_of(arena) + 1, memory_order_relaxed);
    return consumed;
}

static uint32_t work_outside(struct participant *self, unsigned outside)
{
    uint32_t consumed = 0;
    for (unsigned steps = mt19937_next(&self->own) % outside; steps > 0; steps--)
        consumed += mt19937_next(&self->own);
    return consumed;
}

/* The loop that is measured, while the phase lasts; how often it has turned. */
static uint64_t turn(struct participant *self, int phase)
{
    struct arena *arena = self->arena;
    void (*const lock)(void *) = arena->bench->lock->mutex_lock;
    void (*const unlock)(void *) = arena->bench->lock->mutex_unlock;
    const unsigned inside = arena->bench->inside, outside = arena->bench->outside;
    uint64_t turns = 0;
    /* relaxed: the threads end a little later or earlier, and nothing else depends on it. */
    for (; atomic_load_explicit(&arena->phase, memory_order_relaxed) == phase; turns++) {
        if (turns % SAMPLE_EVERY == SAMPLE_EVERY - 1)
            timed_lock(self);
        else
            lock(arena->mutex);
        self->consumed += work_inside(arena, inside);
        unlock(arena->mutex);
        if (outside)
            self->consumed += work_outside(self, outside);
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
    getrusage(RUSAGE_THREAD, &before);
    uint64_t turns = turn(self, RUN);
    getrusage(RUSAGE_THREAD, &after);
    /* The last one ended after the time was up. */
    self->operations = turns > 0 ? turns - 1 : 0;
    self->turns += turns;
    self->cpu_seconds = thread_cpu_seconds(&after) - thread_cpu_seconds(&before);
    self->switches = (uint64_t)(after.ru_nvcsw - before.ru_nvcsw + after.ru_nivcsw - before.ru_nivcsw);
    return NULL;
}

static void sleep_for(double seconds)
{
    struct timespec left = {.tv_sec = (time_t)seconds, .tv_nsec = (long)((seconds - (double)(time_t)seconds) * 1e9)};
    while (nanosleep(&left, &left) != 0)
        ;
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
        if (participant->most_passed > result->most_passed)
            result->most_passed = participant->most_passed;
        histogram_merge(&acquire, &participant->acquire);
    }
    result->excluded = admissions_of(arena) == turns;
    summarise_waits(arena, &acquire, result);
}

static void pin(pthread_t thread, unsigned index)
{
    cpu_set_t allowed, one;
    if (sched_getaffinity(0, sizeof allowed, &allowed) != 0)
        return;
    unsigned wanted = index % (unsigned)CPU_COUNT(&allowed);
    for (int cpu = 0; cpu < CPU_SETSIZE; cpu++)
        if (CPU_ISSET(cpu, &allowed) && wanted-- == 0) {
            CPU_ZERO(&one);
            CPU_SET(cpu, &one);
            pthread_setaffinity_np(thread, sizeof one, &one);
            return;
        }
}

/* Starts as many as can be had of the threads that are asked for. */
static unsigned start_threads(struct arena *arena, struct participant *participants)
{
    for (unsigned i = 0; i < arena->bench->threads; i++) {
        participants[i].arena = arena;
        participants[i].index = i;
        mt19937_seed(&participants[i].own, i + 1);
        if (pthread_create(&participants[i].thread, NULL, participate, &participants[i]) != 0)
            return i;
        if (arena->bench->pinned)
            pin(participants[i].thread, i);
    }
    return arena->bench->threads;
}

static bool run_in(struct arena *arena, struct participant *participants, struct mutexbench_result *result)
{
    mt19937_seed(&arena->shared, 5489);
    arena->bench->lock->init(arena->mutex);
    unsigned started = start_threads(arena, participants);
    bool all = started == arena->bench->threads;
    double start = seconds_now();
    if (all) {
        atomic_store(&arena->phase, WARM_UP);
        sleep_for(arena->bench->warm_up);
        start = seconds_now();
        arena->start_ticks = ticks_now();
        atomic_store(&arena->phase, RUN);
        sleep_for(arena->bench->seconds);
    }
    atomic_store(&arena->phase, STOP);
    arena->stop_ticks = ticks_now();
    result->seconds = seconds_now() - start;
    while (started > 0)
        pthread_join(participants[--started].thread, NULL);
    arena->bench->lock->destroy(arena->mutex);
    if (all)
        add_up(participants, arena, result);
    return all;
}

bool mutexbench_run(const struct mutexbench *bench, struct mutexbench_result *result)
{
    struct arena *arena = aligned_alloc(RECIP_LINE, sizeof *arena);
    struct participant *participants = aligned_alloc(RECIP_LINE, bench->threads * sizeof *participants);
    bool done = false;
    *result = (struct mutexbench_result){.per_thread = calloc(bench->threads, sizeof *result->per_thread)};
    if (arena && participants && result->per_thread) {
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
    result->per_thread = NULL;
}
