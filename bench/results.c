/* The document itself: made, read again and checked, printed as CSV. */
#include "bench/results.h"

#include <string.h>

#include "bench/environment.h"

json_t *results_new(const char *kind, json_t *options)
{
    return json_pack("{s:s, s:i, s:s, s:b, s:o, s:o, s:[]}", "schema", RESULTS_SCHEMA, "version", RESULTS_VERSION,
                     "kind", kind, "complete", 0, "environment", environment_begin(), "options", options,
                     "measurements");
}

void results_add(json_t *results, const char *workload, const struct mutexbench *bench, unsigned run,
                 const struct mutexbench_result *result)
{
    json_t *per_thread = json_array();
    for (unsigned i = 0; i < bench->threads; i++)
        json_array_append_new(per_thread, json_integer((json_int_t)result->per_thread[i]));
    json_t *measurement = json_pack(
        "{s:s, s:s, s:i, s:i, s:f, s:I, s:o, s:f, s:I, s:I, s:f, s:f, s:f, s:f}", "lock", bench->lock->id, "workload",
        workload, "threads", (int)bench->threads, "run", (int)run, "seconds", result->seconds, "operations",
        (json_int_t)result->operations, "per_thread", per_thread, "cpu_seconds", result->cpu_seconds,
        "context_switches", (json_int_t)result->switches, "most_passed", (json_int_t)result->most_passed,
        "acquire_ns_p50", result->nanoseconds[0], "acquire_ns_p99", result->nanoseconds[1], "acquire_ns_p999",
        result->nanoseconds[2], "acquire_ns_max", result->nanoseconds[3]);
    json_array_append_new(json_object_get(results, "measurements"), measurement);
}

static const struct {
    const char *name;
    bool number;
} fields[] = {
    {"lock", false},          {"workload", false},      {"threads", true},        {"run", true},
    {"seconds", true},        {"operations", true},     {"cpu_seconds", true},    {"context_switches", true},
    {"most_passed", true},    {"acquire_ns_p50", true}, {"acquire_ns_p99", true}, {"acquire_ns_p999", true},
    {"acquire_ns_max", true},
};

enum { FIELDS = sizeof fields / sizeof *fields };

/* What is wrong with a measurement; null if nothing is. */
static const char *fault_of(const json_t *measurement)
{
    for (int i = 0; i < FIELDS; i++) {
        const json_t *field = json_object_get(measurement, fields[i].name);
        if (!(fields[i].number ? json_is_number(field) : json_is_string(field)))
            return fields[i].name;
    }
    size_t threads = (size_t)json_integer_value(json_object_get(measurement, "threads"));
    return json_array_size(json_object_get(measurement, "per_thread")) == threads ? NULL : "per_thread";
}

static bool is_sound(const json_t *results, char why[256])
{
    const char *schema = json_string_value(json_object_get(results, "schema"));
    json_int_t version = json_integer_value(json_object_get(results, "version"));
    const json_t *measurements = json_object_get(results, "measurements"), *measurement;
    size_t index;
    if (!schema || strcmp(schema, RESULTS_SCHEMA) != 0) {
        snprintf(why, 256, "it is not a document of schema '%s'", RESULTS_SCHEMA);
        return false;
    }
    if (version != RESULTS_VERSION) {
        snprintf(why, 256, "it is of version %lld; this recip reads version %d", (long long)version, RESULTS_VERSION);
        return false;
    }
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

json_t *results_read(const char *path, char why[256])
{
    json_error_t error;
    json_t *results = json_load_file(path, 0, &error);
    if (!results) {
        snprintf(why, 256, "line %d: %s", error.line, error.text);
        return NULL;
    }
    if (is_sound(results, why))
        return results;
    json_decref(results);
    return NULL;
}

void results_print_csv(const json_t *results, FILE *to)
{
    const json_t *measurement;
    size_t index;
    for (int i = 0; i < FIELDS; i++)
        fprintf(to, "%s%s", i ? "," : "", fields[i].name);
    fputc('\n', to);
    json_array_foreach(json_object_get(results, "measurements"), index, measurement)
    {
        for (int i = 0; i < FIELDS; i++) {
            const json_t *field = json_object_get(measurement, fields[i].name);
            fputs(i ? "," : "", to);
            if (json_is_string(field))
                fputs(json_string_value(field), to);
            else
                fprintf(to, "%.15g", json_number_value(field));
        }
        fputc('\n', to);
    }
}
