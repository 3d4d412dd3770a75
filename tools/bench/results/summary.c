/* SPDX-License-Identifier: MIT */
/* The summaries: medians with their intervals, and the figures. */
#include "bench/results/summary.h"

#include <math.h>
#include <stdlib.h>

#include "bench/results/figures.h"

json_t *results_of_estimate(const struct estimate *estimate)
{
    return json_pack("{s:f, s:f, s:f, s:b}", "median", estimate->median, "low", estimate->low, "high", estimate->high,
                     "confident", estimate->confident);
}

static void add_figure(json_t *summary, const struct cell *cell, const struct figure *figure, double *values)
{
    size_t count = 0;
    for (size_t i = 0; i < cell->count; i++) {
        values[count] = figure_of(figure, cell->measurements[i]);
        count += isfinite(values[count]) ? 1 : 0;
    }
    if (!count)
        return;
    double median = estimate_median(values, count).median;
    json_object_set_new(summary, figure->name, json_real(figure->greatest ? values[count - 1] : median));
}

static void add_calls(json_t *summary, const struct cell *cell, const json_t *counts)
{
    const json_t *count;
    size_t index;
    json_array_foreach(counts, index, count)
    {
        double operations = field_number(count, "operations");
        if (!cell_has(cell, count) || !(operations > 0))
            continue;
        json_object_set_new(summary, "futex_calls_per_operation",
                            json_real(field_number(count, "futex_calls") / operations));
        json_object_set_new(summary, "system_calls_per_operation",
                            json_real(field_number(count, "system_calls") / operations));
    }
}

static json_t *summary_of(const struct cell *cell, const json_t *counts, double *values)
{
    for (size_t i = 0; i < cell->count; i++)
        values[i] = field_number(cell->measurements[i], "value");
    struct estimate estimate = estimate_median(values, cell->count);
    json_t *value = results_of_estimate(&estimate);
    json_object_set_new(value, "least", json_real(values[0]));
    json_object_set_new(value, "most", json_real(values[cell->count - 1]));
    json_t *summary = json_pack("{s:s, s:s, s:I, s:I, s:o}", "lock", cell->lock, "workload", cell->workload, "threads",
                                cell->threads, "runs", (json_int_t)cell->count, "value", value);
    for (size_t i = 0; i < figure_count; i++)
        add_figure(summary, cell, &figures[i], values);
    add_calls(summary, cell, counts);
    results_summarise_waits(summary, cell, values);
    return summary;
}

void results_summarise(json_t *results)
{
    const json_t *measurements = json_object_get(results, "measurements");
    double *values = calloc(json_array_size(measurements) + 1, sizeof *values);
    struct cells cells;
    json_object_set_new(results, "summaries", json_array());
    json_object_set_new(results, "comparisons", json_array());
    if (cells_make(&cells, measurements) && values) {
        for (size_t i = 0; i < cells.count; i++)
            json_array_append_new(json_object_get(results, "summaries"),
                                  summary_of(&cells.list[i], json_object_get(results, "counts"), values));
        results_compare(results, &cells, values);
    }
    cells_free(&cells);
    free(values);
}
