/* SPDX-License-Identifier: MIT */
#include "bench/measure/waiting-thread.h"

#include <sched.h>
#include <time.h>

#include "bench/measure/work.h"
#include "cli/clock.h"

static int phase_of(struct waiting_arena *arena)
{
    /* relaxed: the threads end a little later or earlier, and nothing else depends on it. */
    return atomic_load_explicit(&arena->phase, memory_order_relaxed);
}

static void wait_for_all(struct waiting_arena *arena)
{
    while (atomic_load(&arena->phase) == WAITING_GATHER)
        sched_yield();
}

static uint64_t now_of(const struct waiting_arena *arena)
{
    return arena->clock->now(arena->clock->of);
}

static void work_inside(struct waiting_arena *arena)
{
    arena->work = work_for(arena->work, arena->waiting->inside);
}

/* ---- The hogs ---- */

/* In the critical section: sends one signal if one is due. */
static void send_due_signal(struct waiting_arena *arena)
{
    struct signals *signals = &arena->signals;
    /* relaxed: it may be sent by the next owner as well. */
    if (atomic_load_explicit(&arena->due, memory_order_relaxed) == signals->sent)
        return;
    signals->times[signals->sent++] = now_of(arena);
    arena->waiting->monitor->signal(arena->mutex);
}

static void work_outside(struct hog *self, uint64_t mean)
{
    self->random ^= self->random << 13;
    self->random ^= self->random >> 7;
    self->random ^= self->random << 17;
    uint64_t turns = (self->random >> 32) * (2 * mean + 1) >> 32;
    self->work = work_for(self->work, turns);
    self->turns += turns;
}

/* The loop that is measured, while the phase lasts. Returns the number of sections. */
static uint64_t lock_all_the_time(struct hog *self, int phase)
{
    struct waiting_arena *arena = self->arena;
    void (*const lock)(void *) = arena->lock;
    void (*const unlock)(void *) = arena->unlock;
    const uint64_t inside = arena->waiting->inside, outside = arena->waiting->outside;
    const bool signals = arena->waiting->monitor;
    uint64_t sections = 0;
    for (; phase_of(arena) == phase; sections++) {
        lock(arena->mutex);
        arena->work = work_for(arena->work, inside);
        if (signals)
            send_due_signal(arena);
        unlock(arena->mutex);
        if (outside)
            work_outside(self, outside);
    }
    return sections;
}

void *waiting_hog(void *of)
{
    struct hog *self = of;
    wait_for_all(self->arena);
    self->sections = lock_all_the_time(self, WAITING_WARM_UP);
    double start = thread_cpu_seconds_now();
    uint64_t sections = lock_all_the_time(self, WAITING_RUN);
    self->cpu_seconds = thread_cpu_seconds_now() - start;
    /* The last one ended after the phase. */
    self->operations = sections > 0 ? sections - 1 : 0;
    self->sections += sections;
    return NULL;
}

/* ---- Those that come by the clock ---- */

static void start_arrivals(struct arrivals *arrivals, const struct visitor *visitor, double period)
{
    const struct waiting_arena *arena = visitor->arena;
    arrivals_start(arrivals, arena->clock, period * 1e9, now_of(arena), arena->waiting->seed + visitor->index);
}

static void note_arrival(struct arrival_times *times, uint64_t due, uint64_t from, uint64_t taken)
{
    histogram_add(&times->from_due, taken - due);
    histogram_add(&times->late, from - due);
    histogram_add(&times->waits, taken - from);
}

/* Also after the hogs have stopped, until all that were due are done: those at the end have waited at least so long. */
void waiting_come_by_clock(struct visitor *self)
{
    struct waiting_arena *arena = self->arena;
    struct arrivals arrivals;
    start_arrivals(&arrivals, self, arena->waiting->period);
    while (arrivals_next(&arrivals) < atomic_load(&arena->stop)) {
        uint64_t from = arrivals_come(&arrivals);
        arena->lock(arena->mutex);
        uint64_t taken = now_of(arena);
        work_inside(arena);
        arena->unlock(arena->mutex);
        self->sections++;
        if (arrivals.due >= arena->start)
            note_arrival(&self->times, arrivals.due, from, taken);
    }
}

void *waiting_seldom(void *of)
{
    struct visitor *self = of;
    wait_for_all(self->arena);
    waiting_come_by_clock(self);
    return NULL;
}

/* ---- Signals ---- */

/* Under the mutex. */
static void take_signal(struct visitor *self)
{
    struct waiting_arena *arena = self->arena;
    uint64_t sent = arena->signals.times[arena->signals.taken++], taken = now_of(arena);
    work_inside(arena);
    self->sections++;
    if (sent >= arena->start && sent < atomic_load(&arena->stop))
        histogram_add(&self->times.waits, taken - sent);
}

/* Holds the mutex but for its waits, so that it is nearly always there when it is signalled. */
void *waiting_consumer(void *of)
{
    struct visitor *self = of;
    struct waiting_arena *arena = self->arena;
    struct signals *signals = &arena->signals;
    arena->lock(arena->mutex);
    for (;;) {
        while (signals->taken == signals->sent && !signals->over)
            arena->waiting->monitor->wait(arena->mutex);
        if (signals->taken == signals->sent)
            break;
        take_signal(self);
    }
    arena->unlock(arena->mutex);
    return NULL;
}

void *waiting_timer(void *of)
{
    struct visitor *self = of;
    struct waiting_arena *arena = self->arena;
    struct arrivals arrivals;
    wait_for_all(arena);
    start_arrivals(&arrivals, self, arena->waiting->period / arena->waiting->others);
    for (uint64_t count = 0; count < arena->signals.room && arrivals_next(&arrivals) < atomic_load(&arena->stop);
         count++) {
        arrivals_come(&arrivals);
        atomic_fetch_add_explicit(&arena->due, 1, memory_order_relaxed);
    }
    return NULL;
}

void waiting_end_signals(struct waiting_arena *arena)
{
    arena->lock(arena->mutex);
    arena->signals.over = true;
    for (unsigned i = 0; i < arena->waiting->others; i++)
        arena->waiting->monitor->signal(arena->mutex);
    arena->unlock(arena->mutex);
}
