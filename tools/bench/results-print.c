/* Results as tables: locks downwards, workloads and numbers of threads across. Everything is taken from the document,
 * so that a saved one prints the same. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bench/results.h"

enum { LOCK_WIDTH = 31, PAGE_WIDTH = 134 };

struct column {
    const char *workload;
    json_int_t threads;
};

/* Summaries, and what they are about, in the order of first appearance. */
struct table {
    const json_t *summaries, *comparisons;
    const char **locks;
    struct column *columns;
    size_t lock_count, column_count;
    FILE *to;
};

static const char *text_of(const json_t *object, const char *field)
{
    const char *text = json_string_value(json_object_get(object, field));
    return text ? text : "";
}

static double number_of(const json_t *object, const char *field)
{
    return json_number_value(json_object_get(object, field));
}

static bool is_in(const json_t *object, const char *lock, const struct column *column)
{
    return json_integer_value(json_object_get(object, "threads")) == column->threads &&
           strcmp(text_of(object, "workload"), column->workload) == 0 && strcmp(text_of(object, "lock"), lock) == 0;
}

static const json_t *find(const json_t *objects, const char *lock, const struct column *column)
{
    const json_t *object;
    size_t index;
    json_array_foreach(objects, index, object)
    {
        if (is_in(object, lock, column))
            return object;
    }
    return NULL;
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
        if (is_in(comparison, lock, column) && (mark ? json_object_get(comparison, mark) != NULL : !marked))
            return comparison;
    }
    return NULL;
}

static void note_lock(struct table *table, const char *lock)
{
    for (size_t i = 0; i < table->lock_count; i++)
        if (strcmp(table->locks[i], lock) == 0)
            return;
    table->locks[table->lock_count++] = lock;
}

static void note_column(struct table *table, const char *workload, json_int_t threads)
{
    for (size_t i = 0; i < table->column_count; i++)
        if (table->columns[i].threads == threads && strcmp(table->columns[i].workload, workload) == 0)
            return;
    table->columns[table->column_count++] = (struct column){workload, threads};
}

static bool table_make(struct table *table, const json_t *results, FILE *to)
{
    const json_t *summaries = json_object_get(results, "summaries"), *summary;
    size_t size = json_array_size(summaries) + 1, index;
    *table = (struct table){
        .summaries = summaries,
        .comparisons = json_object_get(results, "comparisons"),
        .locks = calloc(size, sizeof *table->locks),
        .columns = calloc(size, sizeof *table->columns),
        .to = to,
    };
    if (!table->locks || !table->columns)
        return false;
    json_array_foreach(summaries, index, summary)
    {
        note_lock(table, text_of(summary, "lock"));
        note_column(table, text_of(summary, "workload"), json_integer_value(json_object_get(summary, "threads")));
    }
    return true;
}

static void print_heading(const struct table *table, const char *title, size_t first, size_t end, int width)
{
    fprintf(table->to, "\n%s\n%-*s", title, LOCK_WIDTH, "");
    for (size_t i = first; i < end; i++)
        fprintf(table->to, " %*s", width, table->columns[i].workload);
    fprintf(table->to, "\n%-*s", LOCK_WIDTH, "threads");
    for (size_t i = first; i < end; i++)
        fprintf(table->to, " %*d", width, (int)table->columns[i].threads);
    fputc('\n', table->to);
}

static bool same_workload(const struct table *table, size_t left, size_t right)
{
    return strcmp(table->columns[left].workload, table->columns[right].workload) == 0;
}

/* Where a part of the table that begins at `first` ends: after so many workloads as find room on the page, or inside
 * one that finds none. */
static size_t end_of_part(const struct table *table, size_t first, int width)
{
    size_t room = (PAGE_WIDTH - LOCK_WIDTH) / (size_t)(width + 1), last = first;
    for (size_t end = first + 1; end <= table->column_count && end - first <= room; end++)
        if (end == table->column_count || !same_workload(table, end - 1, end))
            last = end;
    if (last > first)
        return last;
    return table->column_count - first < room ? table->column_count : first + room;
}

