/* The kinds of benchmark: their locks, their columns, and how one measurement is made. */
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "bench/helper.h"
#include "bench/latency.h"
#include "bench/results.h"
#include "bench/threads.h"
#include "zoo/pthread-fit.h"
#include "bench/bench.h"
#include "cli/launch.h"

enum { SPINNERS_ON_A_CPU = 16, SPINNERS_UNASKED = 4 };

/* ---- Locks ---- */

/* The most threads that a lock can be measured with: a crowd that only spins hardly gets on, nor does it end. */
static unsigned most_threads(const struct recip_algorithm *lock, bool spins, unsigned spinners)
{
    unsigned most = spins ? spinners * threads_cpus() : BENCH_MOST_THREADS;
    return lock && lock->max_threads && lock->max_threads < most ? lock->max_threads : most;
}

static void add_lock(struct bench *bench, const struct bench_lock *lock, bool spins)
{
    unsigned spinners = lock->asked ? SPINNERS_ON_A_CPU : SPINNERS_UNASKED;
    for (size_t i = 0; i < bench->lock_count; i++)
        if (strcmp(bench->locks[i].id, lock->id) == 0)
            return;
    bench->locks = need_memory(realloc(bench->locks, (bench->lock_count + 1) * sizeof *bench->locks));
    bench->locks[bench->lock_count] = *lock;
    bench->locks[bench->lock_count++].max_threads = most_threads(lock->algorithm, spins, spinners);
}

static void add_ours(struct bench *bench, const struct recip_algorithm *lock, bool asked)
{
    struct bench_lock ours = {.id = lock->id, .algorithm = lock, .asked = asked};
    add_lock(bench, &ours, !lock->parks && lock->waits != RECIP_WAITS_SYSTEM);
}

static bool goes_with_preload(const struct recip_algorithm *lock)
{
    return strcmp(lock->id, "pthread") == 0 || !recip_pthread_unfit_reason(lock);
}

/* Those that were asked for, or all that `fits` lets pass. `none` is no lock, to see the check of exclusion fail. */
static void choose_ours(struct bench *bench, bool (*fits)(const struct recip_algorithm *lock))
{
    if (bench->asked_locks && strcmp(bench->asked_locks, mutexbench_no_lock.id) == 0 && !bench->kind->program) {
        add_lock(bench, &(struct bench_lock){.id = mutexbench_no_lock.id, .algorithm = &mutexbench_no_lock}, false);
        return;
    }
    struct algorithm_list asked = {0};
    if (bench->asked_locks)
        asked = option_locks("--lock", bench->asked_locks);
    for (size_t i = 0; i < asked.size; i++)
        add_ours(bench, asked.values[i], true);
    for (size_t i = 0; !bench->asked_locks && i < recip_algorithm_count; i++)
        if (!fits || fits(recip_algorithms[i]))
            add_ours(bench, recip_algorithms[i], false);
    free(asked.values);
}

/* ---- Columns ---- */

static void add_column(struct bench *bench, const struct bench_column *column)
{
    bench->columns = need_memory(realloc(bench->columns, (bench->column_count + 1) * sizeof *bench->columns));
    bench->columns[bench->column_count++] = *column;
}

/* The workload with each number of threads. */
static void add_workload(struct bench *bench, struct bench_column column)
{
    for (size_t i = 0; i < bench->threads.size; i++) {
        column.threads = bench->threads.values[i];
        add_column(bench, &column);
    }
}

static void default_threads(struct bench *bench, const unsigned *values, size_t count)
{
    if (bench->threads.size)
        return;
    bench->threads.values = need_memory(malloc(count * sizeof *values));
    for (size_t i = 0; i < count; i++)
        if (!i || values[i] != values[i - 1])
            bench->threads.values[bench->threads.size++] = values[i];
}

static void threads_around_cpus(struct bench *bench)
{
    const unsigned values[] = {1, threads_cpus(), 2 * threads_cpus()};
    default_threads(bench, values, 3);
}

