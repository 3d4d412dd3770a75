/* SPDX-License-Identifier: MIT */
#include "bench/results/figures.h"

#include <math.h>
#include <stdlib.h>

#include "bench/results/cells.h"
#include "cli/statistics.h"

static double fairness_of(const json_t *row, double (*of)(double *values, size_t count))
{
    size_t count = json_array_size(row);
    double *values = calloc(count + 1, sizeof *values), fairness = NAN;
    for (size_t i = 0; values && i < count; i++)
        values[i] = json_number_value(json_array_get(row, i));
    if (values && count)
        fairness = of(values, count);
    free(values);
    return fairness;
}

static double jain_of_threads(const json_t *measurement)
{
    return fairness_of(json_object_get(measurement, "per_thread"), jain_index);
}

static double least_over_most_of_threads(const json_t *measurement)
{
    return fairness_of(json_object_get(measurement, "per_thread"), least_over_most);
}

static double fairness_factor_of_threads(const json_t *measurement)
{
    return fairness_of(json_object_get(measurement, "per_thread"), fairness_factor);
}

/* The median over the slices in which a thread was admitted. */
static double jain_of_slices(const json_t *measurement)
{
    const json_t *slices = json_object_get(measurement, "slices"), *slice;
    double *values = calloc(json_array_size(slices) + 1, sizeof *values), median = NAN;
    size_t index, count = 0;
    json_array_foreach(slices, index, slice)
    {
        double jain = fairness_of(slice, jain_index);
        if (values && isfinite(jain))
            values[count++] = jain;
    }
    if (count)
        median = estimate_median(values, count).median;
    free(values);
    return median;
}

static double cpu_of_operation(const json_t *measurement)
{
    return field_number(measurement, "cpu_seconds") * 1e9 / field_number(measurement, "operations");
}

static double switches_of_operation(const json_t *measurement)
{
    return field_number(measurement, "context_switches") / field_number(measurement, "operations");
}

#define F FIGURE_FAIRNESS
#define D FIGURE_DETAIL

const struct figure figures[] = {
    {F, "least_over_most", least_over_most_of_threads, false, "Least over most operations of a thread", 1, 3},
    {F, "jain", jain_of_threads, false, "Jain's index of fairness: 1 is even", 1, 3},
    {F, "fairness_factor", fairness_factor_of_threads, false,
     "Fairness factor, the share of the busier half of the threads: 0.5 is even", 1, 3},
    {F, "slice_jain", jain_of_slices, false, "Jain's index within a slice of time, the median of the slices", 1, 3},
    {F, "longest_gap", NULL, true, "Most admissions of others between two of one thread", 1, 0},
    {D, "acquire_ns_p50", NULL, false, "Nanoseconds to acquire, p50", 1, 0},
    {D, "acquire_ns_p99", NULL, false, "Nanoseconds to acquire, p99", 1, 0},
    {D, "acquire_ns_p999", NULL, false, "Nanoseconds to acquire, p99.9", 1, 0},
    {D, "acquire_ns_max", NULL, true, "Nanoseconds to acquire, the most", 1, 0},
    {D, "most_passed", NULL, true, "Most admissions of others during one acquisition", 1, 0},
    {D, "cpu_ns_per_operation", cpu_of_operation, false, "CPU time in nanoseconds for an operation", 1, 1},
    {D, "context_switches_per_operation", switches_of_operation, false, "Context switches in a million operations", 1e6,
     1},
    /* From the counts, not from the measurements: summary.c sets them. */
    {D, "futex_calls_per_operation", NULL, false, "Futex calls in a million operations", 1e6, 1},
    {D, "system_calls_per_operation", NULL, false, "System calls of all kinds in a million operations", 1e6, 1},
};

const size_t figure_count = sizeof figures / sizeof *figures;

double figure_of(const struct figure *figure, const json_t *measurement)
{
    return figure->of ? figure->of(measurement) : field_number(measurement, figure->name);
}
