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

/* ---- Groups of CPUs: each time that a thread asks, it may be in either of two ---- */

static void handed_near(void)
{
    handed_on();
    recip_check_world.groups = 2;
}

static void handed_near_or_not(void)
{
    start(.bound = 1);
    recip_check_world.groups = 2;
    spawn_leader(0);
    spawn_locker(1);
    spawn_timed_locker(1);
}

/* A thread in group 0 is handed the mutex. Behind it wait four, of whom only the second and the last are in that group.
 */
enum { BEHIND = 4 };
static waiter behind[BEHIND];
static int admitted[BEHIND], admissions;

static void wait_behind(void *number)
{
    waiter *self = &behind[(uintptr_t)number];
    recip_mutex_lock_admitted(&shared.mutex, self, recip_waiter_await(self, NULL));
    check_owned(&shared.mutex);
    admitted[admissions++] = (int)(uintptr_t)number;
    check_leaving(&shared.mutex);
    recip_mutex_unlock(&shared.mutex);
}

static void start_behind(unsigned waiters)
{
    start(.bound = 1);
    tune_awake();
    recip_tuning.signalled = 1;
    start_used(RECIP_LOCKED_ | RECIP_HANDS_OVER_);
    shared.mutex.arrivals = SEGMENT_EMPTY;
    admissions = 0;
    handed[0].mutex = &shared.mutex;
    handed[0].successor = (uintptr_t)&behind[0] + GROUP;
    for (uintptr_t i = 0; i < waiters; i++) {
        behind[i].mutex = &shared.mutex;
        behind[i].successor = i + 1 == waiters ? SEGMENT_EMPTY : (uintptr_t)&behind[i + 1] + (i % 2 ? GROUP : 0);
        gate_close(&behind[i].gate);
        spawn_with(wait_behind, (void *)i);
    }
}

static void hand_first_on(void *unused)
{
    (void)unused;
    take_and_hand_on(&shared.mutex, &handed[0]);
}

static void handed_in_order(void)
{
    start_behind(BEHIND);
    spawn(hand_first_on);
}

static void nearest_came_first(void)
{
    static const int order[BEHIND] = {1, 3, 2, 0};
    nothing_is_left();
    check_assert(admissions == BEHIND && memcmp(admitted, order, sizeof order) == 0);
}

/* The owner has passed over one waiter, and cannot hand on to the other: it keeps the leadership of another mutex, or
 * another thread unlocks in its place. */
static void start_passed_over(void)
{
    start_behind(2);
    handed[0].successor = (uintptr_t)&behind[1];
    handed[0].later = (uintptr_t)&behind[0] + GROUP;
    behind[0].successor = SEGMENT_EMPTY;
}

static void take_and_pass_on(bool has_other)
{
    if (has_other)
        recip_leadership_kept()->mutex = &other;
    recip_mutex_lock_admitted(&shared.mutex, &handed[0], SEGMENT_EMPTY | MESSAGE_OWNED | MESSAGE_LATER);
    check_owned(&shared.mutex);
    if (has_other)
        recip_leadership_kept()->mutex = NULL;
    else
        recip_mutex_pass_on_kept(&shared.mutex, recip_leadership_kept());
    check_leaving(&shared.mutex);
    recip_mutex_unlock(&shared.mutex);
}

static void take_beside_other(void *unused)
{
    (void)unused;
    take_and_pass_on(true);
}

static void take_for_other(void *unused)
{
    (void)unused;
    take_and_pass_on(false);
}

static void passed_over_beside_other(void)
{
    start_passed_over();
    spawn(take_beside_other);
}

static void passed_over_by_other(void)
{
    start_passed_over();
    spawn(take_for_other);
}

static void both_came(void)
{
    marks_are_left();
    check_assert(admissions == 2);
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
        CLIENT("handed-near", "as handed-on, each thread in either of two groups of CPUs", handed_near, nothing_is_left,
               SECONDS),
        CLIENT("handed-near-or-not", "as handed-or-not, each thread in either of two groups of CPUs",
               handed_near_or_not, marks_are_left, SECONDS),
        CLIENT("handed-in-order",
               "a thread hands the mutex on; of four who wait, the second and the last are in its group",
               handed_in_order, nearest_came_first, SECONDS),
        CLIENT("passed-over-beside-other", "an owner has passed one waiter over, and keeps another mutex's leadership",
               passed_over_beside_other, both_came, SECONDS),
        CLIENT("passed-over-by-other", "the same, and another thread unlocks in its place", passed_over_by_other,
               both_came, SECONDS),
        CLIENT("handed-in-child", "the child of a fork unlocks what its parent's thread was to hand over",
               handed_in_child, marks_are_left, A_MOMENT))