static bool given_lengths(const struct bench *bench)
{
    return bench->insides.size || bench->outsides.size;
}

/* Each length inside with each outside; a step inside and nothing outside where one of them was not given. */
static void add_given(struct bench *bench)
{
    static unsigned step = 1, nothing = 0;
    struct count_list insides = bench->insides.size ? bench->insides : (struct count_list){&step, 1};
    struct count_list outsides = bench->outsides.size ? bench->outsides : (struct count_list){&nothing, 1};
    for (size_t i = 0; i < insides.size; i++)
        for (size_t j = 0; j < outsides.size; j++) {
            struct bench_column given = {.inside = insides.values[i], .outside = outsides.values[j]};
            snprintf(given.workload, sizeof given.workload, "%u/%u", given.inside, given.outside);
            add_workload(bench, given);
        }
}

bool bench_goes_with(const struct bench_lock *lock, const struct bench_column *column)
{
    return lock->pair != (column->section == SECTION_PAIR ? WITHOUT_PAIR : ONLY_PAIR);
}

static void refuse_too_many(const struct bench *bench)
{
    for (size_t i = 0; i < bench->lock_count; i++)
        for (size_t j = 0; j < bench->column_count; j++) {
            const struct bench_lock *lock = &bench->locks[i];
            const struct bench_column *column = &bench->columns[j];
            if (lock->asked && bench_goes_with(lock, column) && column->threads > lock->max_threads)
                refuse("--threads: '%u' is too many for the lock '%s', which takes %u at most here", column->threads,
                       lock->id, lock->max_threads);
        }
}

/* ---- mutexbench and fairness ---- */

static void complete_mutexbench(struct bench *bench)
{
    choose_ours(bench, NULL);
    threads_around_cpus(bench);
    if (given_lengths(bench)) {
        add_given(bench);
    } else {
        add_workload(bench, (struct bench_column){.workload = "max", .inside = 1});
        add_workload(bench, (struct bench_column){.workload = "moderate", .inside = 1, .outside = MODERATE_STEPS});
    }
    refuse_too_many(bench);
}

static void complete_fairness(struct bench *bench)
{
    const unsigned values[] = {threads_cpus(), 2 * threads_cpus()};
    choose_ours(bench, NULL);
    default_threads(bench, values, 2);
    if (given_lengths(bench))
        add_given(bench);
    else
        add_workload(bench, (struct bench_column){.workload = "max", .inside = 1});
    refuse_too_many(bench);
    if (bench->slice <= 0)
        bench->slice = bench->seconds / BENCH_SLICES;
    if (bench->slice > bench->seconds || bench->seconds / bench->slice > BENCH_MOST_SLICES)
        refuse("--slice: '%g' is not a part of the duration, %g s; give %g to %g", bench->slice, bench->seconds,
               bench->seconds / BENCH_MOST_SLICES, bench->seconds);
}

/* What is wrong with a run, in a line; true if something is. */
static bool complain(const struct bench_lock *lock, const struct mutexbench_result *result)
{
    if (result->cut_short)
        return true;
    if (!result->excluded)
        fprintf(stderr, "recip: the lock '%s' let two threads in at once\n", lock->id);
    else if (!result->worked)
        fprintf(stderr, "recip: on the lock '%s' the work of the benchmark was not done\n", lock->id);
    return !result->excluded || !result->worked;
}

static json_t *measure_mutexbench(const struct bench *bench, const struct bench_lock *lock,
                                  const struct mutexbench *settings, const struct bench_column *column)
{
    (void)bench, (void)column;
    struct mutexbench_result result;
    json_t *said = NULL;
    if (!mutexbench_run(settings, &result)) {
        fprintf(stderr, "recip: %u threads cannot be had on this system\n", settings->threads);
        return NULL;
    }
    if (!complain(lock, &result))
        said = settings->count_calls ? results_of_calls(&result) : results_of_mutexbench(settings, &result);
    mutexbench_free(&result);
    return said;
}

