/* SPDX-License-Identifier: MIT */
#include "tests/bench/statistics.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "bench/measure/histogram.h"
#include "bench/results/results.h"
#include "cli/statistics.h"

static void assert_close(double value, double expected)
{
    assert_true(fabs(value - expected) < 1e-9);
}

/* Of n values in order, the interval from the k-th to the k-th from the end; k as tables of the sign test have it. */
void intervals_are_those_of_order_statistics(void **state)
{
    static const struct {
        size_t count, k;
    } known[] = {{5, 0}, {6, 1}, {7, 1}, {8, 1}, {9, 2}, {11, 2}, {12, 3}, {20, 6}, {25, 8}};
    (void)state;
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        double values[32];
        for (size_t j = 0; j < known[i].count; j++)
            values[j] = (double)(known[i].count - j);
        struct estimate estimate = estimate_median(values, known[i].count);
        double first = known[i].k ? (double)known[i].k : 1;
        assert_int_equal(estimate.confident, known[i].k > 0);
        assert_close(estimate.median, ((double)known[i].count + 1) / 2);
        assert_close(estimate.low, first);
        assert_close(estimate.high, (double)known[i].count + 1 - first);
    }
}

void fairness_has_its_known_values(void **state)
{
    double even[] = {3, 3, 3, 3}, one[] = {0, 8, 0, 0}, three[] = {1, 2, 3}, nobody[] = {0, 0};
    (void)state;
    assert_close(jain_index(even, 4), 1);
    assert_close(jain_index(one, 4), 0.25);
    assert_true(isnan(jain_index(nobody, 2)));
    assert_close(least_over_most(even, 4), 1);
    assert_close(least_over_most(one, 4), 0);
    assert_close(least_over_most(three, 3), 1.0 / 3);
    assert_close(fairness_factor(even, 4), 0.5);
    assert_close(fairness_factor(one, 4), 1);
    assert_close(fairness_factor(three, 3), 4.0 / 6);
    assert_close(fairness_factor(even, 1), 0.5);
}

void quantiles_are_close(void **state)
{
    static struct histogram histogram;
    (void)state;
    assert_int_equal(histogram_quantile(&histogram, 0.5), 0);
    for (uint64_t value = 1; value <= 100000; value++)
        histogram_add(&histogram, value);
    assert_in_range(histogram_quantile(&histogram, 0.5), 50000, 50000 * 107 / 100);
    assert_in_range(histogram_quantile(&histogram, 0.99), 99000, 100000);
    assert_int_equal(histogram_quantile(&histogram, 1), 100000);
}

/* ---- Documents ---- */

static json_t *document(const char *kind, bool times)
{
    return results_new(kind, times, json_pack("{s:s}", "baseline", "pthread"));
}

static void add(json_t *results, const char *lock, unsigned run, double value)
{
    struct results_cell cell = {lock, "max", 2};
    results_add_measurement(
        results, &cell, run,
        json_pack("{s:f, s:f, s:i, s:[i, i]}", "value", value, "seconds", 1.0, "operations", 2, "per_thread", 1, 1));
}

static const json_t *comparison(const json_t *results, const char *lock, bool best_peer)
{
    const json_t *found = NULL, *one;
    size_t index;
    json_array_foreach(json_object_get(results, "comparisons"), index, one)
    {
        if (strcmp(json_string_value(json_object_get(one, "lock")), lock) == 0 &&
            json_is_true(json_object_get(one, "best_peer")) == best_peer)
            found = one;
    }
    assert_non_null(found);
    return found;
}

static void assert_verdict(const json_t *one, const char *verdict)
{
    assert_string_equal(json_string_value(json_object_get(one, "verdict")), verdict);
}

/* In each run the ratio is to the baseline of that run: a machine that gets slower from run to run changes nothing. */
void verdicts_follow_the_interval(void **state)
{
    json_t *results = document("mutexbench", false);
    (void)state;
    for (unsigned run = 0; run < 7; run++) {
        double drift = 100.0 / (run + 1);
        add(results, "pthread", run, drift);
        add(results, "twice", run, 2 * drift);
        add(results, "half", run, drift / 2);
        add(results, "alike", run, drift * (run % 2 ? 1.3 : 0.9));
        if (run < 5)
            add(results, "seldom", run, 3 * drift);
    }
    results_summarise(results);
    assert_int_equal(json_array_size(json_object_get(results, "summaries")), 5);
    assert_int_equal(json_array_size(json_object_get(results, "comparisons")), 4);
    assert_verdict(comparison(results, "twice", false), "faster");
    assert_close(
        json_number_value(json_object_get(json_object_get(comparison(results, "twice", false), "speed"), "low")), 2);
    assert_verdict(comparison(results, "half", false), "slower");
    assert_verdict(comparison(results, "alike", false), "no difference seen");
    assert_verdict(comparison(results, "seldom", false), "too few runs");
    json_decref(results);
}

void times_and_rates_compare_alike(void **state)
{
    json_t *results = document("latency", true);
    (void)state;
    for (unsigned run = 0; run < 6; run++) {
        add(results, "pthread", run, 10);
        add(results, "quick", run, 5);
    }
    results_summarise(results);
    const json_t *one = comparison(results, "quick", false);
    assert_verdict(one, "faster");
    assert_close(json_number_value(json_object_get(json_object_get(one, "speed"), "median")), 2);
    json_decref(results);
}

void best_peer_is_the_best(void **state)
{
    json_t *results = document("mutex", false);
    (void)state;
    for (unsigned run = 0; run < 6; run++) {
        add(results, "mutex", run, 30);
        add(results, "pthread", run, 20);
        add(results, "nsync", run, 40);
        add(results, "std", run, run ? 20 : 1000);
    }
    results_summarise(results);
    const json_t *best = comparison(results, "mutex", true);
    assert_string_equal(json_string_value(json_object_get(best, "baseline")), "nsync");
    assert_verdict(best, "slower");
    assert_verdict(comparison(results, "mutex", false), "faster");
    json_decref(results);
}

/* After Ctrl-C, or where the baseline could not run. */
void runs_that_one_lock_misses_do_not_count(void **state)
{
    json_t *results = document("mutexbench", false);
    (void)state;
    for (unsigned run = 0; run < 7; run++) {
        add(results, "other", run, 20);
        if (run != 3)
            add(results, "pthread", run, run == 5 ? 0 : 10);
    }
    results_summarise(results);
    const json_t *one = comparison(results, "other", false);
    assert_int_equal(json_integer_value(json_object_get(one, "runs")), 5);
    assert_verdict(one, "too few runs");
    json_decref(results);
}
