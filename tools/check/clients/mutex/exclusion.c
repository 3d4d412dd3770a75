/* SPDX-License-Identifier: MIT */
/* One owner at a time, no wake-up is lost, and the last owner may free the mutex as soon as it has unlocked it. */
#include "check/clients/mutex/common.h"

static void try_alone(void *unused)
{
    (void)unused;
    recip_mutex_t *mutex = &shared.mutex;
    for (int i = 0; i < 2; i++) {
        check_assert(recip_mutex_trylock(mutex) == 0);
        check_assert(recip_mutex_trylock(mutex) == EBUSY);
        check_assert(recip_mutex_destroy(mutex) == EBUSY);
        recip_mutex_unlock(mutex);
        recip_mutex_lock(mutex);
        recip_mutex_unlock(mutex);
        check_assert(recip_mutex_destroy(mutex) == 0);
    }
}

static void alone(void)
{
    start(.two_step_threads = 1, .bound = 1);
    spawn(try_alone);
}

static void two(void)
{
    start(.two_step_threads = 2, .bound = 1, .acquisitions = 2, .counts_passes = true);
    spawn_locker(1);
    spawn_locker(1);
}

static void two_and_one(uint32_t bound)
{
    start(.two_step_threads = 2, .bound = bound, .acquisitions = 3, .counts_passes = true);
    spawn_locker(2);
    spawn_locker(1);
}

static void two_and_one_bound_0(void)
{
    two_and_one(0);
}

static void two_and_one_bound_1(void)
{
    two_and_one(1);
}

static void two_and_one_bound_2(void)
{
    two_and_one(2);
}

static void two_and_two(void)
{
    start(.two_step_threads = 2, .bound = 1, .acquisitions = 4);
    spawn_locker(2);
    spawn_locker(2);
}

static void three(const struct start *with)
{
    start_with(with);
    for (int i = 0; i < 3; i++)
        spawn_locker(1);
}

static void three_atomic(void)
{
    three(&(struct start){.bound = 1, .acquisitions = 3});
}

static void three_in_two_steps(void)
{
    three(&(struct start){.two_step_threads = 3, .bound = 1, .acquisitions = 3});
}

static void three_bound_0(void)
{
    three(&(struct start){.two_step_threads = 3, .bound = 0, .acquisitions = 3});
}

static void held(const struct start *with)
{
    start_with(with);
    spawn_owner(0);
    spawn_locker(1);
    spawn_locker(1);
}

static void held_atomic(void)
{
    held(&(struct start){.bound = 1, .acquisitions = 3});
}

static void held_in_two_steps(void)
{
    held(&(struct start){.two_step_threads = 3, .bound = 1, .acquisitions = 3});
}

/* With this bound a wake-up waits for the release. */
static void held_bound_64(void)
{
    held(&(struct start){.bound = 64, .acquisitions = 3});
}

static void led(void)
{
    start(.two_step_threads = 2, .bound = 1, .acquisitions = 2, .counts_passes = true);
    spawn_leader(0);
    spawn_locker(1);
}

static void led_twice(void)
{
    start(.two_step_threads = 2, .bound = 1, .acquisitions = 3, .counts_passes = true);
    spawn_leader(0);
    spawn_locker(2);
}

static void led_two(void)
{
    start(.bound = 1, .acquisitions = 3, .counts_passes = true);
    spawn_leader(0);
    spawn_locker(1);
    spawn_locker(1);
}

static void led_two_bound_0(void)
{
    start(.bound = 0, .acquisitions = 3, .counts_passes = true);
    start_used(RECIP_RESERVED_ | RECIP_BARRED_);
    spawn_leader(0);
    spawn_locker(1);
    spawn_locker(1);
}

CLIENTS(exclusion, "the mutex: one owner at a time, no lost wake-up",
        CLIENT("alone", "one thread: a free mutex is had, a held one is not", alone, nothing_is_left, A_MOMENT),
        CLIENT("two", "two threads lock once", two, nothing_is_left, A_MOMENT),
        CLIENT("led", "a thread leads, another follows", led, nothing_is_left, A_MOMENT),
        CLIENT("led-twice", "a thread leads, another follows and locks again", led_twice, nothing_is_left, A_MOMENT),
        CLIENT("2+1", "two threads lock, one of them twice, bound 1", two_and_one_bound_1, nothing_is_left, A_MOMENT),
        CLIENT("2+1-bound-0", "the same, bound 0", two_and_one_bound_0, nothing_is_left, A_MOMENT),
        CLIENT("2+1-bound-2", "the same, bound 2", two_and_one_bound_2, nothing_is_left, A_MOMENT),
        CLIENT("held-atomic", "a thread unlocks, two lock, atomic release", held_atomic, nothing_is_left, A_MOMENT),
        CLIENT("held-64", "the same with bound 64, where wake-ups wait for release", held_bound_64, nothing_is_left,
               A_MOMENT),
        CLIENT("led-two", "a thread leads, two follow; bound 1, atomic release", led_two, nothing_is_left, SECONDS,
               SEEN(TIMES(0) | TIMES(1))),
        CLIENT("led-two-bound-0", "the same, bound 0", led_two_bound_0, nothing_is_left, SECONDS, SEEN(TIMES(0))),
        CLIENT("held", "a thread unlocks, two lock", held_in_two_steps, nothing_is_left, SECONDS),
        CLIENT("2+2", "two threads lock twice", two_and_two, nothing_is_left, SECONDS),
        CLIENT("three-atomic", "three threads lock once, atomic release", three_atomic, nothing_is_left, SECONDS),
        CLIENT("three", "three threads lock once", three_in_two_steps, nothing_is_left, SECONDS),
        CLIENT("three-bound-0", "the same, bound 0", three_bound_0, nothing_is_left, MINUTES))