/* ---- latency ---- */

static void complete_latency(struct bench *bench)
{
    choose_ours(bench, NULL);
    add_column(bench, &(struct bench_column){.workload = "uncontended", .threads = 1});
    if (threads_cpus() > 1)
        add_column(bench, &(struct bench_column){.workload = "handover", .threads = 2, .handover = true});
    else
        fputs("recip: one CPU only: no handover between two\n", stderr);
}

static json_t *measure_latency(const struct bench *bench, const struct bench_lock *lock,
                               const struct mutexbench *settings, const struct bench_column *column)
{
    (void)bench;
    struct latency latency = {lock->algorithm, column->handover, settings->seconds, settings->warm_up};
    struct latency_result result;
    if (!latency_run(&latency, &result)) {
        fputs("recip: two threads cannot be had on this system\n", stderr);
        return NULL;
    }
    return result.cut_short ? NULL : results_of_latency(&result);
}

/* ---- atomic and leveldb: in a program that is on the lock ---- */

static void complete_programs(struct bench *bench)
{
    choose_ours(bench, goes_with_preload);
    for (size_t i = 0; i < bench->lock_count; i++)
        launch_check("--lock", bench->locks[i].algorithm);
    threads_around_cpus(bench);
}

static void complete_atomic(struct bench *bench)
{
    complete_programs(bench);
    add_workload(bench, (struct bench_column){.workload = "exchange", .section = SECTION_NOTHING});
    add_workload(bench, (struct bench_column){.workload = "compare-exchange", .section = SECTION_NOTHING});
    refuse_too_many(bench);
}

static void complete_leveldb(struct bench *bench)
{
    complete_programs(bench);
    add_workload(bench, (struct bench_column){.workload = "readrandom", .section = SECTION_NOTHING});
    refuse_too_many(bench);
}

/* A database in a folder of its own, for all locks. */
static bool begin_leveldb(struct bench *bench)
{
    const char *place = getenv("TMPDIR");
    char keys[16];
    snprintf(keys, sizeof keys, "%u", bench->keys ? bench->keys : BENCH_KEYS);
    int length =
        snprintf(bench->folder, sizeof bench->folder, "%s/recip-leveldb-XXXXXX", place && *place ? place : "/tmp");
    if (length >= (int)sizeof bench->folder || !mkdtemp(bench->folder)) {
        perror("recip: a folder for the database");
        *bench->folder = '\0';
        return false;
    }
    if (isatty(STDERR_FILENO))
        fprintf(stderr, "\r\033[Kwriting %s keys", keys);
    const char *const arguments[] = {"fill", bench->folder, keys, NULL};
    json_t *said = bench_child(bench->kind, NULL, arguments);
    json_decref(said);
    return said;
}

static int remove_one(const char *path, const struct stat *status, int type, struct FTW *place)
{
    (void)status, (void)type, (void)place;
    return remove(path);
}

static void end_leveldb(struct bench *bench)
{
    if (*bench->folder)
        nftw(bench->folder, remove_one, 8, FTW_DEPTH | FTW_PHYS);
}

static json_t *measure_in_child(const struct bench *bench, const struct recip_algorithm *lock, const char *subject,
                                const struct mutexbench *settings)
{
    char *request = need_memory(helper_request(subject, settings));
    const char *arguments[] = {request, NULL};
    json_t *said = bench_child(bench->kind, lock, arguments);
    free(request);
    return said;
}

static json_t *measure_program(const struct bench *bench, const struct bench_lock *lock,
                               const struct mutexbench *settings, const struct bench_column *column)
{
    const char *subject = *bench->folder ? bench->folder : column->workload;
    return measure_in_child(bench, lock->algorithm, subject, settings);
}

