/* SPDX-License-Identifier: MIT */
/* waiting: threads that lock all the time, and beside them threads that arrive by the clock: how long do those wait? */
#include "bench/command/bench.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <recip.h>

#include "bench/helper/helper.h"
#include "bench/measure/arrivals.h"
#include "bench/measure/threads.h"
#include "bench/measure/work.h"
#include "bench/results/results.h"
#include "cli/clock.h"

enum { MAX_TIME = 1000000000 };

static const char usual_times[] = "20/0,50/50,50/200,50/1000,1000/100,1000/1000,20000/20000,100000/1000";

/* What is measured without --lock: our own locks, and these peers. */
static const char *const own_mutexes[] = {"mutex", "pthread", "pthread-adaptive"};
static const char *const peers_wanted[] = {"nsync", "absl", "tbb-spin", "tbb-queuing"};

enum {
    OWN_MUTEXES = sizeof own_mutexes / sizeof *own_mutexes,
    PEERS_WANTED = sizeof peers_wanted / sizeof *peers_wanted,
};

/* ---- Locks ---- */

/* mutex:BOUND */
static bool add_bounded_mutex(struct bench *bench, const char *word)
{
    static const char start[] = "mutex:";
    if (strncmp(word, start, strlen(start)) != 0)
        return false;
    struct bench_lock one = {
        .id = need_memory(strdup(word)),
        .algorithm = recip_algorithm_find("mutex"),
        .bounded = true,
        .bound = option_count("--lock: the bound of the mutex", word + strlen(start), 0, RECIP_BOUND_MAX),
        .asked = true,
    };
    bench_add_lock(bench, &one, false);
    return true;
}

/* Whether condition variables come with it. */
static bool has_cond(const char *id, const json_t *peers)
{
    const json_t *peer;
    size_t index;
    if (monitor_find(id))
        return true;
    json_array_foreach(peers, index, peer)
    {
        if (strcmp(json_string_value(json_object_get(peer, "id")), id) == 0)
            return json_is_true(json_object_get(peer, "cond"));
    }
    return false;
}

static void add_asked_lock(const char *word, void *to)
{
    struct bench_asked *asked = to;
    if (add_bounded_mutex(asked->bench, word))
        return;
    bench_add_asked_mutex(asked->bench, asked->peers, word);
    const struct bench_lock *last = &asked->bench->locks[asked->bench->lock_count - 1];
    if (last->pair == ONLY_PAIR)
        refuse("--lock: '%s' is measured by 'recip bench mutex' only", word);
    if (asked->bench->cond && !has_cond(word, asked->peers))
        refuse("--lock: '%s' has no condition variable; with --cond there are mutex, pthread, nsync and absl", word);
}

static bool is_here(const json_t *peers, const char *id)
{
    const json_t *peer;
    size_t index;
    json_array_foreach(peers, index, peer)
    {
        if (strcmp(json_string_value(json_object_get(peer, "id")), id) == 0)
            return json_is_true(json_object_get(peer, "here"));
    }
    return false;
}

static void add_usual_locks(struct bench *bench, const json_t *peers)
{
    for (size_t i = 0; i < OWN_MUTEXES; i++)
        if (!bench->cond || has_cond(own_mutexes[i], peers))
            bench_add_algorithm(bench, recip_algorithm_find(own_mutexes[i]), false);
    for (size_t i = 0; i < PEERS_WANTED; i++)
        if (is_here(peers, peers_wanted[i]) && (!bench->cond || has_cond(peers_wanted[i], peers)))
            bench_add_peer(bench, peers, peers_wanted[i], false);
}

static bool is_wanted(const json_t *peer)
{
    for (size_t i = 0; i < PEERS_WANTED; i++)
        if (strcmp(json_string_value(json_object_get(peer, "id")), peers_wanted[i]) == 0)
            return true;
    return false;
}

static bool is_wanted_with_cond(const json_t *peer)
{
    return is_wanted(peer) && json_is_true(json_object_get(peer, "cond"));
}

/* ---- Columns ---- */

/* "INSIDE/OUTSIDE" */
static void add_times(const char *word, void *to)
{
    struct bench *bench = to;
    char inside[32];
    size_t length = strcspn(word, "/");
    if (!word[length] || length >= sizeof inside || length == 0)
        refuse("--times: '%s' is not INSIDE/OUTSIDE, each a number of nanoseconds from 0 to %d", word, MAX_TIME);
    memcpy(inside, word, length);
    inside[length] = '\0';
    struct bench_column column = {
        .inside = option_count("--times", inside, 0, MAX_TIME),
        .outside = option_count("--times", word + length + 1, 0, MAX_TIME),
        .others = bench->seldom_threads,
    };
    snprintf(column.workload, sizeof column.workload, "%u/%u", column.inside, column.outside);
    for (size_t i = 0; i < bench->hogs.size; i++) {
        column.threads = bench->hogs.values[i];
        bench_add_column(bench, &column);
    }
}

static void refuse_too_many_signals(const struct bench *bench)
{
    double signals = (bench->warm_up + bench->seconds) / bench->period * bench->seldom_threads;
    if (bench->cond && signals > WAITING_MAX_SIGNALS)
        refuse("--period: '%gms' makes %.0f signals in a run with %u of --seldom-threads; at most %.0f",
               bench->period * 1e3, signals, bench->seldom_threads, WAITING_MAX_SIGNALS);
}

