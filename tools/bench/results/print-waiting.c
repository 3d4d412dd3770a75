/* SPDX-License-Identifier: MIT */
#include "bench/results/print-waiting.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bench/results/cells.h"
#include "cli/terminal.h"

/* Of the names of the locks. */
static int name_width(const struct table *table)
{
    size_t width = strlen("pthread-adaptive");
    for (size_t i = 0; i < table->lock_count; i++)
        width = strlen(table->locks[i]) > width ? strlen(table->locks[i]) : width;
    return (int)width;
}

/* Three digits that count, at least; "-" if it is not known. */
static void print_number(FILE *to, int width, double number)
{
    int decimals = number >= 100 ? 0 : number >= 10 ? 1 : number >= 0.1 ? 2 : 4;
    if (isfinite(number))
        fprintf(to, " %*.*f", width, decimals, number);
    else
        fprintf(to, " %*s", width, "-");
}

/* A ratio to the baseline with its interval; nothing where there are too few runs. */
static void print_ratio(FILE *to, const json_t *ratio, const char *verdict)
{
    if (!json_is_true(json_object_get(ratio, "confident")))
        return;
    bool alike = strcmp(verdict, "no difference seen") == 0;
    double median = field_number(ratio, "median");
    int decimals = median >= 100 ? 0 : median >= 10 ? 1 : 2;
    fprintf(to, "  %c%5.*f  %.*f..%.*f", alike ? '=' : ' ', decimals, median, decimals, field_number(ratio, "low"),
            decimals, field_number(ratio, "high"));
}

static void print_hogs(const struct table *table, const struct column *column, const char *baseline)
{
    const int width = name_width(table);
    fprintf(table->to, "%-*s %8s %5s %10s %8s   over %s\n", width, "hogs", "M/s", "", "least/most", "CPU ns", baseline);
    for (size_t i = 0; i < table->lock_count; i++) {
        const json_t *summary = table_find(table->summaries, table->locks[i], column);
        const json_t *comparison = table_find(table->comparisons, table->locks[i], column);
        const json_t *value = json_object_get(summary, "value");
        double median = field_number(value, "median");
        double spread = (field_number(value, "high") - field_number(value, "low")) / 2 / median * 100;
        if (!summary)
            continue;
        fprintf(table->to, "%-*s", width, table->locks[i]);
        print_number(table->to, 8, median * 1e-6);
        if (spread > 99)
            fputs(" noisy", table->to);
        else
            fprintf(table->to, " ±%3.0f%%", isfinite(spread) ? spread : 0);
        print_number(table->to, 10, field_number(summary, "least_over_most"));
        print_number(table->to, 8, field_number(summary, "cpu_ns_per_operation"));
        print_ratio(table->to, json_object_get(comparison, "speed"), table_text(comparison, "verdict"));
        fputc('\n', table->to);
    }
}

/* Microseconds of the waits, from an interval or a number. */
static double microseconds(const json_t *summary, const char *part, const char *percentile)
{
    char field[32];
    snprintf(field, sizeof field, "%s_ns_%s", part, percentile);
    const json_t *wait = json_object_get(summary, field);
    return (json_is_object(wait) ? field_number(wait, "median") : field_number(summary, field)) * 1e-3;
}

static void print_times(const struct table *table, const json_t *summary, const char *part, int count)
{
    static const char *const percentiles[] = {"p50", "p90", "p99", "p999", "max"};
    for (int i = 0; i < count; i++)
        print_number(table->to, 7, microseconds(summary, part, percentiles[i]));
}

/* The whole distribution of that part of the time. */
static void print_others(const struct table *table, const struct column *column, const char *part, const char *title,
                         const char *baseline)
{
    const int width = name_width(table);
    char ratio_name[32];
    snprintf(ratio_name, sizeof ratio_name, "%s_p99", part);
    fprintf(table->to, "%-*s %7s %7s %7s %7s %7s   p99 over %s\n", width, title, "p50", "p90", "p99", "p99.9",
            "longest", baseline);
    for (size_t i = 0; i < table->lock_count; i++) {
        const json_t *summary = table_find(table->summaries, table->locks[i], column);
        const json_t *comparison = table_find(table->comparisons, table->locks[i], column);
        const json_t *ratio = json_object_get(comparison, ratio_name);
        if (!summary)
            continue;
        fprintf(table->to, "%-*s", width, table->locks[i]);
        print_times(table, summary, part, 5);
        print_ratio(table->to, ratio, table_text(ratio, "verdict"));
        fputc('\n', table->to);
    }
}

