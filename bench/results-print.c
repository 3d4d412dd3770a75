/* Results as tables. Everything is taken from the document, so that a saved one prints the same. */
#include "bench/results.h"

#include <stdlib.h>
#include <string.h>

#include "bench/statistics.h"

/* A column: a workload with a number of threads. */
struct cell {
    const char *lock, *workload;
    int threads;
};

static const char *text_of(const json_t *measurement, const char *field)
{
    return json_string_value(json_object_get(measurement, field));
}

static double number_of(const json_t *measurement, const char *field)
{
    return json_number_value(json_object_get(measurement, field));
}

static double rate_of(const json_t *measurement)
{
    return number_of(measurement, "operations") / number_of(measurement, "seconds");
}

static double nanoseconds_per_operation(const json_t *measurement)
{
    return number_of(measurement, "cpu_seconds") * 1e9 / (number_of(measurement, "operations") + 1e-9);
}

static double switches_per_million(const json_t *measurement)
{
    return number_of(measurement, "context_switches") * 1e6 / (number_of(measurement, "operations") + 1e-9);
}

static double p50_of(const json_t *measurement)
{
    return number_of(measurement, "acquire_ns_p50");
}

static double p99_of(const json_t *measurement)
{
    return number_of(measurement, "acquire_ns_p99");
}

static double p999_of(const json_t *measurement)
{
    return number_of(measurement, "acquire_ns_p999");
}

static double slowest_of(const json_t *measurement)
{
    return number_of(measurement, "acquire_ns_max");
}

static double passed_of(const json_t *measurement)
{
    return number_of(measurement, "most_passed");
}

/* Least over most of the threads' operations. */
static double evenness_of(const json_t *measurement)
{
    const json_t *threads = json_object_get(measurement, "per_thread"), *operations;
    double least = -1, most = 0;
    size_t index;
    json_array_foreach(threads, index, operations)
    {
        double value = json_number_value(operations);
        least = least < 0 || value < least ? value : least;
        most = value > most ? value : most;
    }
    return most > 0 ? least / most : 1;
}

static double jain_of(const json_t *measurement)
{
    const json_t *threads = json_object_get(measurement, "per_thread");
    size_t count = json_array_size(threads);
    double *values = calloc(count ? count : 1, sizeof *values);
    for (size_t i = 0; values && i < count; i++)
        values[i] = json_number_value(json_array_get(threads, i));
    double index = values ? jain_index(values, count) : 0;
    free(values);
    return index;
}

static bool is_in(const json_t *measurement, const struct cell *cell)
{
    return (!cell->lock || strcmp(text_of(measurement, "lock"), cell->lock) == 0) &&
           (!cell->workload || (strcmp(text_of(measurement, "workload"), cell->workload) == 0 &&
                                (int)number_of(measurement, "threads") == cell->threads));
}

/* The values of a cell, in the order of the runs; freed by the caller. */
static double *values_of(const json_t *measurements, const struct cell *cell, double (*value)(const json_t *),
                         size_t *count)
{
    double *values = calloc(json_array_size(measurements), sizeof *values);
    const json_t *measurement;
    size_t index;
    *count = 0;
    json_array_foreach(measurements, index, measurement)
    {
        if (values && is_in(measurement, cell))
            values[(*count)++] = value(measurement);
    }
    return values;
}

/* The different locks, or the different columns, in the order of their first appearance. */
static size_t distinct(const json_t *measurements, bool locks, struct cell *cells)
{
    const json_t *measurement;
    size_t index, count = 0;
    json_array_foreach(measurements, index, measurement)
    {
        struct cell cell = {.lock = locks ? text_of(measurement, "lock") : NULL,
                            .workload = locks ? NULL : text_of(measurement, "workload"),
                            .threads = locks ? 0 : (int)number_of(measurement, "threads")};
        size_t known = 0;
        while (known < count && !is_in(measurement, &cells[known]))
            known++;
        if (known == count)
            cells[count++] = cell;
    }
    return count;
}

struct table {
    const json_t *measurements;
    struct cell *locks, *columns;
    size_t lock_count, column_count;
    FILE *to;
};

static void print_heading(const struct table *table, const char *title, int width)
{
    fprintf(table->to, "\n%s\n%-31s", title, "");
    for (size_t i = 0; i < table->column_count; i++)
        fprintf(table->to, " %*s", width, table->columns[i].workload);
    fprintf(table->to, "\n%-31s", "threads");
    for (size_t i = 0; i < table->column_count; i++)
        fprintf(table->to, " %*d", width, table->columns[i].threads);
    fputc('\n', table->to);
}

static void print_medians(const struct table *table, const char *title, double (*value)(const json_t *), double scale,
                          int decimals)
{
    print_heading(table, title, 10);
    for (size_t lock = 0; lock < table->lock_count; lock++) {
        fprintf(table->to, "%-31s", table->locks[lock].lock);
        for (size_t column = 0; column < table->column_count; column++) {
            struct cell cell = table->columns[column];
            size_t count;
            cell.lock = table->locks[lock].lock;
            double *values = values_of(table->measurements, &cell, value, &count);
            if (count)
                fprintf(table->to, " %10.*f", decimals, estimate_median(values, count).median * scale);
            else
                fprintf(table->to, " %10s", "-");
            free(values);
        }
        fputc('\n', table->to);
    }
}

