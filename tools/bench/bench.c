/* recip bench: what is asked for, and the results as tables, JSON or CSV. */
#include "bench/bench.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "bench/results.h"

enum { MOST_RUNS = 1000, MOST_STEPS = 1000000, MOST_KEYS = 100000000 };

/* Below this, a measurement is not much longer than a thread's turn on a CPU. */
#define LEAST_SECONDS 0.01
#define MOST_SECONDS 3600.0
#define LEAST_SLICE 1e-6

enum {
    OPTION_INSIDE = 256,
    OPTION_OUTSIDE,
    OPTION_SECTION,
    OPTION_SLICE,
    OPTION_KEYS,
    OPTION_WARM_UP,
    OPTION_PINNED,
    OPTION_FROM,
    OPTION_BASELINE,
    OPTION_DETAILS
};

static const struct argp_option options[] = {
    {"lock", 'l', "ID,...", 0, "the locks to compare (default: all that the kind can take)", 0},
    {"threads", 't', "N,...", 0, "numbers of threads (default: 1, the CPUs, and twice the CPUs)", 0},
    {"duration", 'd', "SECONDS", 0, "length of one measurement (default: 0.05 or 0.2, by kind)", 0},
    {"runs", 'r', "N", 0, "measurements of each, interleaved (default: 7); with fewer than 6 nothing is compared", 0},
    {"warm-up", OPTION_WARM_UP, "SECONDS", 0, "before each measurement (default: a tenth of it)", 0},
    {"pinned", OPTION_PINNED, NULL, 0, "pin each thread to a CPU", 0},
    {"inside", OPTION_INSIDE, "STEPS,...", 0, "mutexbench, fairness: steps in the critical section", 0},
    {"outside", OPTION_OUTSIDE, "STEPS,...", 0, "mutexbench, fairness, mutex: up to so many steps outside", 0},
    {"section", OPTION_SECTION, "NAME,...", 0, "mutex: critical sections: pair, nothing, step, lines, 1us, 100us", 0},
    {"slice", OPTION_SLICE, "SECONDS", 0, "fairness: length of a slice of time (default: a fiftieth of the duration)",
     0},
    {"keys", OPTION_KEYS, "N", 0, "leveldb: how many are written (default: 1000000)", 0},
    {"baseline", OPTION_BASELINE, "ID", 0, "the lock that others are compared with (default: pthread)", 0},
    {"details", OPTION_DETAILS, NULL, 0, "print all tables: fairness, times to acquire, CPU time, switches, calls", 0},
    {"json", 'j', NULL, 0, "print the results as JSON instead", 0},
    {"csv", 'c', NULL, 0, "print the results as CSV instead", 0},
    {"from", OPTION_FROM, "FILE", 0, "print the results in FILE, which --json has made, and run nothing", 0},
    {0},
};

static void take_kind(struct bench *bench, const char *word)
{
    char names[256] = "";
    if (bench->kind)
        refuse("'%s' is a second kind; one at a time", word);
    for (size_t i = 0; i < bench_kind_count; i++) {
        if (strcmp(word, bench_kinds[i].name) == 0)
            bench->kind = &bench_kinds[i];
        snprintf(names + strlen(names), sizeof names - strlen(names), "%s%s", i ? ", " : "", bench_kinds[i].name);
    }
    if (!bench->kind)
        refuse("there is no benchmark '%s'; there are %s", word, names);
}

#define AT(field) offsetof(struct bench, field)

static const struct option_field fields[] = {
    {'l', FIELD_TEXT, AT(asked_locks), 0, 0},
    {'t', FIELD_COUNTS, AT(threads), 1, BENCH_MOST_THREADS},
    {'d', FIELD_SECONDS, AT(seconds), LEAST_SECONDS, MOST_SECONDS},
    {'r', FIELD_COUNT, AT(runs), 1, MOST_RUNS},
    {OPTION_WARM_UP, FIELD_SECONDS, AT(warm_up), 0, MOST_SECONDS},
    {OPTION_PINNED, FIELD_FLAG, AT(pinned), 0, 0},
    {OPTION_INSIDE, FIELD_COUNTS, AT(insides), 0, MOST_STEPS},
    {OPTION_OUTSIDE, FIELD_COUNTS, AT(outsides), 0, MOST_STEPS},
    {OPTION_SECTION, FIELD_TEXT, AT(sections), 0, 0},
    {OPTION_SLICE, FIELD_SECONDS, AT(slice), LEAST_SLICE, MOST_SECONDS},
    {OPTION_KEYS, FIELD_COUNT, AT(keys), 1, MOST_KEYS},
    {OPTION_BASELINE, FIELD_TEXT, AT(baseline), 0, 0},
    {OPTION_DETAILS, FIELD_FLAG, AT(details), 0, 0},
    {'j', FIELD_FLAG, AT(json), 0, 0},
    {'c', FIELD_FLAG, AT(csv), 0, 0},
    {OPTION_FROM, FIELD_TEXT, AT(from), 0, 0},
    {0},
};