/* What of it was the kernel's, and what the lock's. */
static void print_parts(const struct table *table, const struct column *column)
{
    const int width = name_width(table);
    fprintf(table->to, "%-*s %7s %7s %7s  %7s %7s %7s\n", width, "late, then waits", "p50", "p90", "p99", "p50", "p90",
            "p99");
    for (size_t i = 0; i < table->lock_count; i++) {
        const json_t *summary = table_find(table->summaries, table->locks[i], column);
        if (!summary)
            continue;
        fprintf(table->to, "%-*s", width, table->locks[i]);
        print_times(table, summary, "late", 3);
        fputc(' ', table->to);
        print_times(table, summary, "wait", 3);
        fputc('\n', table->to);
    }
}

/* Results of older versions have waits from when the thread ran. */
static bool has_due(const struct table *table, const struct column *column)
{
    for (size_t i = 0; i < table->lock_count; i++)
        if (json_object_get(table_find(table->summaries, table->locks[i], column), "from_due_ns_p50"))
            return true;
    return false;
}

static void print_seldom(const struct table *table, const struct column *column, const char *baseline)
{
    if (!has_due(table, column)) {
        print_others(table, column, "wait", "seldom, us", baseline);
        return;
    }
    print_others(table, column, "from_due", "seldom, from due", baseline);
    print_parts(table, column);
}

/* How late timers are here without any lock. */
static void print_lateness(const struct table *table, const json_t *late)
{
    static const char *const percentiles[] = {"p50", "p90", "p99"};
    const json_t *one;
    size_t index;
    if (!json_array_size(late))
        return;
    fputs("A wait is from when it is due until it has the lock: it is late until it runs,\nthen it waits for the lock. "
          "Without any lock a thread is late by:\n",
          table->to);
    fprintf(table->to, "%-32s %7s %7s %7s\n", "", "p50", "p90", "p99");
    json_array_foreach(late, index, one)
    {
        char where[64] = "alone";
        unsigned computing = (unsigned)field_number(one, "computing");
        if (computing)
            snprintf(where, sizeof where, "beside %u computing thread%s", computing, computing == 1 ? "" : "s");
        fprintf(table->to, "%-32s", where);
        for (int i = 0; i < 3; i++)
            print_number(table->to, 7, field_number(one, percentiles[i]) * 1e-3);
        fputc('\n', table->to);
    }
}

static void print_explanation(const struct table *table, const json_t *options, bool conditions)
{
    unsigned others = (unsigned)field_number(options, "seldom_threads");
    double period = field_number(options, "period_seconds") * 1e3;
    fputs("Hogs lock all the time: INSIDE ns in a section, OUTSIDE ns between, on average.\n", table->to);
    if (conditions)
        fprintf(table->to, "%u consumer%s signalled every %g ms on average: from signal to mutex in us.\n", others,
                others == 1 ? " is" : "s are each", period);
    else
        fprintf(table->to, "%u thread%s seldom, every %g ms on average, by the clock: waits in us.\n", others,
                others == 1 ? " locks" : "s lock", period);
    print_lateness(table, json_object_get(options, "timer_late_ns"));
    fprintf(table->to,
            "Medians over the runs; p99.9 and the longest are of all runs together. Ratios\n"
            "to %s are of the same runs, with 95 %% intervals; = is no difference seen.\n",
            table_text(options, "baseline"));
}

static void print_all(const struct table *table, const json_t *results)
{
    const json_t *options = json_object_get(results, "options");
    const char *baseline = table_text(options, "baseline");
    bool conditions = json_is_true(json_object_get(options, "condition_variables"));
    print_explanation(table, options, conditions);
    if (field_number(options, "runs") < 6)
        fputs("Too few runs to compare: 6 give the first interval (--runs 7).\n", table->to);
    for (size_t i = 0; i < table->column_count; i++) {
        const struct column *column = &table->columns[i];
        fprintf(table->to, "\n%s, %d hog%s\n", column->workload, (int)column->threads, column->threads == 1 ? "" : "s");
        print_hogs(table, column, baseline);
        if (conditions)
            print_others(table, column, "wait", "consumers, us", baseline);
        else
            print_seldom(table, column, baseline);
    }
}

/* A line that is too wide, as with a long name of a lock, is folded. */
void print_waiting(const struct table *table, const json_t *results)
{
    char *text;
    size_t size;
    struct table kept = *table;
    kept.to = open_memstream(&text, &size);
    if (!kept.to)
        return;
    print_all(&kept, results);
    fclose(kept.to);
    print_folded(table->to, 4, "%s", text);
    free(text);
}
