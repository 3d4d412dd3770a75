/* SPDX-License-Identifier: MIT */
/* A timed lock that gives up leaves nothing behind: no place in the queue that others would wait for, no element. */
#include "check/clients/mutex/common.h"

static void timed(void)
{
    start(.two_step_threads = 2, .bound = 1);
    spawn_locker(1);
    spawn_timed_locker(1);
    spawn_clock();
}

static void timed_bound_0(void)
{
    start(.two_step_threads = 2, .bound = 0);
    spawn_locker(1);
    spawn_timed_locker(1);
}

static void timed_again(void)
{
    start(.bound = 1);
    spawn_locker(1);
    spawn_timed_locker(2);
}

static void timed_follower(void)
{
    start(.bound = 1);
    spawn_locker(1);
    spawn_locker(1);
    spawn_timed_locker(1);
}

static void led_timed(void)
{
    start(.two_step_threads = 2, .bound = 1);
    spawn_leader(0);
    spawn_timed_locker(1);
}

static void led_timed_bound_0(void)
{
    start(.two_step_threads = 2, .bound = 0);
    start_used(RECIP_RESERVED_ | RECIP_BARRED_);
    spawn_leader(0);
    spawn_timed_locker(1);
}

static void led_timed_again(void)
{
    start(.bound = 1);
    spawn_leader(0);
    spawn_timed_locker(2);
}

static void led_two_timed(void)
{
    start(.bound = 1);
    spawn_leader(0);
    spawn_locker(1);
    spawn_timed_locker(1);
}

static void led_two_timed_again(void)
{
    start(.bound = 1);
    spawn_leader(0);
    spawn_locker(1);
    spawn_timed_locker(2);
}

static void held_timed(void)
{
    start(.bound = 1);
    spawn_owner(0);
    spawn_locker(1);
    spawn_timed_locker(1);
}

static void held_timed_again(void)
{
    start(.bound = 1);
    spawn_owner(0);
    spawn_locker(1);
    spawn_timed_locker(2);
}

static void held_two_timed(void)
{
    start(.bound = 1);
    spawn_owner(0);
    spawn_timed_locker(1);
    spawn_timed_locker(1);
}

/* A place that was left behind at one mutex, and then a timed lock of another. */
static recip_mutex_t elsewhere;

static void lock_elsewhere_in_time(void *unused)
{
    (void)unused;
    if (recip_mutex_lock_until(&shared.mutex, &shared.deadline) == 0)
        use_and_unlock();
    if (recip_mutex_lock_until(&elsewhere, &shared.deadline) == 0)
        recip_mutex_unlock(&elsewhere);
    if (recip_mutex_lock_until(&shared.mutex, &shared.deadline) == 0)
        use_and_unlock();
    recip_left_behind_release(port_thread());
}

static void unlock_elsewhere(void *unused)
{
    (void)unused;
    recip_mutex_unlock(&elsewhere);
}

static void left_behind_elsewhere(void)
{
    start(.bound = 1);
    elsewhere = shared.mutex;
    spawn_leader(0);
    elsewhere.state = RECIP_LOCKED_;
    elsewhere.passes = shared.mutex.passes;
    spawn(lock_elsewhere_in_time);
    spawn(unlock_elsewhere);
}

CLIENTS(timed, "the mutex: a timed lock that gives up leaves nothing behind",
        CLIENT("led-timed", "a thread leads, another follows in time or not", led_timed, nothing_is_left, A_MOMENT),
        CLIENT("led-timed-again", "the same twice: it takes its place back; atomic release", led_timed_again,
               nothing_is_left, A_MOMENT),
        CLIENT("led-timed-0", "bound 0: a thread leads, another follows in time or not", led_timed_bound_0,
               marks_are_left, A_MOMENT),
        CLIENT("timed", "one thread locks, another in time or not", timed, nothing_is_left, A_MOMENT),
        CLIENT("timed-0", "the same with bound 0", timed_bound_0, marks_are_left, A_MOMENT),
        CLIENT("held-timed", "a thread unlocks, one locks, one in time or not", held_timed, marks_are_left, A_MOMENT),
        CLIENT("held-two-timed", "a thread unlocks, two lock in time or not; atomic release", held_two_timed,
               marks_are_left, A_MOMENT),
        CLIENT("left-elsewhere",
               "one leads, one follows in time or not, locks another mutex in time or not, and follows again",
               left_behind_elsewhere, marks_are_left, A_MOMENT),
        CLIENT("timed-again", "one thread locks, another in time or not, twice", timed_again, marks_are_left, A_MOMENT),
        CLIENT("led-two-timed", "a thread leads, two follow, one of them in time or not; atomic release", led_two_timed,
               marks_are_left, SECONDS),
        CLIENT("held-timed-again", "a thread unlocks, one locks, one tries in time twice", held_timed_again,
               marks_are_left, SECONDS),
        CLIENT("timed-follower", "two threads lock, a third in time or not, atomic release", timed_follower,
               marks_are_left, SECONDS),
        CLIENT("led-two-timed-again",
               "a thread leads, two follow, one of them in time or not, twice: it takes its place back",
               led_two_timed_again, marks_are_left, MINUTES))
