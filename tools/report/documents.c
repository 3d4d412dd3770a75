/* SPDX-License-Identifier: MIT */
/* What the page accepts: the JSON of bench, sim, table, check and run --stats, each with its schema and version. */
#include "report/report.h"

#include <stdarg.h>
#include <string.h>

#include "cli/read-json.h"

typedef bool sound(const json_t *document, char why[256]);

static bool fault(char why[256], const char *format, ...) __attribute__((format(printf, 2, 3)));
static bool fault(char why[256], const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(why, 256, format, arguments);
    va_end(arguments);
    return false;
}

static bool is_interval(const json_t *field)
{
    return is_amount(json_object_get(field, "median")) && is_amount(json_object_get(field, "low")) &&
           is_amount(json_object_get(field, "high"));
}

/* From -1 to 1, or nothing. */
static bool is_correlation(const json_t *field)
{
    double value = json_number_value(field);
    return !field || json_is_null(field) || (json_is_number(field) && value >= -1 && value <= 1);
}

/* s a string, t a number of threads, n a number, ? a number or nothing, a an array, i an interval, o one or nothing,
 * c a correlation or nothing. */
static bool is_of(char type, const json_t *field)
{
    switch (type) {
    case 's':
        return json_is_string(field);
    case 't':
        return is_count(field);
    case 'n':
        return is_amount(field);
    case '?':
        return !field || json_is_null(field) || is_amount(field);
    case 'a':
        return json_is_array(field);
    case 'o':
        return !field || is_interval(field);
    case 'c':
        return is_correlation(field);
    default:
        return is_interval(field);
    }
}

/* The object has these fields ("s:lock t:threads"), each of the type that its letter says. */
static bool has_fields(const json_t *object, const char *fields, char wrong[32])
{
    char type;
    int read;
    for (; sscanf(fields, " %c:%31s%n", &type, wrong, &read) == 2; fields += read)
        if (!is_of(type, json_object_get(object, wrong)))
            return false;
    return true;
}

static bool document_has(const json_t *document, const char *fields, char why[256])
{
    char wrong[32];
    return has_fields(document, fields, wrong) || fault(why, "'%s' is missing or wrong", wrong);
}

/* So has each object of the array `list`, which may be empty. */
static bool list_has(const json_t *document, const char *list, const char *fields, char why[256])
{
    const json_t *object;
    size_t index;
    char wrong[32];
    json_array_foreach(json_object_get(document, list), index, object)
    {
        if (!has_fields(object, fields, wrong))
            return fault(why, "'%s' of number %zu of its %s is missing or wrong", wrong, index + 1, list);
    }
    return true;
}

static bool some_have(const json_t *document, const char *list, const char *fields, char why[256])
{
    if (!json_array_size(json_object_get(document, list)))
        return fault(why, "it has no %s", list);
    return list_has(document, list, fields, why);
}

/* An array of rows of amounts, or nothing. */
static bool has_slices(const json_t *measurement)
{
    const json_t *slice, *amount;
    size_t i, j;
    json_array_foreach(json_object_get(measurement, "slices"), i, slice)
    {
        if (!json_array_size(slice))
            return false;
        json_array_foreach(slice, j, amount)
        {
            if (!is_amount(amount))
                return false;
        }
    }
    return true;
}

static bool measurements_are_sound(const json_t *document, char why[256])
{
    const json_t *measurement;
    size_t index;
    json_array_foreach(json_object_get(document, "measurements"), index, measurement)
    {
        if (!has_slices(measurement))
            return fault(why, "'slices' of number %zu of its measurements is wrong", index + 1);
    }
    return list_has(document, "measurements", "s:lock s:workload t:threads n:run ?:slice_seconds", why);
}

static bool bench_is_sound(const json_t *document, char why[256])
{
    return document_has(document, "s:kind s:unit", why) &&
           document_has(json_object_get(document, "environment"), "?:cpus ?:load_at_start ?:load_at_end ?:others_cpus",
                        why) &&
           document_has(json_object_get(document, "options"),
                        "?:runs ?:seconds ?:loop_ns ?:seldom_threads ?:period_seconds", why) &&
           list_has(json_object_get(document, "options"), "timer_late_ns", "n:computing n:p50 n:p90 n:p99", why) &&
           some_have(document, "summaries",
                     "s:lock s:workload t:threads i:value ?:jain ?:least_over_most ?:most_passed ?:acquire_ns_p50 "
                     "?:acquire_ns_p99 ?:acquire_ns_p999 ?:acquire_ns_max ?:cpu_ns_per_operation o:wait_ns_p50 "
                     "o:wait_ns_p90 o:wait_ns_p99 ?:wait_ns_p999 ?:wait_ns_max o:from_due_ns_p50 o:from_due_ns_p90 "
                     "o:from_due_ns_p99 ?:from_due_ns_p999 ?:from_due_ns_max o:late_ns_p50 o:late_ns_p90 o:late_ns_p99",
                     why) &&
           list_has(document, "comparisons",
                    "s:lock s:baseline s:workload t:threads i:speed s:verdict o:wait_p99 "
                    "o:from_due_p99",
                    why) &&
           measurements_are_sound(document, why);
}

static bool sim_is_sound(const json_t *document, char why[256])
{
    return document_has(document, "s:machine s:workload n:seed n:episodes ?:store_buffer", why) &&
           some_have(document, "runs",
                     "s:lock t:threads n:throughput ?:events ?:remote ?:fairness ?:unfairness ?:period", why);
}