/* `print` prints a cell, of that width. */
static void print_table(const struct table *table, const char *title, int width,
                        void (*print)(const struct table *table, const char *lock, const struct column *column,
                                      const void *what),
                        const void *what)
{
    for (size_t first = 0, end; first < table->column_count; first = end) {
        end = end_of_part(table, first, width);
        print_heading(table, title, first, end, width);
        for (size_t lock = 0; lock < table->lock_count; lock++) {
            fprintf(table->to, "%-*s", LOCK_WIDTH, table->locks[lock]);
            for (size_t column = first; column < end; column++)
                print(table, table->locks[lock], &table->columns[column], what);
            fputc('\n', table->to);
        }
    }
}

struct figure {
    const char *name, *title;
    double scale;
    int decimals;
};

static void print_figure(const struct table *table, const char *lock, const struct column *column, const void *what)
{
    const struct figure *figure = what;
    const json_t *number = json_object_get(find(table->summaries, lock, column), figure->name);
    if (number)
        fprintf(table->to, " %10.*f", figure->decimals, json_number_value(number) * figure->scale);
    else
        fprintf(table->to, " %10s", "-");
}

/* The median, and half of its interval as a part of it. */
static void print_value(const struct table *table, const char *lock, const struct column *column, const void *what)
{
    const struct figure *figure = what;
    const json_t *value = json_object_get(find(table->summaries, lock, column), "value");
    double median = number_of(value, "median"), spread = (number_of(value, "high") - number_of(value, "low")) / 2;
    if (value)
        fprintf(table->to, " %10.*f ±%3.0f%%", figure->decimals, median * figure->scale,
                median > 0 ? fmin(spread / median * 100, 999) : 0);
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
    bool alike = strcmp(text_of(comparison, "verdict"), "no difference seen") == 0;
    fprintf(table->to, " %c%6.2f %5.2f..%-5.2f", alike ? '=' : ' ', number_of(speed, "median"), number_of(speed, "low"),
            number_of(speed, "high"));
}

/* A line for each column where there is such a comparison of the mutex. */
static void print_marked(const struct table *table, const char *mark, const char *title)
{
    bool first = true;
    for (size_t i = 0; i < table->column_count; i++) {
        const json_t *comparison = find_comparison(table->comparisons, "mutex", &table->columns[i], mark);
        const json_t *speed = json_object_get(comparison, "speed");
        if (!comparison)
            continue;
        if (first)
            fprintf(table->to, "\n%s\n", title);
        first = false;
        fprintf(table->to, "%-15s %4d threads %6.2f %5.2f..%-5.2f %-28s %s\n", table->columns[i].workload,
                (int)table->columns[i].threads, number_of(speed, "median"), number_of(speed, "low"),
                number_of(speed, "high"), text_of(comparison, "baseline"), text_of(comparison, "verdict"));
    }
}

static void print_environment(const json_t *results, FILE *to)
{
    const json_t *environment = json_object_get(results, "environment"), *options = json_object_get(results, "options");
    const char *cpu = text_of(environment, "cpu"), *governor = text_of(environment, "governor");
    fprintf(to, "%s, %d CPUs%s, Linux %s%s%s, load %.2f at the start and %.2f at the end\n", *cpu ? cpu : "unknown CPU",
            (int)number_of(environment, "cpus"),
            json_is_true(json_object_get(environment, "virtualised")) ? " (virtual)" : "",
            text_of(environment, "kernel"), *governor ? ", governor " : "", governor,
            number_of(environment, "load_at_start"), number_of(environment, "load_at_end"));
    fprintf(to, "%s: %d runs of %g s", text_of(results, "kind"), (int)number_of(options, "runs"),
            number_of(options, "seconds"));
    if (json_object_get(options, "loop_ns"))
        fprintf(to, "; the loop without a lock takes %.1f ns", number_of(options, "loop_ns"));
    fprintf(to, "; system calls %s\n", text_of(options, "calls"));
    if (!json_is_true(json_object_get(results, "complete")))
        fputs("Interrupted: these are the measurements that were done.\n", to);
}

