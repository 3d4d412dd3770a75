/* SPDX-License-Identifier: MIT */
/* What `recip bench` promises of its own honesty. */
#include <limits.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>
#include <math.h>

#include "bench/measure/latency.h"
#include "cli/mt19937.h"
#include "bench/measure/mutexbench.h"
#include "port/futex.h"
#include "tests/bench/statistics.h"
#include "tests/bench/waiting.h"

/* On a machine that is busy with other things, a run may be over before its threads have done anything. */
enum { ATTEMPTS = 100 };

static struct mutexbench short_run(const struct recip_algorithm *lock)
{
    return (struct mutexbench){.lock = lock, .threads = 4, .inside = 1, .seconds = 0.05, .warm_up = 0.01};
}

/* Two threads in the section at once spoil the counter or the generator sooner or later, and that is seen. */
static void no_lock_is_caught(void **state)
{
    static const enum section sections[] = {SECTION_STEPS, SECTION_LINES};
    (void)state;
    for (size_t i = 0; i < sizeof sections / sizeof *sections; i++) {
        struct mutexbench bench = short_run(&mutexbench_no_lock);
        struct mutexbench_result result = {.excluded = true};
        bench.section = sections[i];
        for (int attempt = 0; attempt < ATTEMPTS && result.excluded; attempt++) {
            assert_true(mutexbench_run(&bench, &result));
            mutexbench_free(&result);
        }
        assert_false(result.excluded);
    }
}

static void locks_are_not_accused(void **state)
{
    static const enum section sections[] = {SECTION_STEPS, SECTION_NOTHING, SECTION_LINES, SECTION_TIME};
    (void)state;
    for (size_t i = 0; i < sizeof sections / sizeof *sections; i++) {
        struct mutexbench bench = short_run(recip_algorithm_find("pthread"));
        struct mutexbench_result result;
        bench.section = sections[i];
        bench.inside = 3;
        bench.outside = 5;
        assert_true(mutexbench_run(&bench, &result));
        assert_true(result.excluded);
        assert_true(result.worked);
        mutexbench_free(&result);
    }
}

/* The generator is the one of the C++ standard, which gives its ten thousandth number. */
static void generator_is_mt19937(void **state)
{
    struct mt19937 generator;
    uint32_t last = 0;
    (void)state;
    mt19937_seed(&generator, 5489);
    for (int i = 0; i < 10000; i++)
        last = mt19937_next(&generator);
    assert_int_equal(last, UINT32_C(4123659995));
}

/* Threads that are let in together leave any index behind; the state is not left for that. */
static void generator_stays_within_its_state(void **state)
{
    (void)state;
    static const unsigned indices[] = {MT_SIZE, MT_SIZE + 1, UINT_MAX};
    for (size_t i = 0; i < sizeof indices / sizeof *indices; i++) {
        struct mt19937 generator;
        mt19937_seed(&generator, 5489);
        generator.index = indices[i];
        assert_int_equal(mt19937_next(&generator), 3499211612);
        assert_int_equal(generator.index, 1);
    }
}

/* A step too few or too many is noticed: so is work that a compiler would leave out. */
static void missing_steps_are_caught(void **state)
{
    static const uint64_t counts[] = {0, 1, MT_SIZE - 1, MT_SIZE, MT_SIZE + 1, 100000};
    (void)state;
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
        struct mt19937 generator;
        mt19937_seed(&generator, 7);
        for (uint64_t step = 0; step < counts[i]; step++)
            mt19937_next(&generator);
        assert_true(mt19937_is_after(&generator, 7, counts[i]));
        assert_false(mt19937_is_after(&generator, 7, counts[i] + 1));
        assert_false(mt19937_is_after(&generator, 8, counts[i]));
        if (counts[i])
            assert_false(mt19937_is_after(&generator, 7, counts[i] - 1));
    }
}

static void operations_add_up(void **state)
{
    struct mutexbench bench = short_run(recip_algorithm_find("pthread"));
    struct mutexbench_result result;
    uint64_t sum = 0;
    (void)state;
    bench.slices = 10;
    assert_true(mutexbench_run(&bench, &result));
    for (unsigned i = 0; i < bench.threads; i++) {
        uint64_t in_slices = 0;
        for (unsigned slice = 0; slice < bench.slices; slice++)
            in_slices += result.slices[slice * bench.threads + i];
        /* The last admission was after the end, as may be some before it: the end is noticed late. */
        assert_true(in_slices <= result.per_thread[i] + 1);
        sum += result.per_thread[i];
    }
    assert_int_equal(sum, result.operations);
    assert_true(result.longest_gap <= result.operations + bench.threads);
    mutexbench_free(&result);
}

/* By its own clock. getrusage counts in whole microseconds and may lag a tick of the kernel behind, a tenth of a short
 * run. */
