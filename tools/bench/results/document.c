/* SPDX-License-Identifier: MIT */
/* The document itself: made, read again and checked, printed as CSV. */
#include "bench/results/results.h"

#include <string.h>

#include "bench/results/environment.h"
#include "cli/read-json.h"

json_t *results_new(const char *kind, bool times, json_t *options)
{
    return json_pack("{s:s, s:i, s:s, s:s, s:s, s:b, s:o, s:o, s:[], s:[]}", "schema", RESULTS_SCHEMA, "version",
                     RESULTS_VERSION, "kind", kind, "unit", times ? "nanoseconds" : "operations per second", "better",
                     times ? "less" : "more", "complete", 0, "environment", environment_begin(), "options", options,
                     "measurements", "counts");
}

static json_t *cell_object(const struct results_cell *cell)
{
    return json_pack("{s:s, s:s, s:i}", "lock", cell->lock, "workload", cell->workload, "threads", (int)cell->threads);
}

void results_add_measurement(json_t *results, const struct results_cell *cell, unsigned run, json_t *said)
{
    json_t *measurement = cell_object(cell);
    json_object_set_new(measurement, "run", json_integer(run));
    json_object_update(measurement, said);
    json_decref(said);
    json_array_append_new(json_object_get(results, "measurements"), measurement);
}

void results_add_count(json_t *results, const struct results_cell *cell, json_t *said)
{
    json_t *count = cell_object(cell);
    json_object_update(count, said);
    json_decref(said);
    json_array_append_new(json_object_get(results, "counts"), count);
}

enum type { TEXT, COUNT, AMOUNT, MAYBE_AMOUNT };

/* The scalars of a measurement, in the order of the CSV. */
static const struct {
    const char *name;
    enum type type;
} fields[] = {
    {"lock", TEXT},
    {"workload", TEXT},
    {"threads", COUNT},
    {"run", AMOUNT},
    {"value", AMOUNT},
    {"seconds", AMOUNT},
    {"operations", AMOUNT},
    {"cpu_seconds", MAYBE_AMOUNT},
    {"context_switches", MAYBE_AMOUNT},
    {"most_passed", MAYBE_AMOUNT},
    {"acquire_ns_p50", MAYBE_AMOUNT},
    {"acquire_ns_p99", MAYBE_AMOUNT},
    {"acquire_ns_p999", MAYBE_AMOUNT},
    {"acquire_ns_max", MAYBE_AMOUNT},
    {"longest_gap", MAYBE_AMOUNT},
    {"arrivals", MAYBE_AMOUNT},
    {"wait_ns_p50", MAYBE_AMOUNT},
    {"wait_ns_p90", MAYBE_AMOUNT},
    {"wait_ns_p99", MAYBE_AMOUNT},
    {"wait_ns_p999", MAYBE_AMOUNT},
    {"wait_ns_max", MAYBE_AMOUNT},
    {"from_due_ns_p50", MAYBE_AMOUNT},
    {"from_due_ns_p90", MAYBE_AMOUNT},
    {"from_due_ns_p99", MAYBE_AMOUNT},
    {"from_due_ns_p999", MAYBE_AMOUNT},
    {"from_due_ns_max", MAYBE_AMOUNT},
    {"late_ns_p50", MAYBE_AMOUNT},
    {"late_ns_p90", MAYBE_AMOUNT},
    {"late_ns_p99", MAYBE_AMOUNT},
    {"late_ns_p999", MAYBE_AMOUNT},
    {"late_ns_max", MAYBE_AMOUNT},
};

/* Of pairs: nanoseconds, and how many. */
static const char *const lists[] = {"waits", "from_due", "late"};

enum { FIELDS = sizeof fields / sizeof *fields, LISTS = sizeof lists / sizeof *lists };

static bool has_type(const json_t *field, enum type type)
{
    switch (type) {
    case TEXT:
        return json_is_string(field);
    case COUNT:
        return is_count(field);
    case AMOUNT:
        return is_amount(field);
    default:
        return !field || is_amount(field);
    }
}

