/* SPDX-License-Identifier: MIT */
/* The waits of kind `waiting`, from when a thread was due and from when it ran, summarised and compared. Nothing is
 * added where a cell has none. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "bench/results/summary.h"

/* What is known of an arrival; in measurements and summaries NAME_ns_p50 and so on. */
static const struct part {
    const char *name, *list; /* the list has all of them */
    bool compared;
} parts[] = {{"wait", "waits", true}, {"from_due", "from_due", true}, {"late", "late", false}};

enum { PARTS = sizeof parts / sizeof *parts };

/* Percentiles that a single run has enough arrivals for: the median over the runs. */
static const char *const percentiles[] = {"p50", "p90", "p99"};

enum { PERCENTILES = sizeof percentiles / sizeof *percentiles, NAME_SIZE = 32 };

static const char *field_of(const struct part *part, const char *between, const char *percentile, char name[NAME_SIZE])
{
    snprintf(name, NAME_SIZE, "%s%s%s", part->name, between, percentile);
    return name;
}

/* The known ones of all runs, in `values`. Returns how many. */
static size_t known_values(const struct cell *cell, const char *field, double *values)
{
    size_t count = 0;
    for (size_t i = 0; i < cell->count; i++) {
        values[count] = field_number(cell->measurements[i], field);
        count += isfinite(values[count]) ? 1 : 0;
    }
    return count;
}

struct wait {
    double nanoseconds, count;
};

static int compare_waits(const void *left, const void *right)
{
    double a = ((const struct wait *)left)->nanoseconds, b = ((const struct wait *)right)->nanoseconds;
    return (a > b) - (a < b);
}

/* Of the arrivals of all runs together, because a single run has too few for it. NAN if there are none. */
static double pooled_percentile(const struct cell *cell, const char *list, double share)
{
    size_t size = 0, used = 0;
    double total = 0, seen = 0, wait = NAN;
    for (size_t i = 0; i < cell->count; i++)
        size += json_array_size(json_object_get(cell->measurements[i], list));
    struct wait *waits = calloc(size + 1, sizeof *waits);
    for (size_t i = 0; waits && i < cell->count; i++) {
        const json_t *pair;
        size_t index;
        json_array_foreach(json_object_get(cell->measurements[i], list), index, pair)
        {
            waits[used] =
                (struct wait){json_number_value(json_array_get(pair, 0)), json_number_value(json_array_get(pair, 1))};
            total += waits[used++].count;
        }
    }
    if (waits)
        qsort(waits, used, sizeof *waits, compare_waits);
    for (size_t i = 0; i < used && !(seen > 0 && seen >= share * total); i++) {
        seen += waits[i].count;
        wait = waits[i].nanoseconds;
    }
    free(waits);
    return wait;
}

static void summarise_part(json_t *summary, const struct cell *cell, const struct part *part, double *values)
{
    char name[NAME_SIZE];
    double longest = 0;
    for (int i = 0; i < PERCENTILES; i++) {
        size_t count = known_values(cell, field_of(part, "_ns_", percentiles[i], name), values);
        if (!count)
            return;
        struct estimate estimate = estimate_median(values, count);
        json_object_set_new(summary, name, results_of_estimate(&estimate));
    }
    double rare = pooled_percentile(cell, part->list, 0.999);
    if (isfinite(rare))
        json_object_set_new(summary, field_of(part, "_ns_", "p999", name), json_real(rare));
    for (size_t i = known_values(cell, field_of(part, "_ns_", "max", name), values); i > 0; i--)
        longest = fmax(longest, values[i - 1]);
    json_object_set_new(summary, name, json_real(longest));
}

void results_summarise_waits(json_t *summary, const struct cell *cell, double *values)
{
    double arrivals = 0;
    for (int i = 0; i < PARTS; i++)
        summarise_part(summary, cell, &parts[i], values);
    size_t known = known_values(cell, "arrivals", values);
    for (size_t i = 0; i < known; i++)
        arrivals += values[i];
    if (known)
        json_object_set_new(summary, "arrivals", json_real(arrivals));
}

static const char *verdict_words(const struct estimate *ratio)
{
    static const char *const words[] = {[NO_DIFFERENCE] = "no difference seen", [LESS] = "shorter", [MORE] = "longer"};
    return ratio->confident ? words[verdict_of(ratio)] : "too few runs";
}

/* Ratios of the waits in the runs that both have: above 1 the cell waits longer. */
static json_t *ratio_of(const struct cell *cell, const struct cell *base, const char *field, double *values)
{
    size_t count = 0;
    for (size_t i = 0; i < cell->count; i++) {
        const json_t *own = cell->measurements[i];
        const json_t *other = cell_in_run(base, json_integer_value(json_object_get(own, "run")));
        double ratio = other ? field_number(own, field) / field_number(other, field) : NAN;
        if (isfinite(ratio))
            values[count++] = ratio;
    }
    if (!count)
        return NULL;
    struct estimate estimate = estimate_median(values, count);
    json_t *ratio = results_of_estimate(&estimate);
    json_object_set_new(ratio, "verdict", json_string(verdict_words(&estimate)));
    return ratio;
}

void results_compare_waits(json_t *comparison, const struct cell *cell, const struct cell *base, double *values)
{
    char name[NAME_SIZE];
    for (int i = 0; i < PARTS * PERCENTILES; i++) {
        const struct part *part = &parts[i / PERCENTILES];
        const char *percentile = percentiles[i % PERCENTILES];
        json_t *ratio = part->compared ? ratio_of(cell, base, field_of(part, "_ns_", percentile, name), values) : NULL;
        if (ratio)
            json_object_set_new(comparison, field_of(part, "_", percentile, name), ratio);
    }
}
