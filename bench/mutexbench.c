#include "bench/mutexbench.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "bench/mt19937.h"
#include "locks/thread.h"

enum phase { GATHER, RUN, STOP };

/* Everything that is written in the measured loop has lines of its own. */
struct arena {
    alignas(RECIP_LINE) char mutex[RECIP_MOST_LOCK];
    alignas(RECIP_LINE) struct mt19937 shared;
    uint64_t inside;
    alignas(RECIP_LINE) _Atomic(int) phase;
    const struct mutexbench *bench;
};

struct participant {
    alignas(RECIP_LINE) struct mt19937 own;
    struct arena *arena;
    pthread_t thread;
    uint64_t operations;
    uint32_t consumed; /* what the generators gave, so that no step can be left out by the compiler */
};

static void *participate(void *of)
{
    struct participant *self = of;
    struct arena *arena = self->arena;
    void (*const lock)(void *) = arena->bench->lock->mutex_lock;
    void (*const unlock)(void *) = arena->bench->lock->mutex_unlock;
    const unsigned outside = arena->bench->outside;
    uint64_t operations = 0;
    uint32_t consumed = 0;
    while (atomic_load(&arena->phase) == GATHER)
        sched_yield();
    /* relaxed: the threads end a little later or earlier, and nothing else depends on it. */
    while (atomic_load_explicit(&arena->phase, memory_order_relaxed) == RUN) {
        lock(arena->mutex);
        consumed += mt19937_next(&arena->shared);
        arena->inside++;
        unlock(arena->mutex);
        operations++;
        if (outside)
            for (unsigned steps = mt19937_next(&self->own) % outside; steps > 0; steps--)
                consumed += mt19937_next(&self->own);
    }
    self->operations = operations;
    self->consumed = consumed;
    return NULL;
}

static double seconds_now(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

static void sleep_for(double seconds)
{
    struct timespec left = {.tv_sec = (time_t)seconds, .tv_nsec = (long)((seconds - (double)(time_t)seconds) * 1e9)};
    while (nanosleep(&left, &left) != 0)
        ;
}

static void add_up(const struct participant *participants, const struct arena *arena, struct mutexbench_result *result)
{
    volatile uint32_t consumed = 0;
    result->operations = 0;
    result->least = UINT64_MAX;
    result->most = 0;
    for (unsigned i = 0; i < arena->bench->threads; i++) {
        uint64_t operations = participants[i].operations;
        consumed = consumed + participants[i].consumed;
        result->operations += operations;
        result->least = operations < result->least ? operations : result->least;
        result->most = operations > result->most ? operations : result->most;
    }
    result->excluded = arena->inside == result->operations;
}

/* Starts as many as can be had of the threads that are asked for. */
static unsigned start_threads(struct arena *arena, struct participant *participants)
{
    for (unsigned i = 0; i < arena->bench->threads; i++) {
        participants[i].arena = arena;
        mt19937_seed(&participants[i].own, i + 1);
        if (pthread_create(&participants[i].thread, NULL, participate, &participants[i]) != 0)
            return i;
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
        atomic_store(&arena->phase, RUN);
        sleep_for(arena->bench->seconds);
    }
    atomic_store(&arena->phase, STOP);
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
    if (arena && participants) {
        memset(arena, 0, sizeof *arena);
        memset(participants, 0, bench->threads * sizeof *participants);
        arena->bench = bench;
        done = run_in(arena, participants, result);
    }
    free(participants);
    free(arena);
    return done;
}