static error_t take_option(int key, char *word, struct argp_state *state)
{
    if (option_store(options, fields, key, word, state->input))
        return 0;
    if (key != ARGP_KEY_ARG)
        return ARGP_ERR_UNKNOWN;
    take_kind(state->input, word);
    return 0;
}

static const struct argp argp = {
    .options = options,
    .parser = take_option,
    .args_doc = "[KIND]",
    .doc =
        "Compares locks on this machine. KIND is one of:\n\n"
        "mutexbench, the default: threads acquire one lock, advance a shared mt19937 by a step and release it; under "
        "maximum contention (max) they do nothing else, under moderate contention they advance a private mt19937 by "
        "0 to 249 steps in between.\n\n"
        "latency: acquire and release by one thread, and the way from release to the return of another's acquire.\n\n"
        "atomic: std::atomic of a struct of five integers, exchange, and load and compare_exchange_strong.\n\n"
        "leveldb: LevelDB's readrandom on what fillseq has written.\n\n"
        "fairness: mutexbench with the admissions counted by thread and slice of time.\n\n"
        "mutex: recip_mutex_t beside the mutexes of other libraries.\v"
        "The locks take turns within a run, so that noise hits all alike. Locks that only spin collapse where threads "
        "exceed CPUs: that is what they do, not a fault of the measurement. docs/bench.md has the rest.",
};

/* An option that does not belong to the kind, or to results that are there, changes nothing, and whoever gave it should
 * know. */
static void refuse_foreign(const struct bench *bench)
{
    const char *kind = bench->from ? "" : bench->kind->name;
    bool plain = strcmp(kind, "mutexbench") == 0, fairness = strcmp(kind, "fairness") == 0;
    bool latency = strcmp(kind, "latency") == 0, mutex = strcmp(kind, "mutex") == 0;
    const struct {
        const char *option;
        bool given, belongs;
    } rules[] = {
        {"--lock", bench->asked_locks, !bench->from},
        {"--duration", bench->seconds > 0, !bench->from},
        {"--runs", bench->runs > 0, !bench->from},
        {"--warm-up", bench->warm_up >= 0, !bench->from},
        {"--threads", bench->threads.size > 0, !bench->from && !latency},
        {"--pinned", bench->pinned, !bench->from && !latency},
        {"--inside", bench->insides.size > 0, plain || fairness},
        {"--outside", bench->outsides.size > 0, plain || fairness || mutex},
        {"--section", bench->sections, mutex},
        {"--slice", bench->slice > 0, fairness},
        {"--keys", bench->keys > 0, strcmp(kind, "leveldb") == 0},
    };
    for (size_t i = 0; i < sizeof rules / sizeof *rules; i++)
        if (rules[i].given && !rules[i].belongs && bench->from)
            refuse("%s does not go with --from, which runs nothing", rules[i].option);
        else if (rules[i].given && !rules[i].belongs)
            refuse("%s does not go with the benchmark '%s'", rules[i].option, kind);
}

static void refuse_baseline(const struct bench *bench)
{
    for (size_t i = 0; i < bench->lock_count; i++)
        if (bench->baseline && strcmp(bench->locks[i].id, bench->baseline) == 0)
            return;
    if (bench->baseline)
        refuse("--baseline: '%s' is not among the locks that are measured", bench->baseline);
}

static void complete(struct bench *bench)
{
    if (!bench->kind)
        bench->kind = &bench_kinds[0];
    refuse_foreign(bench);
    if (bench->seconds <= 0)
        bench->seconds = bench->kind->seconds;
    if (bench->warm_up < 0)
        bench->warm_up = bench->seconds / 10;
    if (!bench->runs)
        bench->runs = BENCH_RUNS;
    if (bench->kind->program && !bench_helper(bench->kind))
        refuse("'recip bench %s' was not built, because %s was missing; install it and build again ('make peers' does "
               "both)",
               bench->kind->name, bench->kind->package);
    bench->kind->complete(bench);
    refuse_baseline(bench);
}

