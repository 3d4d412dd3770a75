/* SPDX-License-Identifier: MIT */
/* The mutex itself is handed to a waiter that is awake. Elsewhere a waiter is about to sleep, and awake until then;
 * here some stay awake for ever. */
#include "check/clients/mutex/common.h"

/* Waiters have CPUs of their own. */
static void tune_awake(void)
{
    recip_tuning.own_cpu = 0;
    recip_tuning.awake = recip_tuning.between_yields = recip_tuning.look = 1;
}

static void handed_on(void)
{
    start(.bound = 1, .acquisitions = 3);
    tune_awake();
    spawn_leader(0);
    spawn_locker(1);
    spawn_locker(1);
}

static void handed_on_two_step(void)
{
    start(.two_step_threads = 3, .bound = 1, .acquisitions = 3, .counts_passes = true);
    tune_awake();
    spawn_leader(0);
    spawn_locker(1);
    spawn_locker(1);
}

/* A waiter that is asleep, or whose time is over, is passed leadership, or over. */
static void handed_or_not(void)
{
    start(.bound = 1, .counts_passes = true);
    spawn_leader(0);
    spawn_locker(1);
    spawn_timed_locker(1);
}

/* Every handover is left out: the waiter leads, and finds out whether the mutex is hot. */
static void handed_by_trial(void)
{
    start(.bound = 1, .acquisitions = 3);
    tune_awake();
    recip_tuning.handovers = 1;
    spawn_leader(0);
    spawn_locker(1);
    spawn_locker(1);
}

/* An express waiter that finds the mutex handed over queues. */
static void lock_by_express(void *unused)
{
    (void)unused;
    port_thread()->credit_since = -1;
    recip_mutex_lock(&shared.mutex);
    use_and_unlock();
}

static void handed_beside_express(void)
{
    start(.bound = 1, .acquisitions = 3);
    recip_tuning.credit_price = recip_tuning.credit_max = 1;
    recip_tuning.express = recip_tuning.look = 1;
    spawn_leader(0);
    spawn_locker(1);
    spawn(lock_by_express);
}

/* One owner of two mutexes keeps the leadership of one of them only. */
static recip_mutex_t other;

static void lock_other_inside(void *unused)
{
    (void)unused;
    recip_mutex_lock(&shared.mutex);
    recip_mutex_lock(&other);
    recip_mutex_unlock(&other);
    use_and_unlock();
}

static waiter leader_of_other;

static void lead_other(void *unused)
{
    (void)unused;
    recip_mutex_lock_admitted(&other, &leader_of_other, SEGMENT_EMPTY);
    recip_mutex_unlock(&other);
}

static void lock_other(void *unused)
{
    (void)unused;
    recip_mutex_lock(&other);
    recip_mutex_unlock(&other);
}

static void nothing_is_left_of_both(void)
{
    nothing_is_left();
    check_assert(check_last_value(&other.state, sizeof other.state) == 0);
    check_assert(arrivals_of_this_epoch(check_last_value(&other.arrivals, sizeof other.arrivals)) == 0);
}

static void start_with_other(void)
{
    start(.bound = 1);
    tune_awake();
    other = shared.mutex;
    leader_of_other.successor = other.arrivals = SEGMENT_EMPTY;
    start_used(RECIP_LOCKED_);
}

/* The mutex has an owner, who has led, and a waiter that is awake; so the other of the two. */
static void handed_twice(void)
{
    start_with_other();
    spawn_leader(0);
    shared.mutex.state = 0;
    spawn(lock_other_inside);
    spawn(lead_other);
    spawn(lock_other);
}

/* A thread is handed the mutex, and hands it on; then it does the same with the other one, unless a signal handler, at
 * any step of it, has done that. */
static waiter handed[2], next[2];
static _Atomic(int) other_is_done;

static void take_and_hand_on(recip_mutex_t *mutex, waiter *element)
{
    recip_mutex_lock_admitted(mutex, element, SEGMENT_EMPTY | MESSAGE_OWNED);
    check_owned(mutex);
    check_leaving(mutex);
    recip_mutex_unlock(mutex);
}

static void hand_other_on(void *unused)
{
    (void)unused;
    if (!atomic_exchange_explicit(&other_is_done, 1, memory_order_relaxed))
        take_and_hand_on(&other, &handed[1]);
}

static void hand_both_on(void *unused)
{
    take_and_hand_on(&shared.mutex, &handed[0]);
    hand_other_on(unused);
}

static void wait_for_it(void *element)
{
    waiter *self = element;
    recip_mutex_lock_admitted(self->mutex, self, recip_waiter_await(self, NULL));
    check_owned(self->mutex);
    check_leaving(self->mutex);
    recip_mutex_unlock(self->mutex);
}

static void handed_to_handler(void)
{
    start(.bound = 1);
    tune_awake();
    recip_tuning.signalled = 1;
    atomic_store_explicit(&other_is_done, 0, memory_order_relaxed);
    start_used(RECIP_LOCKED_ | RECIP_HANDS_OVER_);
    shared.mutex.arrivals = SEGMENT_EMPTY;
    other = shared.mutex;
    check_max_overtakes(&other, -1);
    for (uintptr_t i = 0; i < 2; i++) {
        handed[i].mutex = next[i].mutex = i == 0 ? &shared.mutex : &other;
        handed[i].successor = (uintptr_t)&next[i];
        next[i].successor = SEGMENT_EMPTY;
        gate_close(&next[i].gate);
        spawn_with(wait_for_it, &next[i]);
    }
    check_handler(check_thread(hand_both_on, NULL), hand_other_on, NULL);
}

/* In the child of a fork, whose parent's thread was to hand the mutex over. */
static void unlock_inherited(void *unused)
{
    (void)unused;
    shared.first++;
    shared.second++;
    recip_mutex_unlock(&shared.mutex);
}

static void handed_in_child(void)
{
    start(.two_step_threads = 2, .bound = 1);
    recip_check_world.epoch = 1;
    start_used(RECIP_LOCKED_ | RECIP_HANDS_OVER_);
    shared.mutex.arrivals = 0x1000; /* an element of the parent's: nobody follows this address */
    spawn(unlock_inherited);
    spawn_locker(1);
}

CLIENTS(handover, "the mutex is handed to a waiter that is awake",
        CLIENT("handed-on", "a thread leads, two follow and stay awake; atomic release", handed_on, nothing_is_left,
               A_MOMENT),
        CLIENT("handed-on-two-step", "the same, release in two steps", handed_on_two_step, nothing_is_left, SECONDS),
        CLIENT("handed-or-not", "a thread leads, one follows, one in time or not", handed_or_not, marks_are_left,
               SECONDS),
        CLIENT("handed-by-trial", "two follow and stay awake, and find out if the mutex is hot", handed_by_trial,
               nothing_is_left, A_MOMENT),
        CLIENT("handed-beside-express", "a thread leads, one follows, one with credit looks", handed_beside_express,
               nothing_is_left, SECONDS),
        CLIENT("handed-twice", "an owner of two mutexes, each with a waiter that is awake", handed_twice,
               nothing_is_left_of_both, SECONDS),
        CLIENT("handed-to-handler", "a thread is handed the mutex and hands it on, its signal handler another one",
               handed_to_handler, nothing_is_left_of_both, SECONDS),
        CLIENT("handed-in-child", "the child of a fork unlocks what its parent's thread was to hand over",
               handed_in_child, marks_are_left, A_MOMENT))
