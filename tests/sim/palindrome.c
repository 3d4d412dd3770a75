/* SPDX-License-Identifier: MIT */
/* The palindromic schedule appears by itself under sustained contention with equal threads, unfairness stays at 2, the
 * mitigations restore it, and the order helps a shared last-level cache. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "sim/residency.h"
#include "sim/run.h"

static struct machine machine;

static int read_machine(void **state)
{
    (void)state;
    assert_null(machine_read(&machine, MACHINES "/altra-max.machine"));
    return 0;
}

static struct result run_of(const char *id, unsigned threads, enum workload workload)
{
    struct settings settings = {
        .lock = recip_algorithm_find(id),
        .machine = &machine,
        .threads = threads,
        .workload = workload,
        .context = CONTEXT_LOCAL,
        .episodes = 1000 * (uint64_t)threads,
        .seed = 3,
        .critical = 60 * SIM_NANOSECOND,
    };
    return run(&settings);
}

/* With five threads the paper's table: A B C D E D C B, whoever A to E are. */
static void five_threads_as_in_the_paper(void **state)
{
    (void)state;
    struct result result = run_of("reciprocating", 5, WORKLOAD_DEGENERATE);
    assert_int_equal(result_period(&result, 40), 8);
    unsigned times[5] = {0}, once = 0, twice = 0;
    for (unsigned i = 0; i < 8; i++)
        times[result.trace[result.episodes - 1 - i]]++;
    for (unsigned i = 0; i < 5; i++) {
        once += times[i] == 1;
        twice += times[i] == 2;
    }
    assert_int_equal(once, 2);
    assert_int_equal(twice, 3);
    result_free(&result);
}

/* The most admitted thread has twice the admissions of the least, and no more: but for the ends of the run, which cut
 * through a round. */
static void expect_twice(const struct result *result, unsigned threads)
{
    uint64_t most = 0, least = UINT64_MAX;
    for (unsigned i = 0; i < threads; i++) {
        most = result->admissions[i] > most ? result->admissions[i] : most;
        least = result->admissions[i] < least ? result->admissions[i] : least;
    }
    assert_true(most <= 2 * least + 2);
    assert_true(most >= 2 * least - 2);
}

static void period_and_unfairness(void **state)
{
    (void)state;
    static const unsigned threads[] = {3, 4, 8, 16, 40, 72};
    for (unsigned i = 0; i < sizeof threads / sizeof *threads; i++) {
        struct result result = run_of("reciprocating", threads[i], WORKLOAD_DEGENERATE);
        assert_int_equal(result_period(&result, 4 * threads[i]), 2 * threads[i] - 2);
        expect_twice(&result, threads[i]);
        result_free(&result);
    }
}

/* Where handovers take different times neighbours swap places, which lengthens the period and no more. */
static void unfairness_on_two_sockets(void **state)
{
    (void)state;
    struct machine one_socket = machine;
    assert_null(machine_read(&machine, MACHINES "/x5-2.machine"));
    for (unsigned threads = 24; threads <= 72; threads += 24) {
        struct result result = run_of("reciprocating", threads, WORKLOAD_DEGENERATE);
        expect_twice(&result, threads);
        result_free(&result);
    }
    machine = one_socket;
}

static void random_arrivals_have_no_period(void **state)
{
    (void)state;
    struct result result = run_of("reciprocating", 10, WORKLOAD_MODERATE);
    assert_int_equal(result_period(&result, 40), 0);
    assert_true(result.unfairness < 1.5);
    result_free(&result);
}

static void mitigations_restore_fairness(void **state)
{
    (void)state;
    static const char *const ids[] = {"reciprocating-fair", "reciprocating-shuffled", "reciprocating-lanes",
                                      "retrograde-random", "retrograde-direction"};
    static const unsigned threads[] = {5, 8, 13, 21};
    for (unsigned i = 0; i < sizeof ids / sizeof *ids; i++)
        for (unsigned j = 0; j < sizeof threads / sizeof *threads; j++) {
            struct result result = run_of(ids[i], threads[j], WORKLOAD_DEGENERATE);
            assert_true(result.unfairness < 1.2);
            result_free(&result);
        }
}

static void the_order_helps_a_shared_cache(void **state)
{
    (void)state;
    for (unsigned half_life = 1; half_life <= 64; half_life *= 4)
        for (unsigned threads = 3; threads <= 48; threads *= 2) {
            double fifo = residency_of_order(RESIDENCY_FIFO, threads, half_life, 1).misses;
            assert_true(residency_of_order(RESIDENCY_PALINDROME, threads, half_life, 1).misses < fifo);
            assert_true(residency_of_order(RESIDENCY_PALINDROMIC, threads, half_life, 1).misses < fifo);
            assert_true(residency_of_order(RESIDENCY_RANDOM, threads, half_life, 1).misses < fifo);
            assert_true(residency_of_order(RESIDENCY_INDEPENDENT, threads, half_life, 1).misses < fifo);
        }
}

/* Five threads, half-life four: a waiting time of 4 leaves half; thread B of the palindrome waits 2 and 6 in turn. */
static void residency_by_hand(void **state)
{
    (void)state;
    static const uint16_t waits_two_and_six[] = {0, 1, 2, 0, 1, 2, 1, 2, 1, 2, 0};
    struct residency fifo = residency_of_order(RESIDENCY_FIFO, 5, 4, 1);
    assert_float_equal(fifo.misses, 0.5, 1e-9);
    struct residency trace = residency_of_trace(waits_two_and_six, 11, 3, 4);
    assert_true(trace.worst > trace.misses);
    struct result result = run_of("reciprocating", 5, WORKLOAD_DEGENERATE);
    struct residency observed = residency_of_trace(result.trace, result.episodes, 5, 4);
    struct residency ideal = residency_of_order(RESIDENCY_PALINDROMIC, 5, 4, 1);
    assert_float_equal(observed.misses, ideal.misses, 1e-3);
    assert_true(observed.misses < fifo.misses);
    result_free(&result);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(five_threads_as_in_the_paper),
        cmocka_unit_test(period_and_unfairness),
        cmocka_unit_test(random_arrivals_have_no_period),
        cmocka_unit_test(mitigations_restore_fairness),
        cmocka_unit_test(unfairness_on_two_sockets),
        cmocka_unit_test(the_order_helps_a_shared_cache),
        cmocka_unit_test(residency_by_hand),
    };
    return cmocka_run_group_tests(tests, read_machine, NULL);
}
