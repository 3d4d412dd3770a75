/* SPDX-License-Identifier: MIT */
/* What a calibration says of its cells, by hand. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "bench/measure/mutexbench.h"
#include "sim/calibrate/calibrate.h"

static void ranks_are_correlated(void **state)
{
    (void)state;
    const double up[] = {1, 2, 3, 4, 5}, steep[] = {1, 10, 11, 50, 900}, down[] = {9, 7, 5, 3, 1},
                 swapped[] = {2, 1, 3, 5, 4};
    const double equal[] = {1, 2, 2, 3, 4};
    assert_true(fabs(calibrate_correlation(up, steep, 5) - 1) < 1e-9);
    assert_true(fabs(calibrate_correlation(up, down, 5) + 1) < 1e-9);
    assert_true(fabs(calibrate_correlation(up, swapped, 5) - 0.8) < 1e-9);
    assert_true(fabs(calibrate_correlation(up, equal, 5) - 9.5 / sqrt(10 * 9.5)) < 1e-9);
    assert_true(isnan(calibrate_correlation(up, down, 2)));
}

static void one_thread_has_its_fastest_round(void **state)
{
    (void)state;
    struct calibrate_cell cell = {.threads = 1, .rounds = {8, 5, 7}, .round_count = 3};
    assert_true(calibrate_measured(&cell) == 5);
    cell.threads = 2;
    assert_true(calibrate_measured(&cell) == 7);
    cell.round_count = 0;
    assert_true(calibrate_measured(&cell) == 0);
}

static void a_column_counts_what_was_measured(void **state)
{
    (void)state;
    const struct calibrate_cell cells[] = {
        {.workload = WORKLOAD_MAX,
         .threads = 2,
         .measured = 100,
         .modelled = 109,
         .rounds = {100, 100},
         .round_count = 2},
        {.workload = WORKLOAD_MAX,
         .threads = 2,
         .measured = 200,
         .modelled = 160,
         .rounds = {200, 150},
         .round_count = 2},
        {.workload = WORKLOAD_MAX,
         .threads = 2,
         .measured = 300,
         .modelled = 150,
         .rounds = {300, 120},
         .round_count = 2},
        {.workload = WORKLOAD_MAX, .threads = 2, .modelled = 150},
        {.workload = WORKLOAD_MAX, .threads = 1, .measured = 10, .modelled = 10},
        {.workload = WORKLOAD_MODERATE, .threads = 2, .measured = 10, .modelled = 10},
    };
    struct calibrate_summary sum = calibrate_sum_up(cells, 6, WORKLOAD_MAX, 2);
    assert_int_equal(sum.cells, 3);
    assert_int_equal(sum.within_10, 1);
    assert_int_equal(sum.within_25, 2);
    assert_true(fabs(sum.correlation - 0.5) < 1e-9);
    assert_true(fabs(sum.repeated - 0.5) < 1e-9);
}

static double episode_of(const struct machine *machine, bool as_measured)
{
    struct result result = run(&(struct settings){.lock = recip_algorithm_find("ticket"),
                                                  .machine = machine,
                                                  .threads = 1,
                                                  .context = CONTEXT_BODY,
                                                  .episodes = 10000,
                                                  .seed = 1,
                                                  .least = 1000 * 1000 * SIM_NANOSECOND,
                                                  .as_measured = as_measured});
    double nanoseconds = 1e9 / result.throughput;
    result_free(&result);
    return nanoseconds;
}

/* mutexbench counts admissions, which is a load and a store, and reads the counter of time twice in so many turns. In
 * each it makes three more stores, of its own, for which the next read-modify-write waits. Its generator's state has 39
 * lines and not 78, each of which is read and written once in 624 steps. */
static void what_the_benchmark_adds_is_modelled(void **state)
{
    (void)state;
    struct machine machine;
    assert_null(machine_read(&machine, MACHINES "/two-core.machine"));
    assert_int_equal(MEASURED_SAMPLE_EVERY, SAMPLE_EVERY);
    double added = episode_of(&machine, true) - episode_of(&machine, false);
    double hits = 2 - 2.0 * 39 / 624;
    double wanted = (hits * (double)machine.hit + 2 * (double)machine.counter / SAMPLE_EVERY) / SIM_NANOSECOND;
    assert_true(fabs(added - wanted) < 0.01);
    machine.drain = SIM_NANOSECOND;
    added = episode_of(&machine, true) - episode_of(&machine, false);
    assert_true(fabs(added - wanted - (4 - 39.0 / 624)) < 0.01);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ranks_are_correlated),
        cmocka_unit_test(one_thread_has_its_fastest_round),
        cmocka_unit_test(a_column_counts_what_was_measured),
        cmocka_unit_test(what_the_benchmark_adds_is_modelled),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
