/* SPDX-License-Identifier: MIT */
#include "sim/table.h"

#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/progress.h"
#include "cli/terminal.h"
#include "sim/must.h"
#include "sim/options.h"

static const struct {
    const char *title, *name;
} properties[PROPERTIES] = {
    [PROPERTY_SPINNING] = {"Spinning", "spinning"},
    [PROPERTY_CONSTANT_RELEASE] = {"Constant-time release", "constant_time_release"},
    [PROPERTY_CONTEXT_FREE] = {"Context-free", "context_free"},
    [PROPERTY_FIFO] = {"FIFO", "fifo"},
    [PROPERTY_ACQUIRE] = {"Path complexity, acquire", "acquire_instructions"},
    [PROPERTY_RELEASE] = {"Path complexity, release", "release_instructions"},
    [PROPERTY_ON_STACK] = {"On stack", "on_stack"},
    [PROPERTY_CIRCULATION] = {"Nodes circulate", "nodes_circulate"},
    [PROPERTY_CONSTRUCTOR] = {"Constructor or destructor", "constructor_required"},
    [PROPERTY_REMOTE] = {"Most remote misses", "most_remote_misses"},
    [PROPERTY_INVALIDATIONS] = {"Invalidations per episode", "invalidations_per_episode"},
    [PROPERTY_MISSES] = {"Misses per episode", "misses_per_episode"},
    [PROPERTY_REMOTE_MISSES] = {"Remote misses per episode", "remote_misses_per_episode"},
    [PROPERTY_MOVES] = {"Moves between sockets", "moves_per_episode"},
    [PROPERTY_NUMA] = {"NUMA-aware", "numa_aware"},
    [PROPERTY_BYPASS] = {"Bound on bypass", "bound_on_bypass"},
    [PROPERTY_SPACE] = {"Space", "space"},
};

/* Of the runs that events and remote misses are counted in. */
enum { THREADS = 10, REMOTE_THREADS = 36 };

static const struct argp_option argp_options[] = {COMMON_OPTIONS, {0}};

static error_t take(int key, char *word, struct argp_state *state)
{
    return common_option(state->input, key, word) ? 0 : ARGP_ERR_UNKNOWN;
}

static const struct argp argp = {
    .options = argp_options,
    .parser = take,
    .doc =
        "The paper's Table 1 from measurement, for its locks if no others are given; where the paper says "
        "otherwise, it follows in brackets.\v"
        "Invalidations are misses and upgrades in an episode of 10 threads on altra-max, remote misses the most in "
        "any episode of 36 threads on x5-2, both without store buffers and with the context kept by the thread; "
        "misses, remote misses per episode and moves of the lock between the sockets are averages of those two runs; "
        "path complexity is LLVM IR instructions, counted when this program was built. In space, L is locks, T "
        "threads, A locks held plus threads waiting, E the size of an element. The bound on bypass is 0 for a lock "
        "that admits in the "
        "order of arrival, 1 if a later arrival overtakes a waiter at most once, counted if a number of admissions "
        "bounds the wait, none otherwise. docs/sim.md says more.",
};

static void value_text(const struct value *value, char *text, size_t room)
{
    if (!value->known)
        snprintf(text, room, "not measured");
    else if (value->word[0])
        snprintf(text, room, "%s", value->word);
    else
        snprintf(text, room, "%.4g", value->number);
}

/* Widths of the columns. */
enum { TITLES = 27, CELLS = 16 };

struct table {
    struct row *measured, *paper;
    bool *in_paper;
    size_t size;
};

static bool differs(const struct table *table, size_t lock, enum property property)
{
    return table->in_paper[lock] &&
           !table_same(property, &table->measured[lock].values[property], &table->paper[lock].values[property]);
}

/* The columns of the locks from `first` to `end`. */
static void print_part(const struct table *table, size_t first, size_t end)
{
    enum { WIDTH = 34 };
    printf("%-*s", TITLES, "");
    for (size_t i = first; i < end; i++)
        printf(" %-*s", (int)(i + 1 < end ? CELLS : 0), table->measured[i].lock->id);
    putchar('\n');
    for (unsigned property = 0; property < PROPERTIES; property++) {
        printf("%-*s", TITLES, properties[property].title);
        for (size_t i = first; i < end; i++) {
            char measured[WIDTH], paper[WIDTH], cell[3 * WIDTH];
            value_text(&table->measured[i].values[property], measured, sizeof measured);
            value_text(&table->paper[i].values[property], paper, sizeof paper);
            if (differs(table, i, property))
                snprintf(cell, sizeof cell, "%s [%s]", measured, paper);
            else
                snprintf(cell, sizeof cell, "%s", measured);
            printf(" %-*s", (int)(i + 1 < end ? CELLS : 0), cell);
        }
        putchar('\n');
    }
}

/* As many locks beside each other as the terminal has room for. */
static void print_text(const struct table *table)
{
    size_t room = (terminal_width() - TITLES) / (CELLS + 1);
    for (size_t first = 0; first < table->size; first += room) {
        if (first)
            putchar('\n');
        print_part(table, first, table->size - first < room ? table->size : first + room);
    }
}