/* ---- mutex: beside its peers, in a program that has them ---- */

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

/* One column, if one thread and nothing outside are among what is asked for. */
static bool add_pair(struct bench *bench)
{
    if (!has_count(&bench->threads, 1) || (bench->outsides.size && !has_count(&bench->outsides, 0)))
        return false;
    add_column(bench, &(struct bench_column){.workload = "pair/0", .section = SECTION_PAIR, .threads = 1});
    return true;
}

/* False if it is not for the threads and the lengths that are asked for. */
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
        add_workload(bench, column);
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

/* Of those that the helper could have: true if it has that one. */
static bool add_peer(struct bench *bench, const json_t *peers, const char *id, bool asked)
{
    const json_t *peer;
    size_t index;
    json_array_foreach(peers, index, peer)
    {
        const char *name = json_string_value(json_object_get(peer, "id"));
        if (!name || strcmp(name, id) != 0)
            continue;
        if (!json_is_true(json_object_get(peer, "here")))
            refuse("--lock: '%s' was not built in; install %s and build again ('make peers' does both)", id,
                   json_string_value(json_object_get(peer, "package")));
        struct bench_lock one = {
            .id = need_memory(strdup(id)),
            .asked = asked,
            .pair = json_is_true(json_object_get(peer, "only_pair")) ? ONLY_PAIR : WITH_PAIR,
        };
        add_lock(bench, &one, json_is_true(json_object_get(peer, "spins")));
        return true;
    }
    return false;
}

struct peers_to {
    struct bench *bench;
    const json_t *peers;
};

static void add_asked_mutex(const char *word, void *to)
{
    struct peers_to *asked = to;
    if (add_peer(asked->bench, asked->peers, word, true))
        return;
    if (strcmp(word, "zoo") == 0) {
        for (size_t i = 0; i < recip_algorithm_count; i++)
            add_ours(asked->bench, recip_algorithms[i], false);
        return;
    }
    const struct recip_algorithm *lock = recip_algorithm_find(word);
    if (!lock)
        refuse(
            "--lock: there is no lock '%s'; there are those of 'recip list', all of them as 'zoo', and the peers: std, "
            "nsync, absl, tbb-queuing, tbb-spin, ck-mcs, ck-clh, ck-ticket, ck-fas, bare",
            word);
    add_ours(asked->bench, lock, true);
}

/* Those of ours that stand beside the peers, and that the helper has inline, too. */
static const char *const own_mutexes[] = {"mutex", "pthread", "pthread-adaptive"};

enum { OWN_MUTEXES = sizeof own_mutexes / sizeof *own_mutexes };

/* The mutex, the system's own, and the peers that are there. */
static void add_all_mutexes(struct bench *bench, const json_t *peers)
{
    const json_t *peer;
    size_t index;
    for (size_t i = 0; i < OWN_MUTEXES; i++)
        add_ours(bench, recip_algorithm_find(own_mutexes[i]), false);
    json_array_foreach(peers, index, peer)
    {
        const char *id = json_string_value(json_object_get(peer, "id"));
        if (json_is_true(json_object_get(peer, "here")))
            add_peer(bench, peers, id, false);
    }
}

static void note_pairs(struct bench *bench)
{
    for (size_t i = 0; i < bench->lock_count; i++)
        for (size_t j = 0; j < OWN_MUTEXES; j++)
            if (strcmp(bench->locks[i].id, own_mutexes[j]) == 0)
                bench->locks[i].pair = WITH_PAIR;
}

/* A lock that was asked for, but not with a section that it can be measured in. */
static void refuse_idle(const struct bench *bench)
{
    for (size_t i = 0; i < bench->lock_count; i++) {
        bool goes = !bench->locks[i].asked;
        for (size_t j = 0; j < bench->column_count; j++)
            goes = goes || bench_goes_with(&bench->locks[i], &bench->columns[j]);
        if (!goes)
            refuse(bench->locks[i].pair == ONLY_PAIR
                       ? "--lock: '%s' is measured in the section 'pair' only, with one thread and nothing outside"
                       : "--lock: '%s' is not measured in the section 'pair': it has no inline functions",
                   bench->locks[i].id);
    }
}

