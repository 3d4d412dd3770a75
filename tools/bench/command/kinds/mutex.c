/* SPDX-License-Identifier: MIT */
/* mutex: recip_mutex_t beside its peers, the mutexes of other libraries, in a helper that has them. */
#include "bench/command/bench.h"

#include <stdio.h>
#include <string.h>

static const struct {
    const char *name;
    enum section section;
    unsigned inside;
} sections[] = {
    {"pair", SECTION_PAIR, 0},   {"nothing", SECTION_NOTHING, 0}, {"step", SECTION_STEPS, 1},
    {"lines", SECTION_LINES, 0}, {"1us", SECTION_TIME, 1000},     {"100us", SECTION_TIME, 100000},
};

enum { SECTIONS = sizeof sections / sizeof *sections };

static bool has_count(const struct count_list *list, unsigned count)
{
    for (size_t i = 0; i < list->size; i++)
        if (list->values[i] == count)
            return true;
    return false;
}

/* The pair has one column. It is left out if --threads does not have 1 or --outside does not have 0. */
static bool add_pair(struct bench *bench)
{
    if (!has_count(&bench->threads, 1) || (bench->outsides.size && !has_count(&bench->outsides, 0)))
        return false;
    bench_add_column(bench, &(struct bench_column){.workload = "pair/0", .section = SECTION_PAIR, .threads = 1});
    return true;
}

/* False if the section cannot be measured with the numbers of --threads and --outside. */
static bool add_section(struct bench *bench, int section)
{
    static unsigned both[] = {0, MODERATE_STEPS};
    struct count_list outsides = bench->outsides.size ? bench->outsides : (struct count_list){both, 2};
    if (sections[section].section == SECTION_PAIR)
        return add_pair(bench);
    for (size_t i = 0; i < outsides.size; i++) {
        struct bench_column column = {
            .section = sections[section].section,
            .inside = sections[section].inside,
            .outside = outsides.values[i],
        };
        snprintf(column.workload, sizeof column.workload, "%s/%u", sections[section].name, column.outside);
        bench_add_workload(bench, column);
    }
    return true;
}

static void add_asked_section(const char *word, void *to)
{
    for (int i = 0; i < SECTIONS; i++)
        if (strcmp(word, sections[i].name) == 0) {
            if (!add_section(to, i))
                refuse("--section: '%s' is measured with one thread and nothing outside only", word);
            return;
        }
    refuse("--section: there is no '%s'; there are pair, nothing, step, lines, 1us and 100us", word);
}

static void add_asked_mutex(const char *id, void *to)
{
    struct bench_asked *asked = to;
    bench_add_asked_mutex(asked->bench, asked->peers, id);
}

/* Our own locks that are measured beside the peers. The helper has inline pairs of them, too. */
static const char *const own_mutexes[] = {"mutex", "pthread", "pthread-adaptive"};

enum { OWN_MUTEXES = sizeof own_mutexes / sizeof *own_mutexes };

/* The mutex, the system's own, and the peers that are there. */
static void add_all_mutexes(struct bench *bench, const json_t *peers)
{
    const json_t *peer;
    size_t index;
    for (size_t i = 0; i < OWN_MUTEXES; i++)
        bench_add_algorithm(bench, recip_algorithm_find(own_mutexes[i]), false);
    json_array_foreach(peers, index, peer)
    {
        const char *id = json_string_value(json_object_get(peer, "id"));
        if (json_is_true(json_object_get(peer, "here")))
            bench_add_peer(bench, peers, id, false);
    }
}

static void note_pairs(struct bench *bench)
{
    for (size_t i = 0; i < bench->lock_count; i++)
        for (size_t j = 0; j < OWN_MUTEXES; j++)
            if (strcmp(bench->locks[i].subject, own_mutexes[j]) == 0)
                bench->locks[i].pair = WITH_PAIR;
}

/* A lock that was asked for, but not with a section that it can be measured in. */
static void refuse_unmeasured(const struct bench *bench)
{
    for (size_t i = 0; i < bench->lock_count; i++) {
        bool goes = !bench->locks[i].asked;
        for (size_t j = 0; j < bench->column_count; j++)
            goes = goes || bench_fits(&bench->locks[i], &bench->columns[j]);
        if (!goes)
            refuse(bench->locks[i].pair == ONLY_PAIR
                       ? "--lock: '%s' is measured in the section 'pair' only, with one thread and nothing outside"
                       : "--lock: '%s' is not measured in the section 'pair': it has no inline functions",
                   bench->locks[i].id);
    }
}

static void complete(struct bench *bench)
{
    const unsigned values[] = {1, 2, 4, 8, 16, 32, 64};
    json_t *peers = bench_list_peers(bench);
    bench_default_threads(bench, values, 7);
    if (bench->asked_locks)
        bench_add_asked_mutexes(bench, peers, add_asked_mutex);
    else
        add_all_mutexes(bench, peers);
    if (bench->sections)
        option_words(bench->sections, add_asked_section, bench);
    for (int i = 0; !bench->sections && i < SECTIONS; i++)
        add_section(bench, i);
    note_pairs(bench);
    refuse_unmeasured(bench);
    bench_refuse_too_many_threads(bench);
    json_decref(peers);
}

static bool is_any(const json_t *peer)
{
    (void)peer;
    return true;
}

/* Names the peers that are not installed, if all peers were meant. After all checks, so that a refusal is one line. */
static bool begin(struct bench *bench)
{
    if (bench->asked_locks)
        return true;
    json_t *peers = bench_list_peers(bench);
    bench_name_missing_peers(peers, is_any);
    json_decref(peers);
    return true;
}

static json_t *measure(const struct bench *bench, const struct bench_lock *lock, const struct mutexbench *settings,
                       const struct bench_column *column)
{
    (void)column;
    return bench_measure_by_helper(bench_helper_of(bench, lock), NULL, lock->subject, settings);
}

const struct bench_kind bench_kind_mutex = {
    .name = "mutex",
    .help = "recip_mutex_t beside the mutexes of other libraries.",
    .program = "recip-bench-mutex",
    .package = "g++",
    .options = TAKES_THREADS | TAKES_OUTSIDE | TAKES_SECTION,
    .counts = true,
    .measures_loop = true,
    .seconds = 0.05,
    .complete = complete,
    .begin = begin,
    .measure = measure,
};
