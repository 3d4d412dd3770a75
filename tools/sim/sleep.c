/* SPDX-License-Identifier: MIT */
/* Sleeping: at a word until somebody wakes the thread, as a futex does it; and by the clock. */
#include <string.h>

#include "sim/port.h"
#include "sim/world.h"

/* The kernel's queues: first come, first woken. To come or to wake changes a line of the bucket's. */
enum { BUCKETS = 256 };

static struct bucket {
    struct sim_thread *first, *last;
    void *line;
} buckets[BUCKETS];

void sleep_reset(void)
{
    for (unsigned i = 0; i < BUCKETS; i++)
        buckets[i] = (struct bucket){0};
}

static struct bucket *lock_bucket(const volatile void *word, const char *operation)
{
    struct bucket *bucket = &buckets[(uintptr_t)word / 4 * UINT64_C(0x9e3779b97f4a7c15) >> 56];
    if (!bucket->line)
        bucket->line = memory_new(OBJECT_KERNEL, 0, memory_home((uintptr_t)word), RECIP_LINE, RECIP_LINE);
    world_site(NULL, operation);
    world_modify(bucket->line);
    return bucket;
}

static void append(struct bucket *bucket, struct sim_thread *thread)
{
    thread->next_asleep = NULL;
    *(bucket->first ? &bucket->last->next_asleep : &bucket->first) = thread;
    bucket->last = thread;
}

static void take_out(struct bucket *bucket, struct sim_thread *thread)
{
    struct sim_thread **link = &bucket->first, *before = NULL;
    while (*link != thread) {
        before = *link;
        link = &before->next_asleep;
    }
    *link = thread->next_asleep;
    if (bucket->last == thread)
        bucket->last = before;
    thread->asleep_at = NULL;
}

static struct sim_thread *first_at(const struct bucket *bucket, const volatile void *word, uint32_t kinds)
{
    struct sim_thread *thread = bucket->first;
    while (thread && (thread->asleep_at != word || !(thread->asleep_as & kinds)))
        thread = thread->next_asleep;
    return thread;
}

/* ---- The clock ---- */

static void time_has_come(void *subject)
{
    struct sim_thread *thread = subject;
    if (thread->sleep_ends != world.events.now)
        return;
    thread->sleep_ends = SIM_NEVER;
    if (thread->asleep_at)
        take_out(thread->bucket, thread);
    thread->timed_out = true;
    if (!thread->cpu && !thread->is_ready)
        schedule_timer(thread);
}

static void set_timer(struct sim_thread *thread, sim_time ends, sim_time way_back)
{
    thread->way_back = way_back;
    thread->waited_in_acquire |= thread->phase == PHASE_ACQUIRE;
    thread->timed_out = false;
    thread->sleep_ends = ends;
    if (ends != SIM_NEVER)
        events_add(&world.events, ends, time_has_come, thread);
}

static void half_a_call(void)
{
    world_advance_unevenly(world.machine->system_call / 2);
}

void sleep_until(sim_time time, sim_time way_back)
{
    half_a_call();
    if (time > world.events.now) {
        set_timer(world.current, time, way_back);
        schedule_block(world.current);
    }
}

bool sim_port_nap(int64_t nanoseconds)
{
    struct sim_thread *thread = world.current;
    sim_time ends = thread->clock + (sim_time)nanoseconds * SIM_NANOSECOND + world.machine->nap;
    spin_unlike(thread);
    thread->doings.naps++;
    world_drain();
    sleep_until(ends, 0);
    return true;
}

void sim_port_yield(void)
{
    struct sim_thread *thread = world.current;
    thread->waited_in_acquire |= thread->phase == PHASE_ACQUIRE;
    spin_unlike(thread);
    thread->doings.yields++;
    world_drain();
    world_advance_unevenly(world.machine->yield);
    schedule_yield(thread);
}

/* ---- Words ---- */

/* The kernel ends a timed sleep as late as a nap. */
static sim_time end_of(const struct timespec *time)
{
    if (!time)
        return SIM_NEVER;
    return ((sim_time)time->tv_sec * 1000000000 + (sim_time)time->tv_nsec) * SIM_NANOSECOND + world.machine->nap;
}

/* In the queue, and about to give up its CPU, it may be woken already. */
static bool sleep_in(struct bucket *bucket, const volatile void *word, uint32_t kinds, sim_time ends)
{
    struct sim_thread *thread = world.current;
    thread->doings.parks++;
    thread->doings.woken_in_vain += thread->woken;
    thread->woken = false;
    thread->asleep_at = word;
    thread->asleep_as = kinds;
    thread->bucket = bucket;
    append(bucket, thread);
    set_timer(thread, ends, 0);
    world_advance_unevenly(world.machine->park);
    if (thread->asleep_at)
        schedule_block(thread);
    return !thread->timed_out;
}

/* True: woken, or the word was not as expected. False: the time has come. */
bool sim_port_park(const volatile void *word, size_t size, uint64_t expected, uint32_t kinds,
                   const struct timespec *time)
{
    struct sim_thread *thread = world.current;
    sim_time ends = end_of(time);
    uint64_t value = 0;
    spin_unlike(thread);
    world_drain();
    half_a_call();
    struct bucket *bucket = lock_bucket(word, "futex wait");
    memcpy(&value, world_load(word, size), size);
    if (value == expected && ends > world.events.now)
        return sleep_in(bucket, word, kinds, ends);
    half_a_call();
    return value != expected;
}

/* One that has not given up its CPU yet goes on by itself, and costs no more than a call. */
static void wake(struct bucket *bucket, struct sim_thread *sleeper)
{
    take_out(bucket, sleeper);
    sleeper->sleep_ends = SIM_NEVER;
    sleeper->woken = true;
    if (sleeper->cpu)
        return;
    world_advance_unevenly(world.machine->wake);
    if (!sleeper->cpu && !sleeper->is_ready)
        schedule_wake(sleeper);
}

bool sim_port_wake(const volatile void *word, uint32_t kinds)
{
    struct sim_thread *thread = world.current;
    spin_unlike(thread);
    world_drain();
    half_a_call();
    struct bucket *bucket = lock_bucket(word, "futex wake");
    struct sim_thread *sleeper = first_at(bucket, word, kinds);
    if (sleeper) {
        thread->doings.wakes++;
        wake(bucket, sleeper);
    } else {
        thread->doings.wakes_of_nobody++;
    }
    half_a_call();
    return sleeper;
}
