/* SPDX-License-Identifier: MIT */
/* The mutex with looks and naps before sleep. The clients choose how many, so mutex, condition variable, semaphore and
 * these clients are compiled together a second time, with RECIP_CHECK_TUNED. */
#include "src/mutex.c"
#include "src/cond.c"
#include "src/sem.c"

#include "check/clients/mutex/common.c"
#include "check/clients/mutex/passes.c"

struct recip_tuning recip_tuning;

static void two_polls(void)
{
    start(.two_step_threads = 2, .bound = 1, .acquisitions = 2);
    recip_tuning.yields = recip_tuning.newcomer_naps = 1;
    spawn_locker(1);
    spawn_locker(1);
}

static void admitted_spins(void)
{
    start(.bound = 1, .acquisitions = 2);
    recip_tuning.follower_turns = 1;
    start_outside();
    spawn_leader(0);
    spawn(admit_outsider);
    spawn(wait_outside);
}

static void patience(void)
{
    start(.bound = 64);
    recip_tuning.nap = 1;
    spawn_locker(1);
    spawn_owner(3);
}

CLIENTS(tuned, "the mutex, with looks and naps before sleep",
        CLIENT("two-polls", "two threads lock once, and look once more before they queue or sleep", two_polls,
               nothing_is_left, A_MOMENT),
        CLIENT("admitted-spins", "a thread leads, another moves a third to the arrivals, which looks before it sleeps",
               admitted_spins, nothing_is_left, A_MOMENT),
        CLIENT("patience", "a leader naps when it has been passed often, and bars; atomic release", patience,
               nothing_is_left, SECONDS))
