/* What the page accepts: the JSON of bench, sim, table and check, each with its schema and version. */
#include "report/report.h"

#include <errno.h>
#include <stdarg.h>
#include <string.h>

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

/* Each object of the array `list` has these fields, of the type that the letter says: s a string, n a number, a an
 * array, i an interval (an object with median, low and high). */
static bool has_fields(const json_t *document, const char *list, const char *fields, char why[256])
{
    const json_t *array = json_object_get(document, list), *object;
    size_t index;
    if (!json_is_array(array) || !json_array_size(array))
        return fault(why, "it has no %s", list);
    json_array_foreach(array, index, object)
    {
        char name[32], type;
        int read;
        for (const char *at = fields; sscanf(at, " %c:%31s%n", &type, name, &read) == 2; at += read) {
            const json_t *field = json_object_get(object, name);
            bool good = type == 's'   ? json_is_string(field)
                        : type == 'n' ? json_is_number(field)
                        : type == 'a' ? json_is_array(field)
                                      : json_is_number(json_object_get(field, "median")) &&
                                            json_is_number(json_object_get(field, "low")) &&
                                            json_is_number(json_object_get(field, "high"));
            if (!good)
                return fault(why, "'%s' of number %zu of its %s is missing or wrong", name, index + 1, list);
        }
    }
    return true;
}

static bool has_strings(const json_t *document, const char *first, const char *second, char why[256])
{
    const char *const names[] = {first, second};
    for (int i = 0; i < 2; i++)
        if (!json_is_string(json_object_get(document, names[i])))
            return fault(why, "'%s' is missing or wrong", names[i]);
    return true;
}

static bool bench_is_sound(const json_t *document, char why[256])
{
    return has_strings(document, "kind", "unit", why) &&
           has_fields(document, "summaries", "s:lock s:workload n:threads i:value", why);
}

static bool sim_is_sound(const json_t *document, char why[256])
{
    return has_strings(document, "machine", "workload", why) &&
           has_fields(document, "runs", "s:lock n:threads n:throughput", why);
}

static bool table_is_sound(const json_t *document, char why[256])
{
    return has_fields(document, "properties", "s:name s:title", why) &&
           has_fields(document, "locks", "s:id a:differs", why);
}

static bool check_is_sound(const json_t *document, char why[256])
{
    if (!has_fields(document, "locks", "s:lock a:clients", why))
        return false;
    size_t index;
    const json_t *lock;
    json_array_foreach(json_object_get(document, "locks"), index, lock)
    {
        if (!has_fields(lock, "clients", "s:client s:verdict", why))
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
    {"recip-table", 1, table_is_sound, NULL, NULL},
    {"recip-check", 1, check_is_sound, NULL, NULL},
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
        fault(why, "its schema is '%.100s'; a report takes the --json of bench, sim, table and check", schema);
    else
        fault(why, "it has no schema; a report takes the --json of bench, sim, table and check");
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
    json_error_t error;
    FILE *file = fopen(path, "r");
    if (!file) {
        fault(why, "%s", strerror(errno));
        return NULL;
    }
    json_t *document = json_loadf(file, 0, &error);
    fclose(file);
    if (!document) {
        bool ended = json_error_code(&error) == json_error_premature_end_of_input;
        fault(why, ended ? "it is cut off, at line %d" : "line %d: %s", error.line, error.text);
        return NULL;
    }
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