volatile sig_atomic_t bench_interrupted;

static void note_interrupt(int signal)
{
    bench_interrupted = signal;
}

/* What is ignored stays so. */
static void watch_interrupts(void)
{
    static const int signals[] = {SIGHUP, SIGINT, SIGTERM};
    struct sigaction action = {.sa_handler = note_interrupt}, before;
    for (size_t i = 0; i < sizeof signals / sizeof *signals; i++)
        if (sigaction(signals[i], NULL, &before) == 0 && before.sa_handler != SIG_IGN)
            sigaction(signals[i], &action, NULL);
}

/* The interrupt has its usual effect, now that all is printed. */
static int end_by_interrupt(void)
{
    int status = output_status(STATUS_FAILED);
    signal(bench_interrupted, SIG_DFL);
    raise(bench_interrupted);
    return status;
}

/* What the loop of the benchmark costs without a lock, in nanoseconds of CPU time; NAN if it was over before its thread
 * has run. */
static double loop_cost(const struct bench *bench)
{
    struct mutexbench loop = {
        .lock = &mutexbench_no_lock, .threads = 1, .inside = 1, .seconds = bench->seconds, .warm_up = bench->warm_up};
    struct mutexbench_result result;
    if (!mutexbench_run(&loop, &result))
        return NAN;
    double cost = result.operations ? result.cpu_seconds * 1e9 / (double)result.operations : NAN;
    mutexbench_free(&result);
    return cost;
}

static json_t *options_object(const struct bench *bench)
{
    bool counted = bench->kind->counts && calls_available();
    json_t *object = json_pack("{s:i, s:f, s:f, s:b, s:s, s:s}", "runs", (int)bench->runs, "seconds", bench->seconds,
                               "warm_up_seconds", bench->warm_up, "pinned", bench->pinned, "baseline",
                               bench->baseline ? bench->baseline : "pthread", "calls",
                               counted ? "counted by syscall user dispatch, in runs of their own" : "not counted");
    double loop = bench->kind->measures_loop ? loop_cost(bench) : NAN;
    if (isfinite(loop))
        json_object_set_new(object, "loop_ns", json_real(loop));
    return object;
}

static void show(const struct bench *bench, json_t *results)
{
    results_summarise(results);
    if (bench->json) {
        json_dumpf(results, stdout, JSON_INDENT(1) | JSON_REAL_PRECISION(9));
        putchar('\n');
    } else if (bench->csv) {
        results_print_csv(results, stdout);
    } else {
        results_print(results, bench->details, stdout);
    }
}

static int show_file(const struct bench *bench)
{
    char why[256];
    refuse_foreign(bench);
    json_t *results = results_read(bench->from, why);
    if (!results)
        refuse("--from: '%s' cannot be read: %s", bench->from, why);
    if (bench->kind)
        refuse("--from: '%s' says itself what kind it is of; leave out '%s'", bench->from, bench->kind->name);
    if (bench->baseline && !results_set_baseline(results, bench->baseline))
        refuse("--baseline: '%s' is not among the locks that were measured", bench->baseline);
    show(bench, results);
    json_decref(results);
    return STATUS_OK;
}

/* Everything that is measured, and shown as far as it came. */
static int run(struct bench *bench)
{
    watch_interrupts();
    bool good = !bench->kind->begin || bench->kind->begin(bench);
    json_t *results = results_new(bench->kind->name, bench->kind->times, options_object(bench));
    good = good && bench_rounds(bench, results);
    if (bench->kind->end)
        bench->kind->end(bench);
    if (json_array_size(json_object_get(results, "measurements")))
        show(bench, results);
    json_decref(results);
    return good ? STATUS_OK : STATUS_FAILED;
}

int command_bench(int argc, char **argv)
{
    struct bench bench = {.warm_up = -1};
    parse_options(&argp, argc, argv, &bench, "a kind and options");
    if (bench.json && bench.csv)
        refuse("--json and --csv: one of the two");
    if (bench.from)
        return show_file(&bench);
    complete(&bench);
    int status = run(&bench);
    free(bench.locks);
    free(bench.columns);
    free(bench.threads.values);
    free(bench.insides.values);
    free(bench.outsides.values);
    return bench_interrupted ? end_by_interrupt() : status;
}