/* The rates of a lock over those of the baseline in the same runs. */
static bool ratio_of(const struct table *table, struct cell cell, const char *baseline, struct estimate *ratio)
{
    size_t count, base_count;
    double *values = values_of(table->measurements, &cell, rate_of, &count);
    cell.lock = baseline;
    double *base = values_of(table->measurements, &cell, rate_of, &base_count);
    bool comparable = count > 0 && count == base_count;
    for (size_t i = 0; comparable && i < count; i++)
        values[i] /= base[i];
    if (comparable)
        *ratio = estimate_median(values, count);
    free(values);
    free(base);
    return comparable;
}

static void print_ratios(const struct table *table, const char *baseline)
{
    char title[256];
    snprintf(title, sizeof title,
             "Rate over that of %s in the same run: median, with its 95 %% interval; = where no difference is seen",
             baseline);
    print_heading(table, title, 21);
    for (size_t lock = 0; lock < table->lock_count; lock++) {
        fprintf(table->to, "%-31s", table->locks[lock].lock);
        for (size_t column = 0; column < table->column_count; column++) {
            struct cell cell = table->columns[column];
            struct estimate ratio;
            cell.lock = table->locks[lock].lock;
            if (ratio_of(table, cell, baseline, &ratio))
                fprintf(table->to, " %c%6.2f %5.2f..%-6.2f", verdict_of(&ratio) == NO_DIFFERENCE ? '=' : ' ',
                        ratio.median, ratio.low, ratio.high);
            else
                fprintf(table->to, " %21s", "-");
        }
        fputc('\n', table->to);
    }
}

static void print_environment(const json_t *results, FILE *to)
{
    const json_t *environment = json_object_get(results, "environment");
    const char *cpu = json_string_value(json_object_get(environment, "cpu"));
    const char *kernel = json_string_value(json_object_get(environment, "kernel"));
    fprintf(to, "%s, %d CPUs%s, Linux %s, load %.2f at the start and %.2f at the end\n", cpu ? cpu : "unknown CPU",
            (int)json_integer_value(json_object_get(environment, "cpus")),
            json_is_true(json_object_get(environment, "virtualised")) ? " (virtual)" : "", kernel ? kernel : "?",
            json_number_value(json_object_get(environment, "load_at_start")),
            json_number_value(json_object_get(environment, "load_at_end")));
    const json_t *options = json_object_get(results, "options");
    fprintf(to, "%d runs of %g s; the loop without a lock takes %.1f ns\n",
            (int)json_integer_value(json_object_get(options, "runs")),
            json_number_value(json_object_get(options, "seconds")),
            json_number_value(json_object_get(options, "loop_ns")));
    if (!json_is_true(json_object_get(results, "complete")))
        fputs("Interrupted: these are the measurements that were done.\n", to);
}

static void print_details(const struct table *table)
{
    print_medians(table, "Least over most operations of a thread", evenness_of, 1, 3);
    print_medians(table, "Jain's index of fairness", jain_of, 1, 3);
    print_medians(table, "Nanoseconds to acquire, p50", p50_of, 1, 0);
    print_medians(table, "Nanoseconds to acquire, p99", p99_of, 1, 0);
    print_medians(table, "Nanoseconds to acquire, p99.9", p999_of, 1, 0);
    print_medians(table, "Nanoseconds to acquire, the most", slowest_of, 1, 0);
    print_medians(table, "Most admissions of others during one acquisition", passed_of, 1, 0);
    print_medians(table, "CPU time in nanoseconds for an operation", nanoseconds_per_operation, 1, 1);
    print_medians(table, "Context switches in a million operations", switches_per_million, 1, 1);
}

/* Six runs give the first interval with 95 % confidence. */
static bool can_be_judged(const struct table *table, const char *baseline)
{
    struct cell cell = table->columns[0];
    struct estimate ratio;
    cell.lock = baseline;
    return ratio_of(table, cell, baseline, &ratio) && ratio.confident;
}

void results_print(const json_t *results, const char *baseline, bool details, FILE *to)
{
    const json_t *measurements = json_object_get(results, "measurements");
    size_t size = json_array_size(measurements);
    struct table table = {
        .measurements = measurements,
        .locks = calloc(size + 1, sizeof(struct cell)),
        .columns = calloc(size + 1, sizeof(struct cell)),
        .to = to,
    };
    print_environment(results, to);
    if (table.locks && table.columns && size) {
        table.lock_count = distinct(measurements, true, table.locks);
        table.column_count = distinct(measurements, false, table.columns);
        print_medians(&table, "Millions of operations per second", rate_of, 1e-6, 3);
        if (can_be_judged(&table, baseline))
            print_ratios(&table, baseline);
        if (details)
            print_details(&table);
    }
    free(table.locks);
    free(table.columns);
}
