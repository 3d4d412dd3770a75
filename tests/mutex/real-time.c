/* SPDX-License-Identifier: MIT */
/* A thread of real-time priority does not nap while it waits; every other one does. */
#include "common.h"

#include "port/port.h"

static bool naps_under(int policy)
{
    struct sched_param parameters = {.sched_priority = sched_get_priority_min(policy & ~SCHED_RESET_ON_FORK)};
    if (sched_setscheduler(0, policy, &parameters) != 0)
        skip(); /* not permitted here */
    return port_nap(1);
}

static void others_nap(void **unused)
{
    (void)unused;
    assert_true(naps_under(SCHED_BATCH));
    assert_true(naps_under(SCHED_OTHER));
}

static void real_time_does_not_nap(void **unused)
{
    (void)unused;
    assert_false(naps_under(SCHED_FIFO));
    assert_false(naps_under(SCHED_RR));
    assert_false(naps_under(SCHED_RR | SCHED_RESET_ON_FORK));
    assert_true(naps_under(SCHED_OTHER));
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(others_nap), cmocka_unit_test(real_time_does_not_nap)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
