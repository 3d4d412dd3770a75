/* SPDX-License-Identifier: MIT */
/* A run of mutexbench as a measurement of the document. */
#include "bench/results/results.h"

static json_t *slices_of(const struct mutexbench *bench, const struct mutexbench_result *result)
{
    json_t *slices = json_array();
    for (unsigned slice = 0; slice < bench->slices; slice++) {
        json_t *admissions = json_array();
        for (unsigned i = 0; i < bench->threads; i++)
            json_array_append_new(admissions, json_integer(result->slices[(size_t)slice * bench->threads + i]));
        json_array_append_new(slices, admissions);
    }
    return slices;
}

json_t *results_of_operations(const struct mutexbench *bench, const struct mutexbench_result *result)
{
    json_t *per_thread = json_array();
    for (unsigned i = 0; i < bench->threads; i++)
        json_array_append_new(per_thread, json_integer((json_int_t)result->per_thread[i]));
    return json_pack("{s:f, s:f, s:I, s:o, s:f, s:I}", "value", (double)result->operations / result->seconds, "seconds",
                     result->seconds, "operations", (json_int_t)result->operations, "per_thread", per_thread,
                     "cpu_seconds", result->cpu_seconds, "context_switches", (json_int_t)result->switches);
}

json_t *results_of_mutexbench(const struct mutexbench *bench, const struct mutexbench_result *result)
{
    json_t *said = results_of_operations(bench, result);
    if (bench->section != SECTION_NOTHING)
        json_object_set_new(said, "most_passed", json_integer((json_int_t)result->most_passed));
    json_object_set_new(said, "acquire_ns_p50", json_real(result->nanoseconds[0]));
    json_object_set_new(said, "acquire_ns_p99", json_real(result->nanoseconds[1]));
    json_object_set_new(said, "acquire_ns_p999", json_real(result->nanoseconds[2]));
    json_object_set_new(said, "acquire_ns_max", json_real(result->nanoseconds[3]));
    if (bench->slices) {
        json_object_set_new(said, "longest_gap", json_integer((json_int_t)result->longest_gap));
        json_object_set_new(said, "slice_seconds", json_real(bench->seconds / bench->slices));
        json_object_set_new(said, "slices", slices_of(bench, result));
    }
    return said;
}

json_t *results_of_calls(const struct mutexbench_result *result)
{
    return json_pack("{s:I, s:I, s:I}", "operations", (json_int_t)result->operations, "futex_calls",
                     (json_int_t)result->calls.futex, "system_calls", (json_int_t)result->calls.all);
}

/* [[nanoseconds, how many waited so long], ...] */
static json_t *waits_of(const struct histogram *histogram)
{
    json_t *waits = json_array();
    for (unsigned i = 0; i < HISTOGRAM_BUCKETS; i++) {
        uint64_t end = histogram_bucket_end(i) < histogram->max ? histogram_bucket_end(i) : histogram->max;
        if (histogram->buckets[i])
            json_array_append_new(waits, json_pack("[I, I]", (json_int_t)end, (json_int_t)histogram->buckets[i]));
    }
    return waits;
}

/* NAME_p50 to NAME_max, and all of them under `list`; nothing of an empty histogram. */
static void add_times(json_t *said, const struct histogram *times, const char *name, const char *list)
{
    static const struct {
        const char *name;
        double share;
    } percentiles[] = {{"p50", 0.5}, {"p90", 0.9}, {"p99", 0.99}, {"p999", 0.999}, {"max", 1}};
    for (size_t i = 0; times->count && i < sizeof percentiles / sizeof *percentiles; i++) {
        char field[32];
        snprintf(field, sizeof field, "%s_%s", name, percentiles[i].name);
        json_object_set_new(said, field, json_integer((json_int_t)histogram_quantile(times, percentiles[i].share)));
    }
    if (times->count)
        json_object_set_new(said, list, waits_of(times));
}

json_t *results_of_waiting(const struct waiting *waiting, const struct waiting_result *result)
{
    json_t *per_thread = json_array();
    for (unsigned i = 0; i < waiting->hogs; i++)
        json_array_append_new(per_thread, json_integer((json_int_t)result->per_thread[i]));
    json_t *said =
        json_pack("{s:f, s:f, s:I, s:o, s:f, s:I}", "value", (double)result->operations / result->seconds, "seconds",
                  result->seconds, "operations", (json_int_t)result->operations, "per_thread", per_thread,
                  "cpu_seconds", result->cpu_seconds, "arrivals", (json_int_t)result->arrivals->waits.count);
    add_times(said, &result->arrivals->from_due, "from_due_ns", "from_due");
    add_times(said, &result->arrivals->late, "late_ns", "late");
    add_times(said, &result->arrivals->waits, "wait_ns", "waits");
    return said;
}