static void complete(struct bench *bench)
{
    json_t *peers = bench_list_peers(bench);
    if (!bench->hogs.size)
        bench->hogs = option_counts("--hogs", "1,3,7,31", 1, BENCH_MAX_THREADS);
    if (!bench->seldom_threads)
        bench->seldom_threads = 1;
    if (bench->period <= 0)
        bench->period = 1e-3;
    if (bench->asked_locks)
        bench_add_asked_mutexes(bench, peers, add_asked_lock);
    else
        add_usual_locks(bench, peers);
    option_words(bench->times ? bench->times : usual_times, add_times, bench);
    bench_refuse_too_many_threads(bench);
    refuse_too_many_signals(bench);
    json_decref(peers);
}

/* ---- Measuring ---- */

/* Percentiles of the lateness of a timer beside so many threads that compute; null after a line on stderr. */
static json_t *lateness_beside(unsigned computing)
{
    struct histogram late;
    if (!arrivals_lateness(&late, &arrival_system_clock, computing)) {
        fprintf(stderr, "recip: %u threads cannot be had on this system\n", computing);
        return NULL;
    }
    return json_pack("{s:i, s:I, s:I, s:I}", "computing", (int)computing, "p50",
                     (json_int_t)histogram_quantile(&late, 0.5), "p90", (json_int_t)histogram_quantile(&late, 0.9),
                     "p99", (json_int_t)histogram_quantile(&late, 0.99));
}

/* On its own, and where all CPUs are taken: how late a thread runs for which there is nothing to wait. */
static json_t *timer_lateness(void)
{
    json_t *late = json_array();
    json_array_append_new(late, lateness_beside(0));
    json_array_append_new(late, lateness_beside(threads_cpus()));
    return late;
}

static bool begin(struct bench *bench)
{
    bench->turn_ns = work_calibrate();
    if (!bench->cond)
        bench->timer_late = timer_lateness();
    if (bench->asked_locks)
        return true;
    json_t *peers = bench_list_peers(bench);
    bench_name_missing_peers(peers, bench->cond ? is_wanted_with_cond : is_wanted);
    if (!json_array_size(peers))
        fputs("recip: without the mutexes of other libraries: g++ was missing when this was built ('make peers')\n",
              stderr);
    json_decref(peers);
    return true;
}

static void note_options(const struct bench *bench, json_t *options)
{
    json_object_set_new(options, "condition_variables", json_boolean(bench->cond));
    json_object_set_new(options, "seldom_threads", json_integer(bench->seldom_threads));
    json_object_set_new(options, "period_seconds", json_real(bench->period));
    json_object_set_new(options, "turn_ns", json_real(bench->turn_ns));
    if (bench->timer_late)
        json_object_set(options, "timer_late_ns", bench->timer_late);
}

static json_t *measure_here(const struct bench_lock *lock, const struct waiting *waiting)
{
    struct waiting_result result;
    json_t *said = NULL;
    if (!waiting_run(waiting, &result)) {
        fprintf(stderr, "recip: %u threads cannot be had on this system\n", waiting->hogs + waiting->others);
        return NULL;
    }
    if (!result.cut_short && !bench_run_is_wrong(lock->id, result.excluded, result.worked))
        said = results_of_waiting(waiting, &result);
    waiting_free(&result);
    return said;
}

/* In the helper, which has all locks; where it is not built, in this process, which has our own. */
static json_t *measure(const struct bench *bench, const struct bench_lock *lock, const struct mutexbench *settings,
                       const struct bench_column *column)
{
    const char *helper = bench_helper_of(bench, lock);
    struct waiting waiting = {
        .lock = lock->algorithm,
        .monitor = bench->cond ? monitor_find(lock->subject) : NULL,
        .bound = lock->bounded ? (int)lock->bound : WAITING_USUAL_BOUND,
        .hogs = column->threads,
        .others = column->others,
        .inside = work_turns(column->inside, bench->turn_ns),
        .outside = column->outside ? work_turns(column->outside, bench->turn_ns) : 0,
        .period = bench->period,
        .seconds = settings->seconds,
        .warm_up = settings->warm_up,
        .seed = (unsigned)nanoseconds_now() & 0xffffff,
    };
    if (!helper)
        return measure_here(lock, &waiting);
    char *request = need_memory(helper_waiting_request(lock->subject, bench->cond, &waiting));
    const char *arguments[] = {request, NULL};
    json_t *said = bench_run_helper(helper, NULL, arguments);
    free(request);
    return said;
}

static void end(struct bench *bench)
{
    json_decref(bench->timer_late);
}

const struct bench_kind bench_kind_waiting = {
    .name = "waiting",
    .help = "threads that lock all the time, and how long one waits beside them that comes by the clock.",
    .program = "recip-bench-mutex",
    .package = "g++",
    .does_without = true,
    .options = TAKES_WAITING,
    .seconds = 0.25,
    .complete = complete,
    .note_options = note_options,
    .begin = begin,
    .end = end,
    .measure = measure,
};