static json_t *list_peers(const struct bench *bench)
{
    const char *const arguments[] = {"list", NULL};
    json_t *peers = bench_child(bench->kind, NULL, arguments);
    if (!peers)
        exit(STATUS_FAILED);
    return peers;
}

static void complete_mutex(struct bench *bench)
{
    const unsigned values[] = {1, 2, 4, 8, 16, 32, 64};
    json_t *peers = list_peers(bench);
    default_threads(bench, values, 7);
    if (bench->asked_locks)
        option_words(bench->asked_locks, add_asked_mutex, &(struct peers_to){bench, peers});
    else
        add_all_mutexes(bench, peers);
    if (bench->sections)
        option_words(bench->sections, add_asked_section, bench);
    for (int i = 0; !bench->sections && i < SECTIONS; i++)
        add_section(bench, i);
    note_pairs(bench);
    refuse_idle(bench);
    refuse_too_many(bench);
    json_decref(peers);
}

/* Where all peers are meant, those that are not there are named; once there is nothing left to be refused. */
static bool begin_mutex(struct bench *bench)
{
    const json_t *peer;
    size_t index;
    if (bench->asked_locks)
        return true;
    json_t *peers = list_peers(bench);
    json_array_foreach(peers, index, peer)
    {
        if (!json_is_true(json_object_get(peer, "here")))
            fprintf(stderr, "recip: without %s: %s was not installed when this was built ('make peers')\n",
                    json_string_value(json_object_get(peer, "id")),
                    json_string_value(json_object_get(peer, "package")));
    }
    json_decref(peers);
    return true;
}

static json_t *measure_mutex(const struct bench *bench, const struct bench_lock *lock,
                             const struct mutexbench *settings, const struct bench_column *column)
{
    (void)column;
    return measure_in_child(bench, NULL, lock->id, settings);
}

/* ---- */

const struct bench_kind bench_kinds[] = {
    {.name = "mutexbench",
     .summary = "the paper's micro-benchmark; the kind where none is named",
     .counts = true,
     .measures_loop = true,
     .seconds = 0.05,
     .complete = complete_mutexbench,
     .measure = measure_mutexbench},
    {.name = "latency",
     .summary = "acquire and release by one thread; handover from one to another",
     .times = true,
     .seconds = 0.05,
     .complete = complete_latency,
     .measure = measure_latency},
    {.name = "atomic",
     .summary = "std::atomic of five integers, on the lock by the preload library",
     .program = "recip-bench-atomic",
     .package = "g++",
     .counts = true,
     .seconds = 0.05,
     .complete = complete_atomic,
     .measure = measure_program},
    {.name = "leveldb",
     .summary = "LevelDB's readrandom, on the lock by the preload library",
     .program = "recip-bench-leveldb",
     .package = "libleveldb-dev",
     .seconds = 0.2,
     .complete = complete_leveldb,
     .begin = begin_leveldb,
     .end = end_leveldb,
     .measure = measure_program},
    {.name = "fairness",
     .summary = "who was admitted how often, in the long and in the short run",
     .measures_loop = true,
     .seconds = 0.2,
     .complete = complete_fairness,
     .measure = measure_mutexbench},
    {.name = "mutex",
     .summary = "recip_mutex_t beside the mutexes of other libraries",
     .program = "recip-bench-mutex",
     .package = "g++",
     .counts = true,
     .measures_loop = true,
     .seconds = 0.05,
     .complete = complete_mutex,
     .begin = begin_mutex,
     .measure = measure_mutex},
};

const size_t bench_kind_count = sizeof bench_kinds / sizeof *bench_kinds;