static void print_csv(const struct table *table)
{
    puts("lock,property,measured,paper,differs");
    for (size_t i = 0; i < table->size; i++)
        for (unsigned property = 0; property < PROPERTIES; property++) {
            char measured[40], paper[40] = "";
            value_text(&table->measured[i].values[property], measured, sizeof measured);
            if (table->in_paper[i])
                value_text(&table->paper[i].values[property], paper, sizeof paper);
            printf("%s,%s,%s,%s,%s\n", table->measured[i].lock->id, properties[property].name, measured, paper,
                   differs(table, i, property) ? "yes" : "no");
        }
}

/* yes and no are true and false; what was not measured, or does not apply, is null. */
static json_t *value_json(const struct value *value)
{
    if (!value->known || strcmp(value->word, "n/a") == 0)
        return json_null();
    if (strcmp(value->word, "yes") == 0 || strcmp(value->word, "no") == 0)
        return json_boolean(strcmp(value->word, "yes") == 0);
    return value->word[0] ? json_string(value->word) : json_real(value->number);
}

static json_t *row_json(const struct row *row)
{
    json_t *object = json_object();
    for (unsigned property = 0; property < PROPERTIES; property++)
        json_object_set_new(object, properties[property].name, value_json(&row->values[property]));
    return object;
}

static void print_json(const struct table *table)
{
    json_t *list = json_array(), *titles = json_array();
    for (unsigned property = 0; property < PROPERTIES; property++)
        json_array_append_new(
            titles, json_pack("{s:s, s:s}", "name", properties[property].name, "title", properties[property].title));
    for (size_t i = 0; i < table->size; i++) {
        const struct recip_algorithm *lock = table->measured[i].lock;
        json_t *object = json_pack("{s:s, s:i, s:i, s:i}", "id", lock->id, "lock_bytes", (int)lock->lock_size,
                                   "context_bytes", (int)lock->context_size, "mutex_bytes", (int)lock->mutex_size);
        json_t *row = row_json(&table->measured[i]), *different = json_array();
        json_object_update(object, row);
        json_decref(row);
        for (unsigned property = 0; property < PROPERTIES; property++)
            if (differs(table, i, property))
                json_array_append_new(different, json_string(properties[property].name));
        const struct release_cost *release = &table->measured[i].release;
        json_object_set_new(object, "worst_release",
                            json_pack("{s:f, s:f, s:i, s:i}", "seconds", release->longest, "stall_seconds",
                                      (double)RELEASE_STALL / (1e9 * SIM_NANOSECOND), "accesses_few_threads",
                                      (int)release->few, "accesses_many_threads", (int)release->many));
        json_object_set_new(object, "paper", table->in_paper[i] ? row_json(&table->paper[i]) : json_null());
        json_object_set_new(object, "differs", different);
        json_array_append_new(list, object);
    }
    json_t *whole = must(json_pack("{s:s, s:i, s:i, s:i, s:o, s:o}", "schema", "recip-table", "version", 1, "threads",
                                   THREADS, "remote_threads", REMOTE_THREADS, "properties", titles, "locks", list));
    json_dumpf(whole, stdout, JSON_INDENT(2) | JSON_REAL_PRECISION(10));
    putchar('\n');
    json_decref(whole);
}

static void measure_all(struct table *table, const struct algorithm_list *locks, unsigned seed)
{
    struct table_setting setting = {.threads = THREADS, .remote_threads = REMOTE_THREADS, .seed = seed};
    machine_load(&setting.invalidations, "altra-max");
    machine_load(&setting.remote, "x5-2");
    struct progress progress;
    progress_start(&progress, locks->size);
    setting.invalidations.store_buffer = setting.remote.store_buffer = 0;
    for (size_t i = 0; i < locks->size; i++) {
        table->measured[i].lock = locks->values[i];
        progress_step(&progress, "%s", locks->values[i]->id);
        table_measure(&table->measured[i], &setting);
        table->in_paper[i] =
            table_paper(&table->paper[i], locks->values[i]->id, setting.threads, setting.remote_threads);
    }
    progress_end(&progress);
}

int command_table(int argc, char **argv)
{
    struct common_options options = {.seed = 1};
    parse_options(&argp, argc, argv, &options, NULL);
    common_locks(&options, "mcs,clh,hemlock,hemlock-ctr,ticket,twa,reciprocating");
    size_t size = options.locks.size;
    struct table table = {.measured = must(calloc(size, sizeof(struct row))),
                          .paper = must(calloc(size, sizeof(struct row))),
                          .in_paper = must(calloc(size, sizeof(bool))),
                          .size = size};
    measure_all(&table, &options.locks, options.seed);
    if (options.format == FORMAT_JSON)
        print_json(&table);
    else if (options.format == FORMAT_CSV)
        print_csv(&table);
    else
        print_text(&table);
    free(table.measured);
    free(table.paper);
    free(table.in_paper);
    free(options.locks.values);
    return output_status(STATUS_OK);
}
