/* What follows from the measurements: medians with their intervals, fairness, and how the locks compare. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bench/results.h"
#include "cli/statistics.h"

/* The measurements of one lock in one workload with one number of threads, in the order of the runs. */
struct cell {
    const char *lock, *workload;
    json_int_t threads;
    const json_t **measurements;
    size_t count;
};

struct cells {
    struct cell *list;
    size_t count;
};

static const char *text_of(const json_t *object, const char *field)
{
    return json_string_value(json_object_get(object, field));
}

/* NAN if it is not known. */
static double number_of(const json_t *object, const char *field)
{
    const json_t *number = json_object_get(object, field);
    return number ? json_number_value(number) : NAN;
}

static bool is_in(const json_t *object, const struct cell *cell)
{
    const char *lock = text_of(object, "lock"), *workload = text_of(object, "workload");
    return lock && workload && strcmp(lock, cell->lock) == 0 && strcmp(workload, cell->workload) == 0 &&
           json_integer_value(json_object_get(object, "threads")) == cell->threads;
}

static struct cell *cell_of(struct cells *cells, const json_t *measurement)
{
    for (size_t i = 0; i < cells->count; i++)
        if (is_in(measurement, &cells->list[i]))
            return &cells->list[i];
    struct cell *cell = &cells->list[cells->count++];
    *cell = (struct cell){.lock = text_of(measurement, "lock"),
                          .workload = text_of(measurement, "workload"),
                          .threads = json_integer_value(json_object_get(measurement, "threads"))};
    return cell;
}

/* False if there is no memory. */
static bool cells_make(struct cells *cells, const json_t *measurements)
{
    const json_t *measurement;
    size_t index;
    *cells = (struct cells){.list = calloc(json_array_size(measurements) + 1, sizeof *cells->list)};
    if (!cells->list)
        return false;
    json_array_foreach(measurements, index, measurement)
    {
        struct cell *cell = cell_of(cells, measurement);
        const json_t **longer = realloc(cell->measurements, (cell->count + 1) * sizeof *longer);
        if (!longer)
            return false;
        cell->measurements = longer;
        cell->measurements[cell->count++] = measurement;
    }
    return true;
}

static void cells_free(struct cells *cells)
{
    for (size_t i = 0; i < cells->count; i++)
        free(cells->list[i].measurements);
    free(cells->list);
}

/* ---- Figures of one measurement; NAN where it does not have them ---- */

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

/* The median over the slices in which anybody was admitted. */
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
    return number_of(measurement, "cpu_seconds") * 1e9 / number_of(measurement, "operations");
}

static double switches_of_operation(const json_t *measurement)
{
    return number_of(measurement, "context_switches") / number_of(measurement, "operations");
}

static const struct {
    const char *name;
    double (*of)(const json_t *measurement); /* null: the measurement's field of that name */
    bool greatest;                           /* of the runs, instead of the median */
} figures[] = {
    {"least_over_most", least_over_most_of_threads, false},
    {"jain", jain_of_threads, false},
    {"fairness_factor", fairness_factor_of_threads, false},
    {"slice_jain", jain_of_slices, false},
    {"cpu_ns_per_operation", cpu_of_operation, false},
    {"context_switches_per_operation", switches_of_operation, false},
    {"acquire_ns_p50", NULL, false},
    {"acquire_ns_p99", NULL, false},
    {"acquire_ns_p999", NULL, false},
    {"acquire_ns_max", NULL, true},
    {"most_passed", NULL, true},
    {"longest_gap", NULL, true},
};

enum { FIGURES = sizeof figures / sizeof *figures };

static double figure_of(const json_t *measurement, int figure)
{
    return figures[figure].of ? figures[figure].of(measurement) : number_of(measurement, figures[figure].name);
}

static void add_figure(json_t *summary, const struct cell *cell, int figure, double *values)
{
    size_t count = 0;
    for (size_t i = 0; i < cell->count; i++) {
        values[count] = figure_of(cell->measurements[i], figure);
        count += isfinite(values[count]) ? 1 : 0;
    }
    if (!count)
        return;
    double median = estimate_median(values, count).median;
    json_object_set_new(summary, figures[figure].name,
                        json_real(figures[figure].greatest ? values[count - 1] : median));
}

/* ---- Summaries ---- */

static json_t *estimate_object(const struct estimate *estimate)
{
    return json_pack("{s:f, s:f, s:f, s:b}", "median", estimate->median, "low", estimate->low, "high", estimate->high,
                     "confident", estimate->confident);
}

static void add_calls(json_t *summary, const struct cell *cell, const json_t *counts)
{
    const json_t *count;
    size_t index;
    json_array_foreach(counts, index, count)
    {
        double operations = number_of(count, "operations");
        if (!is_in(count, cell) || !(operations > 0))
            continue;
        json_object_set_new(summary, "futex_calls_per_operation",
                            json_real(number_of(count, "futex_calls") / operations));
        json_object_set_new(summary, "system_calls_per_operation",
                            json_real(number_of(count, "system_calls") / operations));
    }
}

