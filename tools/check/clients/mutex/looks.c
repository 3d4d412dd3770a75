/* SPDX-License-Identifier: MIT */
/* Looks and naps before sleep. */
#include "check/clients/mutex/common.h"

static void two_polls(void)
{
    start(.two_step_threads = 2, .bound = 1, .acquisitions = 2);
    recip_tuning.yields = recip_tuning.quick_yields = 2;
    spawn_locker(1);
    spawn_locker(1);
}

static void admitted_spins(void)
{
    start(.bound = 1, .acquisitions = 2);
    recip_tuning.signalled = 1;
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

CLIENTS(looks, "looks and naps before sleep",
        CLIENT("two-polls", "two threads lock once, and look once more before they queue or sleep", two_polls,
               nothing_is_left, A_MOMENT),
        CLIENT("admitted-spins", "a thread leads, another moves a third to the arrivals, which looks before it sleeps",
               admitted_spins, nothing_is_left, A_MOMENT),
        CLIENT("patience", "a leader naps when it has been passed often, and bars; atomic release", patience,
               nothing_is_left, SECONDS))