static bool calibration_is_sound(const json_t *document, char why[256])
{
    return document_has(document, "s:machine_file", why) &&
           some_have(document, "cells", "s:lock s:workload t:threads ?:measured_ns n:modelled_ns ?:ratio", why) &&
           some_have(
               document, "columns",
               "s:workload t:threads n:locks n:within_25_percent n:within_10_percent c:rank_correlation c:repeated",
               why);
}

static bool table_is_sound(const json_t *document, char why[256])
{
    return document_has(document, "t:threads t:remote_threads", why) &&
           some_have(document, "properties", "s:name s:title", why) &&
           some_have(document, "locks", "s:id a:differs", why);
}

static bool check_is_sound(const json_t *document, char why[256])
{
    if (!some_have(document, "locks", "s:lock a:clients", why))
        return false;
    size_t index;
    const json_t *lock;
    json_array_foreach(json_object_get(document, "locks"), index, lock)
    {
        if (!some_have(lock, "clients", "s:client s:verdict ?:executions", why))
            return false;
    }
    return true;
}

/* A row of amounts, which may be empty. */
static bool are_amounts(const json_t *list)
{
    size_t index;
    const json_t *amount;
    json_array_foreach(list, index, amount)
    {
        if (!is_amount(amount))
            return false;
    }
    return json_is_array(list);
}

static bool place_is_sound(const json_t *place, char why[256])
{
    size_t index;
    const json_t *waiters;
    if (!are_amounts(json_object_get(place, "waited_ns")))
        return fault(why, "'waited_ns' of one of its places is wrong");
    if (!list_has(place, "waits", "n:from_ns n:count", why) ||
        !list_has(place, "waiters", "n:waits n:waited_ns a:stack", why))
        return false;
    json_array_foreach(json_object_get(place, "waiters"), index, waiters)
    {
        size_t frame;
        const json_t *name;
        json_array_foreach(json_object_get(waiters, "stack"), frame, name)
        {
            if (!json_is_string(name))
                return fault(why, "'stack' of number %zu of its waiters is wrong", index + 1);
        }
    }
    return true;
}

static bool stats_are_sound(const json_t *document, char why[256])
{
    size_t index;
    const json_t *place;
    if (!document_has(
            document,
            "s:program n:process s:lock n:nanoseconds n:threads_seen n:mutexes_used n:acquisitions n:contended "
            "n:wait_total_ns n:slice_ns a:waited_ns a:threads a:places",
            why) ||
        !list_has(document, "threads", "s:name n:thread n:acquisitions n:contended n:wait_total_ns n:hold_total_ns",
                  why) ||
        !list_has(
            document, "places",
            "s:first_locked n:mutexes n:acquisitions n:contended n:wait_p50_ns n:wait_p99_ns n:wait_max_ns "
            "n:wait_total_ns n:hold_total_ns n:acquisitions_least n:acquisitions_most n:wait_least_ns n:wait_most_ns "
            "n:slice_ns a:waited_ns a:waits a:waiters",
            why))
        return false;
    if (!are_amounts(json_object_get(document, "waited_ns")))
        return fault(why, "'waited_ns' is wrong");
    json_array_foreach(json_object_get(document, "places"), index, place)
    {
        if (!place_is_sound(place, why))
            return false;
    }
    return true;
}

static const struct {
    const char *schema;
    int version;
    sound *is_sound;
    const char *list, *unused; /* what objects of `list` have and the page does not show */
} kinds[] = {
    {"recip-bench", 2, bench_is_sound, "measurements", "per_thread"},
    {"recip-sim", 1, sim_is_sound, "runs", "admissions"},
    {"recip-calibration", 1, calibration_is_sound, NULL, NULL},
    {"recip-table", 1, table_is_sound, NULL, NULL},
    {"recip-check", 1, check_is_sound, NULL, NULL},
    {"recip-stats", 1, stats_are_sound, NULL, NULL},
};

enum { KINDS = sizeof kinds / sizeof *kinds };

/* The index of its kind, or -1. */
static int kind_of(const json_t *document, char why[256])
{
    const char *schema = json_string_value(json_object_get(document, "schema"));
    json_int_t version = json_integer_value(json_object_get(document, "version"));
    for (int i = 0; schema && i < KINDS; i++) {
        if (strcmp(schema, kinds[i].schema) != 0)
            continue;
        if (version == kinds[i].version)
            return i;
        fault(why, "it is version %lld of %s; this recip reads version %d", (long long)version, schema,
              kinds[i].version);
        return -1;
    }
    if (schema)
        fault(why,
              "its schema is '%.100s'; a report takes the --json of bench, sim, table and check, and run --stats=FILE",
              schema);
    else
        fault(why, "it has no schema; a report takes the --json of bench, sim, table and check, and run --stats=FILE");
    return -1;
}

/* Fairness is drawn from the measurements themselves; all else from the summaries. */
static void drop_unused(json_t *document, int kind)
{
    const char *bench_kind = json_string_value(json_object_get(document, "kind"));
    size_t index;
    json_t *object;
    if (bench_kind && strcmp(bench_kind, "fairness") != 0)
        json_object_del(document, "measurements");
    json_object_del(document, "counts");
    json_array_foreach(json_object_get(document, kinds[kind].list ? kinds[kind].list : ""), index, object)
    {
        json_object_del(object, kinds[kind].unused);
        json_object_del(object, "event_list");
    }
}

json_t *document_read(const char *path, char why[256])
{
    json_t *document = read_json(path, why);
    if (!document)
        return NULL;
    int kind = kind_of(document, why);
    if (kind < 0 || !kinds[kind].is_sound(document, why)) {
        json_decref(document);
        return NULL;
    }
    drop_unused(document, kind);
    const char *slash = strrchr(path, '/');
    json_object_set_new(document, "file", json_string(slash ? slash + 1 : path));
    return document;
}