static json_t *summary_of(const struct cell *cell, const json_t *counts, double *values)
{
    for (size_t i = 0; i < cell->count; i++)
        values[i] = number_of(cell->measurements[i], "value");
    struct estimate estimate = estimate_median(values, cell->count);
    json_t *value = estimate_object(&estimate);
    json_object_set_new(value, "least", json_real(values[0]));
    json_object_set_new(value, "most", json_real(values[cell->count - 1]));
    json_t *summary = json_pack("{s:s, s:s, s:I, s:I, s:o}", "lock", cell->lock, "workload", cell->workload, "threads",
                                cell->threads, "runs", (json_int_t)cell->count, "value", value);
    for (int figure = 0; figure < FIGURES; figure++)
        add_figure(summary, cell, figure, values);
    add_calls(summary, cell, counts);
    return summary;
}

/* ---- Comparisons ---- */

static const json_t *in_run(const struct cell *cell, json_int_t run)
{
    for (size_t i = 0; i < cell->count; i++)
        if (json_integer_value(json_object_get(cell->measurements[i], "run")) == run)
            return cell->measurements[i];
    return NULL;
}

static const char *verdict_words(const struct estimate *speed)
{
    if (!speed->confident)
        return "too few runs";
    switch (verdict_of(speed)) {
    case MORE:
        return "faster";
    case LESS:
        return "slower";
    default:
        return "no difference seen";
    }
}

/* The speeds' ratio in the runs that both have; null if there is none. */
static json_t *comparison_of(const struct cell *cell, const struct cell *base, bool times, double *values)
{
    size_t count = 0;
    for (size_t i = 0; i < cell->count; i++) {
        const json_t *own = cell->measurements[i];
        const json_t *other = in_run(base, json_integer_value(json_object_get(own, "run")));
        double value = number_of(own, "value"), against = other ? number_of(other, "value") : 0;
        double speed = times ? against / value : value / against;
        if (against > 0 && isfinite(speed))
            values[count++] = speed;
    }
    if (!count)
        return NULL;
    struct estimate speed = estimate_median(values, count);
    return json_pack("{s:s, s:s, s:s, s:I, s:I, s:o, s:s}", "lock", cell->lock, "baseline", base->lock, "workload",
                     cell->workload, "threads", cell->threads, "runs", (json_int_t)count, "speed",
                     estimate_object(&speed), "verdict", verdict_words(&speed));
}

static bool same_column(const struct cell *left, const struct cell *right)
{
    return left->threads == right->threads && strcmp(left->workload, right->workload) == 0;
}

static const struct cell *find_base(const struct cells *cells, const struct cell *of, const char *lock)
{
    for (size_t i = 0; i < cells->count; i++)
        if (same_column(&cells->list[i], of) && strcmp(cells->list[i].lock, lock) == 0)
            return &cells->list[i];
    return NULL;
}

static double median_of(const struct cell *cell, double *values)
{
    for (size_t i = 0; i < cell->count; i++)
        values[i] = number_of(cell->measurements[i], "value");
    return estimate_median(values, cell->count).median;
}

/* A compare-and-swap and a store: what a pair is held against, and no peer. */
static const char bare[] = "bare";

/* By its median over all runs: the luck that is in it counts for the peer. */
static const struct cell *find_best_peer(const struct cells *cells, const struct cell *of, double *values)
{
    const struct cell *best = NULL;
    double most = 0;
    for (size_t i = 0; i < cells->count; i++) {
        const struct cell *cell = &cells->list[i];
        if (cell == of || !same_column(cell, of) || strcmp(cell->lock, bare) == 0 || median_of(cell, values) <= most)
            continue;
        most = median_of(cell, values);
        best = cell;
    }
    return best;
}

/* With that mark, unless it is null. */
static void add_comparison(json_t *results, const struct cell *cell, const struct cell *base, const char *mark,
                           double *values)
{
    bool times = strcmp(text_of(results, "better"), "less") == 0;
    json_t *comparison = base && base != cell ? comparison_of(cell, base, times, values) : NULL;
    if (!comparison)
        return;
    if (mark)
        json_object_set_new(comparison, mark, json_true());
    json_array_append_new(json_object_get(results, "comparisons"), comparison);
}

static void add_comparisons(json_t *results, const struct cells *cells, double *values)
{
    const char *baseline = text_of(json_object_get(results, "options"), "baseline");
    bool has_peers = strcmp(text_of(results, "kind"), "mutex") == 0;
    for (size_t i = 0; i < cells->count; i++) {
        const struct cell *cell = &cells->list[i];
        if (baseline)
            add_comparison(results, cell, find_base(cells, cell, baseline), NULL, values);
        if (!has_peers || strcmp(cell->lock, "mutex") != 0)
            continue;
        add_comparison(results, cell, find_best_peer(cells, cell, values), "best_peer", values);
        add_comparison(results, cell, find_base(cells, cell, bare), "bare", values);
    }
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
        add_comparisons(results, &cells, values);
    }
    cells_free(&cells);
    free(values);
}
