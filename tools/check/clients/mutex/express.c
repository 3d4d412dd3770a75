/* SPDX-License-Identifier: MIT */
/* Threads that have credit. */
#include "check/clients/mutex/common.h"

/* A thread that has credit, and asks to be next. */
static void lock_by_express(void *unused)
{
    (void)unused;
    port_thread()->credit_since = -1;
    recip_mutex_lock(&shared.mutex);
    use_and_unlock();
}

/* Threads with credit wait awake, or nap so often before they queue. */
static void tune_express(bool awake, unsigned naps)
{
    recip_tuning.credit_price = recip_tuning.credit_max = 1;
    recip_tuning.express = recip_tuning.look = awake;
    recip_tuning.express_naps = naps;
}

static void express(void)
{
    start(.two_step_threads = 2, .bound = 1, .acquisitions = 2);
    tune_express(true, 0);
    spawn_owner(0);
    spawn(lock_by_express);
}

static void express_two(void)
{
    start(.bound = 1, .acquisitions = 3);
    tune_express(true, 0);
    spawn_owner(0);
    spawn(lock_by_express);
    spawn(lock_by_express);
}

static void express_naps(void)
{
    start(.bound = 1, .acquisitions = 3);
    tune_express(false, 1);
    spawn_owner(0);
    spawn(lock_by_express);
    spawn(lock_by_express);
}

static void express_naps_two_step(void)
{
    start(.two_step_threads = 2, .bound = 1, .acquisitions = 2);
    tune_express(false, 1);
    spawn_owner(0);
    spawn(lock_by_express);
}

/* Woken in vain: the owner has taken the mutex again, or another thread has. */
static void express_insists(void)
{
    start(.two_step_threads = 2, .bound = 1);
    tune_express(false, 2);
    spawn_owner(1);
    spawn(lock_by_express);
}

static void express_insists_beside_two(void)
{
    start(.bound = 1, .acquisitions = 3);
    tune_express(false, 2);
    spawn_owner(0);
    spawn(lock_by_express);
    spawn(lock_by_express);
}

static void lock_twice_by_express(void *unused)
{
    lock_by_express(unused);
    lock_by_express(unused);
}

static void express_passes(void)
{
    start(.bound = 1, .counts_passes = true);
    tune_express(true, 0);
    spawn_owner(0);
    spawn_leader(0);
    spawn(lock_twice_by_express);
}

static void express_beside_leader(void)
{
    start(.bound = 1, .acquisitions = 3);
    tune_express(false, 1);
    spawn_owner(0);
    spawn_locker(1);
    spawn(lock_by_express);
}

static void express_tries(void)
{
    start(.bound = 1);
    tune_express(true, 0);
    spawn_owner(2);
    spawn(lock_by_express);
}

CLIENTS(express, "threads that have credit",
        CLIENT("express", "a thread with credit asks the owner to be next", express, nothing_is_left, A_MOMENT),
        CLIENT("express-two", "two threads with credit ask the owner; atomic release", express_two, nothing_is_left,
               A_MOMENT),
        CLIENT("express-naps", "two threads with credit nap, and then queue; atomic release", express_naps,
               nothing_is_left, MINUTES),
        CLIENT("express-naps-two-step", "a thread with credit naps, and then queues", express_naps_two_step,
               nothing_is_left, A_MOMENT),
        CLIENT("express-insists", "the owner unlocks and tries, a thread with credit naps twice", express_insists,
               nothing_is_left, A_MOMENT),
        CLIENT("express-insists-two", "two threads with credit nap twice; atomic release", express_insists_beside_two,
               nothing_is_left, MINUTES),
        CLIENT("express-passes", "a thread leads, and one with credit locks twice; atomic release", express_passes,
               marks_are_left, A_MOMENT, SEEN(TIMES(0) | TIMES(1))),
        CLIENT("express-beside-leader", "one locks, one with credit naps beside it; atomic release",
               express_beside_leader, nothing_is_left, SECONDS),
        CLIENT("express-tries", "the owner unlocks and tries twice, a thread with credit asks; atomic release",
               express_tries, marks_are_left, A_MOMENT))
