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
        CLIENT("led-bound-2", "bound 2: one leads, unlocks and tries three times, another follows; atomic release",
               led_bound_2, nothing_is_left, SECONDS, SEEN(TIMES(0) | TIMES(1) | TIMES(2))),
        CLIENT("bound-1-passed-on", "bound 1: two lock, the owner unlocks and tries three times; atomic release",
               bound_1_passed_on, marks_are_left, MINUTES, SEEN(TIMES(0) | TIMES(1))))
