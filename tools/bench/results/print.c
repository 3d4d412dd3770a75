/* SPDX-License-Identifier: MIT */
/* Results as tables. Everything is taken from the document, so that a saved one prints the same. */
#include <math.h>
#include <string.h>

#include "bench/results/figures.h"
#include "bench/results/print-waiting.h"
#include "bench/results/results.h"
#include "bench/results/table.h"
#include "cli/terminal.h"

/* Percent: with a spread like this a median says nothing. */
enum { NOISE = 99 };

static double number_of(const json_t *object, const char *field)
{
    return json_number_value(json_object_get(object, field));
}

/* The comparison with that mark; null for the one with the baseline, which has none. */
static const json_t *find_comparison(const json_t *comparisons, const char *lock, const struct column *column,
                                     const char *mark)
{
    const json_t *comparison;
    size_t index;
    json_array_foreach(comparisons, index, comparison)
    {
        bool marked = json_object_get(comparison, "best_peer") || json_object_get(comparison, "bare");
        if (table_is_in(comparison, lock, column) && (mark ? json_object_get(comparison, mark) != NULL : !marked))
            return comparison;
    }
    return NULL;
}

/* How the value, or another number, is shown. */
struct format {
    const char *title;
    double scale;
    int decimals;
};

static void print_figure(const struct table *table, const char *lock, const struct column *column, const void *what)
{
    const struct figure *figure = what;
    const json_t *number = json_object_get(table_find(table->summaries, lock, column), figure->name);
    if (number)
        fprintf(table->to, " %10.*f", figure->decimals, json_number_value(number) * figure->scale);
    else
        fprintf(table->to, " %10s", "-");
}

/* The median, and half of its interval as a part of it, unless that is as large as the median. */
static void print_value(const struct table *table, const char *lock, const struct column *column, const void *what)
{
    const struct format *format = what;
    const json_t *value = json_object_get(table_find(table->summaries, lock, column), "value");
    double median = number_of(value, "median"), spread = (number_of(value, "high") - number_of(value, "low")) / 2;
    double part = median > 0 ? spread / median * 100 : 0;
    if (value && part > NOISE)
        fprintf(table->to, " %10.*f noisy", format->decimals, median * format->scale);
    else if (value)
        fprintf(table->to, " %10.*f ±%3.0f%%", format->decimals, median * format->scale, part);
    else
        fprintf(table->to, " %16s", "-");
}

static void print_speed(const struct table *table, const char *lock, const struct column *column, const void *what)
{
    (void)what;
    const json_t *comparison = find_comparison(table->comparisons, lock, column, NULL);
    const json_t *speed = json_object_get(comparison, "speed");
    if (!comparison) {
        fprintf(table->to, " %20s", "-");
        return;
    }
    bool alike = strcmp(table_text(comparison, "verdict"), "no difference seen") == 0;
    fprintf(table->to, " %c%6.2f %5.2f..%-5.2f", alike ? '=' : ' ', number_of(speed, "median"), number_of(speed, "low"),
            number_of(speed, "high"));
}

/* A line for each column where there is such a comparison of the lock, which is the mutex. */
static void print_marked(const struct table *table, const char *lock, const char *mark, const char *with)
{
    bool first = true;
    for (size_t i = 0; i < table->column_count; i++) {
        const json_t *comparison = find_comparison(table->comparisons, lock, &table->columns[i], mark);
        const json_t *speed = json_object_get(comparison, "speed");
        if (!comparison)
            continue;
        if (first)
            fprintf(table->to, "\nSpeed of %s over that of %s, in the same runs\n", lock, with);
        first = false;
        print_folded(table->to, 16, "%-15s %4d threads %6.2f %5.2f..%-5.2f %-28s %s\n", table->columns[i].workload,
                     (int)table->columns[i].threads, number_of(speed, "median"), number_of(speed, "low"),
                     number_of(speed, "high"), table_text(comparison, "baseline"), table_text(comparison, "verdict"));
    }
}

