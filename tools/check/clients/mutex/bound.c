/* SPDX-License-Identifier: MIT */
/* A leader is passed by as many newcomers as the bound says, and by no more. */
#include "check/clients/mutex/common.h"

static void bound_0(void)
{
    start(.two_step_threads = 2, .bound = 0, .counts_passes = true);
    spawn_locker(1);
    spawn_owner(2);
}

static void bound_1(void)
{
    start(.two_step_threads = 2, .bound = 1, .counts_passes = true);
    spawn_locker(1);
    spawn_owner(3);
}

static void bound_2(void)
{
    start(.bound = 2, .counts_passes = true);
    spawn_locker(1);
    spawn_owner(3);
}

static void bound_1_passed_on(void)
{
    start(.bound = 1, .counts_passes = true);
    spawn_owner(3);
    spawn_locker(1);
    spawn_locker(1);
}

static void barred_for_nobody(void)
{
    start(.bound = 0, .counts_passes = true);
    start_used(RECIP_RESERVED_ | RECIP_BARRED_);
    spawn_locker(1);
    spawn_try_locker(1);
    spawn_try_locker(1);
}

static void barred_for_nobody_bound_1(void)
{
    start(.bound = 1, .counts_passes = true);
    start_used(RECIP_RESERVED_ | RECIP_BARRED_);
    spawn_locker(1);
    spawn_try_locker(1);
}

/* Two are asleep in the arrivals behind a leader, the second on top of the first. Which comes first when it passes on:
 * of a bound of 0 the newer, as in the paper; otherwise the older. */
static waiter asleep[2];
static int woken_first; /* its number, from 1 */

static void sleep_in_arrivals(void *number)
{
    waiter *self = &asleep[(uintptr_t)number];
    recip_mutex_lock_admitted(&shared.mutex, self, recip_waiter_await(self, NULL));
    woken_first = woken_first ? woken_first : (int)(uintptr_t)number + 1;
    use_and_unlock();
}

static void start_asleep(uint32_t bound)
{
    start(.bound = bound);
    woken_first = 0;
    if (bound == 0)
        start_used(RECIP_RESERVED_ | RECIP_BARRED_);
    spawn_leader(0);
    for (uintptr_t i = 0; i < 2; i++) {
        atomic_store_explicit(&asleep[i].gate, GATE_PARKED, memory_order_relaxed);
        asleep[i].successor = shared.mutex.arrivals;
        shared.mutex.arrivals = (uintptr_t)&asleep[i];
        spawn_with(sleep_in_arrivals, (void *)i);
    }
}

static void asleep_bound_0(void)
{
    start_asleep(0);
}

static void asleep_bound_1(void)
{
    start_asleep(1);
}

static void newer_came_first(void)
{
    nothing_is_left();
    check_assert(woken_first == 2);
}

static void older_came_first(void)
{
    nothing_is_left();
    check_assert(woken_first == 1);
}

static void led_bound_0(void)
{
    start(.two_step_threads = 2, .bound = 0, .counts_passes = true);
    start_used(RECIP_RESERVED_ | RECIP_BARRED_);
    spawn_leader(2);
    spawn_locker(1);
}

static void led_bound_1(void)
{
    start(.bound = 1, .counts_passes = true);
    spawn_leader(2);
    spawn_locker(1);
}

static void led_bound_2(void)
{
    start(.bound = 2, .counts_passes = true);
    spawn_leader(3);
    spawn_locker(1);
}

CLIENTS(bound, "the mutex: a leader is passed by as often as the bound says",
        CLIENT("bound-0", "bound 0: one locks, the owner unlocks and tries twice", bound_0, nothing_is_left, A_MOMENT,
               SEEN(TIMES(0))),
        CLIENT("bound-2", "bound 2: the same, three times; atomic release", bound_2, nothing_is_left, A_MOMENT,
               SEEN(TIMES(0) | TIMES(1) | TIMES(2))),
        CLIENT("led-bound-0", "bound 0: one leads, unlocks and tries twice, another follows", led_bound_0,
               nothing_is_left, A_MOMENT, SEEN(TIMES(0))),
        CLIENT("led-bound-1", "bound 1: the same; atomic release", led_bound_1, nothing_is_left, A_MOMENT,
               SEEN(TIMES(0) | TIMES(1))),
        CLIENT("bound-1", "bound 1: one locks, the owner unlocks and tries three times", bound_1, nothing_is_left,
               A_MOMENT, SEEN(TIMES(0) | TIMES(1))),
        CLIENT("barred-for-nobody", "bound 0: a leader has resigned and left its mark; one locks, two try",
               barred_for_nobody, marks_are_left, A_MOMENT, SEEN(TIMES(0))),
        CLIENT("barred-for-nobody-1", "the same with bound 1; one locks, one tries", barred_for_nobody_bound_1,
               marks_are_left, A_MOMENT, SEEN(TIMES(0))),
        CLIENT("asleep-0", "bound 0: one leads, two are asleep; the newer comes first", asleep_bound_0,
               newer_came_first, A_MOMENT),
        CLIENT("asleep", "bound 1: the same; the older comes first", asleep_bound_1, older_came_first, A_MOMENT),
        CLIENT("led-bound-2", "bound 2: one leads, unlocks and tries three times, another follows; atomic release",
               led_bound_2, nothing_is_left, SECONDS, SEEN(TIMES(0) | TIMES(1) | TIMES(2))),
        CLIENT("bound-1-passed-on", "bound 1: two lock, the owner unlocks and tries three times; atomic release",
               bound_1_passed_on, marks_are_left, MINUTES, SEEN(TIMES(0) | TIMES(1))))
