/* SPDX-License-Identifier: MIT */
/* How the locks compare: with the baseline, and in kind `mutex` with the best peer. */
#include <math.h>
#include <string.h>

#include "bench/results/summary.h"

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
        const json_t *other = cell_in_run(base, json_integer_value(json_object_get(own, "run")));
        double value = field_number(own, "value"), against = other ? field_number(other, "value") : 0;
        double speed = times ? against / value : value / against;
        if (against > 0 && isfinite(speed))
            values[count++] = speed;
    }
    if (!count)
        return NULL;
    struct estimate speed = estimate_median(values, count);
    json_t *comparison = json_pack("{s:s, s:s, s:s, s:I, s:I, s:o, s:s}", "lock", cell->lock, "baseline", base->lock,
                                   "workload", cell->workload, "threads", cell->threads, "runs", (json_int_t)count,
                                   "speed", results_of_estimate(&speed), "verdict", verdict_words(&speed));
    results_compare_waits(comparison, cell, base, values);
    return comparison;
}

static const struct cell *find_base(const struct cells *cells, const struct cell *of, const char *lock)
{
    for (size_t i = 0; i < cells->count; i++)
        if (cells_same_column(&cells->list[i], of) && strcmp(cells->list[i].lock, lock) == 0)
            return &cells->list[i];
    return NULL;
}

static double median_of(const struct cell *cell, double *values)
{
    for (size_t i = 0; i < cell->count; i++)
        values[i] = field_number(cell->measurements[i], "value");
    return estimate_median(values, cell->count).median;
}

/* A compare-and-swap and a store: what a pair is compared with. It is no peer. */
static const char bare[] = "bare";

/* Of this build, or of another: `mutex@PATH`. It is no peer either. */
static bool is_mutex(const char *lock)
{
    static const char name[] = "mutex";
    const size_t length = sizeof name - 1;
    return strncmp(lock, name, length) == 0 && (!lock[length] || lock[length] == '@');
}

/* The one with the best median over all runs. Luck in that choice counts for the peer. */
static const struct cell *find_best_peer(const struct cells *cells, const struct cell *of, double *values)
{
    const struct cell *best = NULL;
    double most = 0;
    for (size_t i = 0; i < cells->count; i++) {
        const struct cell *cell = &cells->list[i];
        if (is_mutex(cell->lock) || !cells_same_column(cell, of) || strcmp(cell->lock, bare) == 0 ||
            median_of(cell, values) <= most)
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
    bool times = strcmp(field_text(results, "better"), "less") == 0;
    json_t *comparison = base && base != cell ? comparison_of(cell, base, times, values) : NULL;
    if (!comparison)
        return;
    if (mark)
        json_object_set_new(comparison, mark, json_true());
    json_array_append_new(json_object_get(results, "comparisons"), comparison);
}

void results_compare(json_t *results, const struct cells *cells, double *values)
{
    const char *baseline = field_text(json_object_get(results, "options"), "baseline");
    bool has_peers = strcmp(field_text(results, "kind"), "mutex") == 0;
    for (size_t i = 0; i < cells->count; i++) {
        const struct cell *cell = &cells->list[i];
        if (baseline)
            add_comparison(results, cell, find_base(cells, cell, baseline), NULL, values);
        if (!has_peers || !is_mutex(cell->lock))
            continue;
        add_comparison(results, cell, find_best_peer(cells, cell, values), "best_peer", values);
        add_comparison(results, cell, find_base(cells, cell, bare), "bare", values);
    }
}
