/* recip bench: MutexBench over the locks, interleaved; the results as tables, JSON or CSV. */
#include "recip/command.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "bench/environment.h"
#include "bench/mutexbench.h"
#include "bench/results.h"
#include "recip/progress.h"

enum { MOST_THREADS = 10000, MOST_RUNS = 1000, MOST_STEPS = 1000000 };

struct workload {
    char name[32];
    unsigned inside, outside;
};

struct request {
    struct algorithm_list locks;
    struct count_list threads;
    struct workload workloads[2];
    size_t workload_count;
    unsigned runs, inside, outside;
    double seconds, warm_up;
    bool given_lengths, pinned, json, csv, details;
    const char *from, *baseline;
};

enum {
    OPTION_INSIDE = 256,
    OPTION_OUTSIDE,
    OPTION_WARM_UP,
    OPTION_PINNED,
    OPTION_FROM,
    OPTION_BASELINE,
    OPTION_DETAILS
};

static const struct argp_option options[] = {
    {"lock", 'l', "ID,...", 0, "the locks to compare (default: all)", 0},
    {"threads", 't', "N,...", 0, "numbers of threads (default: 1, the CPUs, and twice the CPUs)", 0},
    {"duration", 'd', "SECONDS", 0, "length of one measurement (default: 0.1)", 0},
    {"runs", 'r', "N", 0, "measurements of each, interleaved (default: 3); with 6 or more, differences are judged", 0},
    {"warm-up", OPTION_WARM_UP, "SECONDS", 0, "before each measurement (default: a tenth of it)", 0},
    {"inside", OPTION_INSIDE, "STEPS", 0, "steps in the critical section, instead of the two workloads", 0},
    {"outside", OPTION_OUTSIDE, "STEPS", 0, "up to so many steps outside, instead of the two workloads", 0},
    {"pinned", OPTION_PINNED, NULL, 0, "pin each thread to a CPU", 0},
    {"baseline", OPTION_BASELINE, "ID", 0, "the lock that others are compared with (default: pthread)", 0},
    {"details", OPTION_DETAILS, NULL, 0, "print all tables: fairness, times to acquire, CPU time, switches", 0},
    {"json", 'j', NULL, 0, "print the results as JSON instead", 0},
    {"csv", 'c', NULL, 0, "print the results as CSV instead", 0},
    {"from", OPTION_FROM, "FILE", 0, "print the results in FILE, which --json has made, and run nothing", 0},
    {0},
};