static const struct figure rate = {"value", "Millions of operations per second: median ± half of its interval", 1e-6,
                                   3};
static const struct figure slow_rate = {"value", "Thousands of operations per second: median ± half of its interval",
                                        1e-3, 3};
static const struct figure duration = {"value", "Nanoseconds: median ± half of its interval", 1, 1};

static const struct figure fairness[] = {
    {"least_over_most", "Least over most operations of a thread", 1, 3},
    {"jain", "Jain's index of fairness: 1 is even", 1, 3},
    {"fairness_factor", "Fairness factor, the share of the busier half of the threads: 0.5 is even", 1, 3},
    {"slice_jain", "Jain's index within a slice of time, the median of the slices", 1, 3},
    {"longest_gap", "Most admissions of others between two of one thread", 1, 0},
};

static const struct figure details[] = {
    {"acquire_ns_p50", "Nanoseconds to acquire, p50", 1, 0},
    {"acquire_ns_p99", "Nanoseconds to acquire, p99", 1, 0},
    {"acquire_ns_p999", "Nanoseconds to acquire, p99.9", 1, 0},
    {"acquire_ns_max", "Nanoseconds to acquire, the most", 1, 0},
    {"most_passed", "Most admissions of others during one acquisition", 1, 0},
    {"cpu_ns_per_operation", "CPU time in nanoseconds for an operation", 1, 1},
    {"context_switches_per_operation", "Context switches in a million operations", 1e6, 1},
    {"futex_calls_per_operation", "Futex calls in a million operations", 1e6, 1},
    {"system_calls_per_operation", "System calls of all kinds in a million operations", 1e6, 1},
};

static void print_known(const struct table *table, const struct figure *figures, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        const json_t *summary;
        size_t index;
        bool known = false;
        json_array_foreach(table->summaries, index, summary)
        {
            known = known || json_object_get(summary, figures[i].name);
        }
        if (known)
            print_table(table, figures[i].title, 10, print_figure, &figures[i]);
    }
}

/* Rates in thousands if none reaches a million. */
static const struct figure *value_of(const json_t *results, const json_t *summaries)
{
    const json_t *summary;
    size_t index;
    if (strcmp(text_of(results, "better"), "less") == 0)
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
    const char *baseline = text_of(json_object_get(results, "options"), "baseline");
    char title[256];
    if (!first)
        return;
    if (!json_is_true(json_object_get(json_object_get(first, "speed"), "confident"))) {
        fputs("\nToo few runs to compare: 6 give the first interval with 95 % confidence (--runs 7).\n", table->to);
        return;
    }
    snprintf(title, sizeof title,
             "Speed over that of %s in the same runs: median and its 95 %% interval; = no difference seen", baseline);
    print_table(table, title, 20, print_speed, NULL);
    print_marked(table, "best_peer", "Speed of mutex over that of the best of the others, in the same runs");
    print_marked(table, "bare", "Speed of mutex over that of a bare compare-and-swap and store, in the same runs");
}

void results_print(const json_t *results, bool all, FILE *to)
{
    struct table table;
    print_environment(results, to);
    if (table_make(&table, results, to)) {
        const struct figure *value = value_of(results, table.summaries);
        print_table(&table, value->title, 16, print_value, value);
        print_comparisons(&table, results);
        if (all || strcmp(text_of(results, "kind"), "fairness") == 0)
            print_known(&table, fairness, sizeof fairness / sizeof *fairness);
        if (all)
            print_known(&table, details, sizeof details / sizeof *details);
    }
    free(table.locks);
    free(table.columns);
}