static void cpu_time_is_to_the_nanosecond(void **state)
{
    struct mutexbench bench = short_run(recip_algorithm_find("ticket"));
    bool finer = false;
    (void)state;
    bench.threads = 1;
    bench.seconds = 0.001;
    for (int run = 0; run < 10; run++) {
        struct mutexbench_result result;
        assert_true(mutexbench_run(&bench, &result));
        assert_true(result.cpu_seconds > 0);
        double microseconds = result.cpu_seconds * 1e6;
        finer = finer || fabs(microseconds - round(microseconds)) > 1e-3;
        mutexbench_free(&result);
    }
    assert_true(finer);
}

static uint32_t word;

static void wake_nobody(void *lock)
{
    (void)lock;
    futex_call(&word, FUTEX_WAKES_PRIVATE, 1, NULL);
}

static void ask_who(void *lock)
{
    (void)lock;
    syscall(SYS_gettid);
    syscall(SYS_gettid);
}

static void prepare(void *lock)
{
    (void)lock;
}

/* One futex call and two others for each turn; the last turn of a thread is no operation any more. */
static void calls_are_counted_exactly(void **state)
{
    const struct recip_algorithm calling = {
        .init = prepare, .destroy = prepare, .mutex_lock = wake_nobody, .mutex_unlock = ask_who};
    struct mutexbench bench = short_run(&calling);
    struct mutexbench_result result = {.operations = 0};
    (void)state;
    if (!system_calls_available())
        skip();
    bench.threads = 1;
    bench.section = SECTION_NOTHING;
    bench.count_calls = true;
    for (int attempt = 0; attempt < ATTEMPTS && !result.operations; attempt++) {
        assert_true(mutexbench_run(&bench, &result));
        mutexbench_free(&result);
    }
    assert_true(result.operations > 0);
    assert_int_equal(result.calls.futex, result.operations + 1);
    assert_int_equal(result.calls.all, 3 * result.calls.futex);
}

/* A call that sleeps, and the one that wakes it: counted, and made. */
static void counted_calls_do_what_they_should(void **state)
{
    struct mutexbench bench = short_run(recip_algorithm_find("reciprocating-park"));
    struct mutexbench_result result;
    (void)state;
    if (!system_calls_available())
        skip();
    bench.threads = 8;
    bench.count_calls = true;
    assert_true(mutexbench_run(&bench, &result));
    assert_true(result.excluded);
    assert_true(result.calls.futex <= result.calls.all);
    mutexbench_free(&result);
}

/* Both forms come to an end, with something to show. */
static void latency_is_measured(void **state)
{
    static const char *const locks[] = {"pthread", "mutex", "reciprocating"};
    (void)state;
    for (int i = 0; i < 6; i++) {
        struct latency latency = {recip_algorithm_find(locks[i / 2]), i % 2, 0.05, 0.01};
        struct latency_result result = {.operations = 0};
        for (int attempt = 0; attempt < ATTEMPTS && !result.operations; attempt++)
            assert_true(latency_run(&latency, &result));
        assert_true(result.operations > 0);
        assert_true(result.nanoseconds > 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(no_lock_is_caught),
        cmocka_unit_test(locks_are_not_accused),
        cmocka_unit_test(generator_is_mt19937),
        cmocka_unit_test(generator_stays_within_its_state),
        cmocka_unit_test(missing_steps_are_caught),
        cmocka_unit_test(operations_add_up),
        cmocka_unit_test(cpu_time_is_to_the_nanosecond),
        cmocka_unit_test(calls_are_counted_exactly),
        cmocka_unit_test(counted_calls_do_what_they_should),
        cmocka_unit_test(latency_is_measured),
        cmocka_unit_test(intervals_are_those_of_order_statistics),
        cmocka_unit_test(fairness_has_its_known_values),
        cmocka_unit_test(quantiles_are_close),
        cmocka_unit_test(verdicts_follow_the_interval),
        cmocka_unit_test(times_and_rates_compare_alike),
        cmocka_unit_test(best_peer_is_the_best),
        cmocka_unit_test(runs_that_one_lock_misses_do_not_count),
        cmocka_unit_test(work_is_counted_exactly),
        cmocka_unit_test(arrivals_are_a_poisson_process),
        cmocka_unit_test(waits_count_from_when_they_were_due),
        cmocka_unit_test(waits_of_a_known_lock_are_found),
        cmocka_unit_test(lateness_is_the_clocks),
        cmocka_unit_test(signals_count_until_the_mutex_is_had),
        cmocka_unit_test(waiting_catches_no_lock),
        cmocka_unit_test(waiting_accuses_no_lock),
        cmocka_unit_test(waits_are_summarised_and_compared),
        cmocka_unit_test(waits_from_due_are_summarised_and_compared),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