static error_t take_option(int key, char *word, struct argp_state *state)
{
    struct request *request = state->input;
    switch (key) {
    case 'l':
        free(request->locks.values);
        request->locks = option_locks("--lock", word);
        return 0;
    case 't':
        free(request->threads.values);
        request->threads = option_counts("--threads", word, 1, MOST_THREADS);
        return 0;
    case 'd':
        request->seconds = option_seconds("--duration", word, 0.001, 3600);
        return 0;
    case 'r':
        request->runs = option_count("--runs", word, 1, MOST_RUNS);
        return 0;
    case OPTION_WARM_UP:
        request->warm_up = option_seconds("--warm-up", word, 0, 3600);
        return 0;
    case OPTION_INSIDE:
        request->inside = option_count("--inside", word, 0, MOST_STEPS);
        request->given_lengths = true;
        return 0;
    case OPTION_OUTSIDE:
        request->outside = option_count("--outside", word, 0, MOST_STEPS);
        request->given_lengths = true;
        return 0;
    case OPTION_BASELINE:
        request->baseline = word;
        free(option_locks("--baseline", word).values);
        return 0;
    case OPTION_PINNED:
        request->pinned = true;
        return 0;
    case OPTION_DETAILS:
        request->details = true;
        return 0;
    case 'j':
        request->json = true;
        return 0;
    case 'c':
        request->csv = true;
        return 0;
    case OPTION_FROM:
        request->from = word;
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static const struct argp argp = {
    .options = options,
    .parser = take_option,
    .doc = "Compares locks on this machine with MutexBench: threads acquire one lock, advance a shared mt19937 by a "
           "step and "
           "release it. Under maximum contention (max) they do nothing else; under moderate contention they advance a "
           "private "
           "mt19937 by 0 to 249 steps in between. The locks take turns within a run, so that noise hits all alike.\v"
           "Locks that only spin collapse where threads exceed CPUs: that is what they do, not a fault of the "
           "measurement.",
};

static unsigned cpus(void)
{
    long online = sysconf(_SC_NPROCESSORS_ONLN);
    return online > 0 ? (unsigned)online : 1;
}

/* The most threads that a lock can be measured with: a crowd that only spins hardly gets on, nor does it end. */
static unsigned most_threads(const struct recip_algorithm *lock)
{
    bool spins = !lock->parks && lock->waits != RECIP_WAITS_SYSTEM;
    unsigned most = spins ? 16 * cpus() : MOST_THREADS;
    return lock->most_threads && lock->most_threads < most ? lock->most_threads : most;
}

static void default_threads(struct count_list *threads)
{
    unsigned defaults[] = {1, cpus(), 2 * cpus()};
    threads->values = need_memory(malloc(sizeof defaults));
    for (int i = cpus() == 1 ? 1 : 0; i < 3; i++)
        threads->values[threads->size++] = defaults[i];
}

/* All that take as many threads. */
static void default_locks(struct algorithm_list *locks, unsigned threads)
{
    locks->values = need_memory(malloc(recip_algorithm_count * sizeof(void *)));
    for (size_t i = 0; i < recip_algorithm_count; i++)
        if (threads <= most_threads(recip_algorithms[i]))
            locks->values[locks->size++] = recip_algorithms[i];
}

static void set_workloads(struct request *request)
{
    if (request->given_lengths) {
        struct workload given = {.inside = request->inside, .outside = request->outside};
        snprintf(given.name, sizeof given.name, "%u/%u", given.inside, given.outside);
        request->workloads[request->workload_count++] = given;
        return;
    }
    request->workloads[request->workload_count++] = (struct workload){"max", 1, 0};
    request->workloads[request->workload_count++] = (struct workload){"moderate", 1, MODERATE_STEPS};
}

static void complete(struct request *request)
{
    unsigned most = 0;
    if (request->json && request->csv)
        refuse("--json and --csv: one of the two");
    if (!request->threads.size)
        default_threads(&request->threads);
    for (size_t i = 0; i < request->threads.size; i++)
        most = request->threads.values[i] > most ? request->threads.values[i] : most;
    if (!request->locks.size)
        default_locks(&request->locks, most);
    for (size_t i = 0; i < request->locks.size; i++)
        if (most > most_threads(request->locks.values[i]))
            refuse("--threads: '%u' is too many for the lock '%s', which takes %u at most here", most,
                   request->locks.values[i]->id, most_threads(request->locks.values[i]));
    if (request->warm_up < 0)
        request->warm_up = request->seconds / 10;
    set_workloads(request);
}

static volatile sig_atomic_t interrupted;

static void note_interrupt(int signal)
{
    (void)signal;
    interrupted = 1;
}

/* One measurement, into the results; false if it could not be made or the lock failed. */
static bool measure(const struct mutexbench *bench, const char *workload, unsigned run, json_t *results)
{
    struct mutexbench_result result;
    if (!mutexbench_run(bench, &result)) {
        fprintf(stderr, "recip: %u threads cannot be had on this system\n", bench->threads);
        return false;
    }
    if (!result.excluded)
        fprintf(stderr, "recip: the lock '%s' let two threads in at once\n", bench->lock->id);
    else
        results_add(results, workload, bench, run, &result);
    mutexbench_free(&result);
    return result.excluded;
}

/* The same column for all locks, then the next column, then the next run. */
static bool measure_all(const struct request *request, json_t *results)
{
    struct progress progress;
    size_t columns = request->workload_count * request->threads.size;
    bool good = true;
    progress_start(&progress, request->runs * columns * request->locks.size);
    for (size_t step = 0; step < progress.total && good && !interrupted; step++) {
        size_t lock = step % request->locks.size, column = step / request->locks.size % columns;
        unsigned run = (unsigned)(step / (request->locks.size * columns));
        const struct workload *workload = &request->workloads[column / request->threads.size];
        struct mutexbench bench = {
            .lock = request->locks.values[lock],
            .threads = request->threads.values[column % request->threads.size],
            .inside = workload->inside,
            .outside = workload->outside,
            .seconds = request->seconds,
            .warm_up = request->warm_up,
            .pinned = request->pinned,
        };
        progress_step(&progress, "run %u of %u, %s, %u threads, %s", run + 1, request->runs, workload->name,
                      bench.threads, bench.lock->id);
        good = measure(&bench, workload->name, run, results);
    }
    progress_end(&progress);
    json_object_set_new(results, "complete", json_boolean(good && !interrupted));
    environment_end(json_object_get(results, "environment"));
    return good;
}

/* What the loop of the benchmark costs without a lock, in nanoseconds. */
static double loop_cost(const struct request *request)
{
    struct mutexbench bench = {.lock = &mutexbench_no_lock, .threads = 1, .inside = 1, .seconds = request->seconds};
    struct mutexbench_result result;
    if (!mutexbench_run(&bench, &result))
        return 0;
    double cost = result.seconds * 1e9 / (double)result.operations;
    mutexbench_free(&result);
    return cost;
}

static void show(const struct request *request, const json_t *results)
{
    if (request->json) {
        json_dumpf(results, stdout, JSON_INDENT(1) | JSON_REAL_PRECISION(9));
        putchar('\n');
    } else if (request->csv) {
        results_print_csv(results, stdout);
    } else {
        results_print(results, request->baseline ? request->baseline : "pthread", request->details, stdout);
    }
}

static int show_file(const struct request *request)
{
    char why[256];
    json_t *results = results_read(request->from, why);
    if (!results)
        refuse("--from: '%s' cannot be read: %s", request->from, why);
    show(request, results);
    json_decref(results);
    return STATUS_OK;
}

int command_bench(int argc, char **argv)
{
    struct request request = {.seconds = 0.1, .warm_up = -1, .runs = 3, .inside = 1};
    parse_options(&argp, argc, argv, &request, NULL);
    if (request.from)
        return show_file(&request);
    complete(&request);
    signal(SIGINT, note_interrupt);
    json_t *results = results_new("mutexbench", json_pack("{s:f, s:f, s:i, s:b, s:f}", "seconds", request.seconds,
                                                          "warm_up_seconds", request.warm_up, "runs", (int)request.runs,
                                                          "pinned", request.pinned, "loop_ns", loop_cost(&request)));
    bool good = measure_all(&request, results);
    if (json_array_size(json_object_get(results, "measurements")))
        show(&request, results);
    json_decref(results);
    free(request.locks.values);
    free(request.threads.values);
    return good && !interrupted ? STATUS_OK : STATUS_FAILED;
}
