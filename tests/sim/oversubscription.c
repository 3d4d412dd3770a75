/* SPDX-License-Identifier: MIT */
/* More threads than CPUs: a lock that hands over to a thread that does not run waits for a slice; parking waits for a
 * wake-up instead; whoever lets the running thread take the lock waits for neither. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "sim/run.h"

static struct machine machine;

static int read_machine(void **state)
{
    (void)state;
    assert_null(machine_read(&machine, MACHINES "/two-core.machine"));
    return 0;
}

static double seconds_of_episode(const char *id, unsigned threads)
{
    struct settings settings = {
        .lock = recip_algorithm_find(id),
        .machine = &machine,
        .threads = threads,
        .workload = WORKLOAD_MODERATE,
        .context = CONTEXT_BODY,
        .episodes = 2000,
        .seed = 5,
    };
    struct result result = run(&settings);
    double seconds = 1 / result.throughput;
    result_free(&result);
    return seconds;
}

static double in_seconds(sim_time time)
{
    return (double)time / (1e9 * SIM_NANOSECOND);
}

static const struct {
    const char *spinning, *parking;
} locks[] = {{"mcs", "mcs-park"}, {"reciprocating", "reciprocating-park"}};

static void spinning_waits_for_slices(void **state)
{
    (void)state;
    for (unsigned i = 0; i < 2; i++)
        assert_true(seconds_of_episode(locks[i].spinning, 4) > in_seconds(machine.slice) / 10);
}

/* A wake-up for every handover, and not much more. */
static void parking_waits_for_wake_ups(void **state)
{
    (void)state;
    for (unsigned threads = 4; threads <= 8; threads += 4)
        for (unsigned i = 0; i < 2; i++) {
            double seconds = seconds_of_episode(locks[i].parking, threads);
            assert_true(seconds > in_seconds(machine.wake_latency));
            assert_true(seconds < 2 * in_seconds(machine.wake_latency));
        }
}

static void enough_cpus_make_the_policies_alike(void **state)
{
    (void)state;
    for (unsigned i = 0; i < 2; i++)
        assert_float_equal(seconds_of_episode(locks[i].parking, 2) / seconds_of_episode(locks[i].spinning, 2), 1, 0.1);
}

/* They let the running thread in. */
static void barging_waits_for_neither(void **state)
{
    (void)state;
    static const char *const ids[] = {"ttas", "mutex"};
    for (unsigned i = 0; i < 2; i++)
        assert_true(seconds_of_episode(ids[i], 4) < in_seconds(machine.wake_latency) / 10);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(spinning_waits_for_slices),
        cmocka_unit_test(parking_waits_for_wake_ups),
        cmocka_unit_test(enough_cpus_make_the_policies_alike),
        cmocka_unit_test(barging_waits_for_neither),
    };
    return cmocka_run_group_tests(tests, read_machine, NULL);
}