/* An array of so many amounts, or nothing. */
static bool is_row(const json_t *row, size_t size)
{
    const json_t *number;
    size_t index;
    if (!row)
        return true;
    if (!json_is_array(row) || json_array_size(row) != size)
        return false;
    json_array_foreach(row, index, number)
    {
        if (!is_amount(number))
            return false;
    }
    return true;
}

/* An array of rows of so many amounts, or nothing. */
static bool is_grid(const json_t *grid, size_t size)
{
    const json_t *row;
    size_t index;
    if (grid && !json_is_array(grid))
        return false;
    json_array_foreach(grid, index, row)
    {
        if (!is_row(row, size))
            return false;
    }
    return true;
}

/* What is wrong with a measurement; null if nothing is. */
static const char *fault_of(const json_t *measurement)
{
    size_t threads = (size_t)json_integer_value(json_object_get(measurement, "threads"));
    for (int i = 0; i < FIELDS; i++)
        if (!has_type(json_object_get(measurement, fields[i].name), fields[i].type))
            return fields[i].name;
    if (!is_row(json_object_get(measurement, "per_thread"), threads))
        return "per_thread";
    if (!is_grid(json_object_get(measurement, "slices"), threads))
        return "slices";
    for (int i = 0; i < LISTS; i++)
        if (!is_grid(json_object_get(measurement, lists[i]), 2))
            return lists[i];
    return NULL;
}

static bool measurements_are_sound(const json_t *measurements, char why[256])
{
    const json_t *measurement;
    size_t index;
    if (!json_is_array(measurements) || !json_array_size(measurements)) {
        snprintf(why, 256, "it has no measurements");
        return false;
    }
    json_array_foreach(measurements, index, measurement)
    {
        const char *fault = fault_of(measurement);
        if (fault) {
            snprintf(why, 256, "'%s' of measurement %zu is missing or wrong", fault, index + 1);
            return false;
        }
    }
    return true;
}

static bool is_sound(const json_t *results, char why[256])
{
    static const char *const words[] = {"kind", "unit", "better"};
    const char *schema = json_string_value(json_object_get(results, "schema"));
    json_int_t version = json_integer_value(json_object_get(results, "version"));
    if (!schema || strcmp(schema, RESULTS_SCHEMA) != 0) {
        snprintf(why, 256, "it is not a document of schema '%s'", RESULTS_SCHEMA);
        return false;
    }
    if (version != RESULTS_VERSION) {
        snprintf(why, 256, "it is of version %lld; this recip reads version %d", (long long)version, RESULTS_VERSION);
        return false;
    }
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (!json_is_string(json_object_get(results, words[i]))) {
            snprintf(why, 256, "'%s' is missing or wrong", words[i]);
            return false;
        }
    return measurements_are_sound(json_object_get(results, "measurements"), why);
}

json_t *results_read(const char *path, char why[256])
{
    json_t *results = read_json(path, why);
    if (!results || is_sound(results, why))
        return results;
    json_decref(results);
    return NULL;
}

bool results_set_baseline(json_t *results, const char *lock)
{
    const json_t *measurement;
    size_t index;
    json_array_foreach(json_object_get(results, "measurements"), index, measurement)
    {
        if (strcmp(json_string_value(json_object_get(measurement, "lock")), lock) == 0)
            return json_object_set_new(json_object_get(results, "options"), "baseline", json_string(lock)) == 0;
    }
    return false;
}

void results_print_csv(const json_t *results, FILE *to)
{
    const json_t *measurement;
    size_t index;
    fputs("kind", to);
    for (int i = 0; i < FIELDS; i++)
        fprintf(to, ",%s", fields[i].name);
    fputc('\n', to);
    json_array_foreach(json_object_get(results, "measurements"), index, measurement)
    {
        fputs(json_string_value(json_object_get(results, "kind")), to);
        for (int i = 0; i < FIELDS; i++) {
            const json_t *field = json_object_get(measurement, fields[i].name);
            fputc(',', to);
            if (json_is_string(field))
                fputs(json_string_value(field), to);
            else if (field)
                fprintf(to, "%.15g", json_number_value(field));
        }
        fputc('\n', to);
    }
}