static void print_environment(const json_t *results, FILE *to)
{
    const json_t *environment = json_object_get(results, "environment"), *options = json_object_get(results, "options");
    const char *cpu = table_text(environment, "cpu"), *governor = table_text(environment, "governor");
    char loop[64] = "";
    print_folded(to, 2, "%s, %d CPUs%s, Linux %s%s%s, load %.2f at the start and %.2f at the end\n",
                 *cpu ? cpu : "unknown CPU", (int)number_of(environment, "cpus"),
                 json_is_true(json_object_get(environment, "virtualised")) ? " (virtual)" : "",
                 table_text(environment, "kernel"), *governor ? ", governor " : "", governor,
                 number_of(environment, "load_at_start"), number_of(environment, "load_at_end"));
    if (json_object_get(options, "loop_ns"))
        snprintf(loop, sizeof loop, "; the loop without a lock takes %.1f ns", number_of(options, "loop_ns"));
    print_folded(to, 2, "%s: %d runs of %g s%s; system calls %s\n", table_text(results, "kind"),
                 (int)number_of(options, "runs"), number_of(options, "seconds"), loop, table_text(options, "calls"));
    if (json_is_true(json_object_get(environment, "busy")))
        print_folded(to, 2,
                     "%sThe machine was busy: other programs had %.1f of its %d CPUs meanwhile. These figures say "
                     "little; measure again when nothing else runs.%s\n",
                     terminal_style(to, STYLE_BOLD), number_of(environment, "others_cpus"),
                     (int)number_of(environment, "cpus"), terminal_style(to, STYLE_PLAIN));
    if (!json_is_true(json_object_get(results, "complete")))
        fputs("Interrupted: these are the measurements that were done.\n", to);
}

static const struct format rate = {
    "Millions of operations per second: median ± half of its interval; noisy: that is 100 % or more", 1e-6, 3};
static const struct format slow_rate = {
    "Thousands of operations per second: median ± half of its interval; noisy: that is 100 % or more", 1e-3, 3};
static const struct format duration = {"Nanoseconds: median ± half of its interval; noisy: that is 100 % or more", 1,
                                       1};

static bool is_known(const struct table *table, const struct figure *figure)
{
    const json_t *summary;
    size_t index;
    json_array_foreach(table->summaries, index, summary)
    {
        if (json_object_get(summary, figure->name))
            return true;
    }
    return false;
}

static void print_group(const struct table *table, enum figure_group group)
{
    for (size_t i = 0; i < figure_count; i++)
        if (figures[i].group == group && is_known(table, &figures[i]))
            table_print(table, figures[i].title, 10, print_figure, &figures[i]);
}

/* Rates in thousands if none reaches a million. */
static const struct format *format_of_value(const json_t *results, const json_t *summaries)
{
    const json_t *summary;
    size_t index;
    if (strcmp(table_text(results, "better"), "less") == 0)
        return &duration;
    json_array_foreach(summaries, index, summary)
    {
        if (number_of(json_object_get(summary, "value"), "median") >= 1e6)
            return &rate;
    }
    return &slow_rate;
}

static void print_comparisons(const struct table *table, const json_t *results)
{
    const json_t *first = json_array_get(table->comparisons, 0);
    const char *baseline = table_text(json_object_get(results, "options"), "baseline");
    char title[256];
    if (!first)
        return;
    if (!json_is_true(json_object_get(json_object_get(first, "speed"), "confident"))) {
        print_folded(table->to, 0,
                     "\nToo few runs to compare: 6 give the first interval with 95 %% confidence (--runs 7).\n");
        return;
    }
    snprintf(title, sizeof title,
             "Speed over that of %s in the same runs: median and its 95 %% interval; = no difference seen", baseline);
    table_print(table, title, 20, print_speed, NULL);
    for (size_t i = 0; i < table->lock_count; i++)
        print_marked(table, table->locks[i], "best_peer", "the best of the others");
    for (size_t i = 0; i < table->lock_count; i++)
        print_marked(table, table->locks[i], "bare", "a bare compare-and-swap and store");
}

void results_print(const json_t *results, bool details, FILE *to)
{
    struct table table;
    const char *kind = table_text(results, "kind");
    print_environment(results, to);
    if (table_make(&table, results, to)) {
        if (strcmp(kind, "waiting") == 0) {
            print_waiting(&table, results);
        } else {
            const struct format *value = format_of_value(results, table.summaries);
            table_print(&table, value->title, 16, print_value, value);
            print_comparisons(&table, results);
        }
        if (details || strcmp(kind, "fairness") == 0)
            print_group(&table, FIGURE_FAIRNESS);
        if (details)
            print_group(&table, FIGURE_DETAIL);
    }
    table_free(&table);
}
