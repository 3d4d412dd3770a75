/* SPDX-License-Identifier: MIT */
/* The options of recip bench: which there are, and which go together. */
#include "bench/command/bench.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/suggest.h"

enum { DEFAULT_RUNS = 7, MAX_RUNS = 1000, MAX_STEPS = 1000000, MAX_KEYS = 100000000 };

/* Below this, a measurement is not much longer than a thread's time slice on a CPU. */
#define MIN_SECONDS 0.01
#define MAX_SECONDS 3600.0
#define MIN_SLICE 1e-6
#define MIN_PERIOD 1e-5
#define MAX_PERIOD 1.0

enum {
    OPTION_INSIDE = 256,
    OPTION_OUTSIDE,
    OPTION_SECTION,
    OPTION_SLICE,
    OPTION_KEYS,
    OPTION_HOGS,
    OPTION_TIMES,
    OPTION_SELDOM_THREADS,
    OPTION_PERIOD,
    OPTION_COND,
    OPTION_WARM_UP,
    OPTION_PINNED,
    OPTION_FROM,
    OPTION_BASELINE,
    OPTION_DETAILS
};

static const struct argp_option options[] = {
    {"lock", 'l', "ID,...", 0, "the locks to compare (default: all that the kind can take)", 0},
    {"threads", 't', "N,...", 0, "numbers of threads (default: 1, the CPUs, and twice the CPUs)", 0},
    {"duration", 'd', "SECONDS", 0, "length of one measurement (default: 0.05 to 0.25, by kind)", 0},
    {"runs", 'r', "N", 0, "measurements of each, interleaved (default: 7); with fewer than 6 nothing is compared", 0},
    {"warm-up", OPTION_WARM_UP, "SECONDS", 0, "before each measurement (default: a tenth of it)", 0},
    {"pinned", OPTION_PINNED, NULL, 0, "pin each thread to a CPU", 0},
    {"inside", OPTION_INSIDE, "STEPS,...", 0, "mutexbench, fairness: steps in the critical section", 0},
    {"outside", OPTION_OUTSIDE, "STEPS,...", 0, "mutexbench, fairness, mutex: up to so many steps outside", 0},
    {"section", OPTION_SECTION, "NAME,...", 0, "mutex: critical sections: pair, nothing, step, lines, 1us, 100us", 0},
    {"slice", OPTION_SLICE, "SECONDS", 0, "fairness: length of a slice of time (default: a fiftieth of the duration)",
     0},
    {"keys", OPTION_KEYS, "N", 0, "leveldb: how many are written (default: 1000000)", 0},
    {"hogs", OPTION_HOGS, "N,...", 0, "waiting: numbers of threads that lock all the time (default: 1,3,7,31)", 0},
    {"times", OPTION_TIMES, "INSIDE/OUTSIDE,...", 0, "waiting: nanoseconds in and, on average, between the sections",
     0},
    {"seldom-threads", OPTION_SELDOM_THREADS, "N", 0, "waiting: threads that come by the clock (default: 1)", 0},
    {"period", OPTION_PERIOD, "TIME", 0, "waiting: how often each of them comes, on average (default: 1ms)", 0},
    {"cond", OPTION_COND, NULL, 0, "waiting: the time from signal to mutex, of consumers at condition variables", 0},
    {"baseline", OPTION_BASELINE, "ID", 0, "the lock that others are compared with (default: pthread)", 0},
    {"details", OPTION_DETAILS, NULL, 0, "print all tables: fairness, times to acquire, CPU time, switches, calls", 0},
    {"json", 'j', NULL, 0, "print the results as JSON instead", 0},
    {"csv", 'c', NULL, 0, "print the results as CSV instead", 0},
    {"from", OPTION_FROM, "FILE", 0, "print the results in FILE, which --json has made, and run nothing", 0},
    {0},
};

static void take_kind(struct bench *bench, const char *word)
{
    char names[256] = "", text[128];
    struct suggestion suggestion = {.word = word};
    if (bench->kind)
        refuse("'%s' is a second kind; one at a time", word);
    for (size_t i = 0; i < bench_kind_count; i++) {
        if (strcmp(word, bench_kinds[i]->name) == 0)
            bench->kind = bench_kinds[i];
        suggest(&suggestion, bench_kinds[i]->name);
        snprintf(names + strlen(names), sizeof names - strlen(names), "%s%s", i ? ", " : "", bench_kinds[i]->name);
    }
    if (!bench->kind)
        refuse("there is no benchmark '%s'%s; there are %s", word, suggestion_text(&suggestion, text), names);
}

#define AT(field) offsetof(struct bench, field)

static const struct option_field fields[] = {
    {'l', FIELD_TEXT, AT(asked_locks), 0, 0},
    {'t', FIELD_COUNTS, AT(threads), 1, BENCH_MAX_THREADS},
    {'d', FIELD_SECONDS, AT(seconds), MIN_SECONDS, MAX_SECONDS},
    {'r', FIELD_COUNT, AT(runs), 1, MAX_RUNS},
    {OPTION_WARM_UP, FIELD_SECONDS, AT(warm_up), 0, MAX_SECONDS},
    {OPTION_PINNED, FIELD_FLAG, AT(pinned), 0, 0},
    {OPTION_INSIDE, FIELD_COUNTS, AT(insides), 0, MAX_STEPS},
    {OPTION_OUTSIDE, FIELD_COUNTS, AT(outsides), 0, MAX_STEPS},
    {OPTION_SECTION, FIELD_TEXT, AT(sections), 0, 0},
    {OPTION_SLICE, FIELD_SECONDS, AT(slice), MIN_SLICE, MAX_SECONDS},
    {OPTION_KEYS, FIELD_COUNT, AT(keys), 1, MAX_KEYS},
    {OPTION_HOGS, FIELD_COUNTS, AT(hogs), 1, BENCH_MAX_THREADS},
    {OPTION_TIMES, FIELD_TEXT, AT(times), 0, 0},
    {OPTION_SELDOM_THREADS, FIELD_COUNT, AT(seldom_threads), 1, BENCH_MAX_THREADS},
    {OPTION_PERIOD, FIELD_TIME, AT(period), MIN_PERIOD, MAX_PERIOD},
    {OPTION_COND, FIELD_FLAG, AT(cond), 0, 0},
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

/* What --help says around the options. Freed by the caller. */
static char *make_help(void)
{
    char *text;
    size_t size;
    FILE *stream = need_memory(open_memstream(&text, &size));
    fputs("Compares locks on this machine. KIND is one of:", stream);
    for (size_t i = 0; i < bench_kind_count; i++)
        fprintf(stream, "\n\n%s%s: %s", bench_kinds[i]->name, i ? "" : ", the default", bench_kinds[i]->help);
    fputs(
        "\v"
        "The locks take turns within a run, so that noise hits all alike. Locks that only spin collapse where threads "
        "exceed CPUs: that is what they do, not a fault of the measurement. docs/bench.md has the rest.",
        stream);
    fclose(stream);
    return text;
}

/* An option that the kind does not take, or --from, would change nothing: it is refused. */
static void refuse_foreign(const struct bench *bench)
{
    const unsigned all = bench->from ? 0 : ~0u, some = bench->from ? 0 : bench->kind->options;
    const struct {
        const char *option;
        bool given;
        unsigned belongs;
    } rules[] = {
        {"--lock", bench->asked_locks, all},
        {"--duration", bench->seconds > 0, all},
        {"--runs", bench->runs > 0, all},
        {"--warm-up", bench->warm_up >= 0, all},
        {"--threads", bench->threads.size > 0, some & TAKES_THREADS},
        {"--pinned", bench->pinned, some & TAKES_THREADS},
        {"--inside", bench->insides.size > 0, some & TAKES_INSIDE},
        {"--outside", bench->outsides.size > 0, some & TAKES_OUTSIDE},
        {"--section", bench->sections, some & TAKES_SECTION},
        {"--slice", bench->slice > 0, some & TAKES_SLICE},
        {"--keys", bench->keys > 0, some & TAKES_KEYS},
        {"--hogs", bench->hogs.size > 0, some & TAKES_WAITING},
        {"--times", bench->times, some & TAKES_WAITING},
        {"--seldom-threads", bench->seldom_threads > 0, some & TAKES_WAITING},
        {"--period", bench->period > 0, some & TAKES_WAITING},
        {"--cond", bench->cond, some & TAKES_WAITING},
    };
    for (size_t i = 0; i < sizeof rules / sizeof *rules; i++)
        if (rules[i].given && !rules[i].belongs && bench->from)
            refuse("%s does not go with --from, which runs nothing", rules[i].option);
        else if (rules[i].given && !rules[i].belongs)
            refuse("%s does not go with the benchmark '%s'", rules[i].option, bench->kind->name);
}

static void refuse_baseline(const struct bench *bench)
{
    for (size_t i = 0; i < bench->lock_count; i++)
        if (bench->baseline && strcmp(bench->locks[i].id, bench->baseline) == 0)
            return;
    if (bench->baseline)
        refuse("--baseline: '%s' is not among the locks that are measured", bench->baseline);
}

/* Sets what was not given. */
static void complete(struct bench *bench)
{
    if (bench->seconds <= 0)
        bench->seconds = bench->kind->seconds;
    if (bench->warm_up < 0)
        bench->warm_up = bench->seconds / 10;
    if (!bench->runs)
        bench->runs = DEFAULT_RUNS;
    if (bench->kind->program && !bench->kind->does_without && !bench_helper(bench->kind))
        refuse("'recip bench %s' was not built, because %s was missing; install it and build again ('make peers' does "
               "both)",
               bench->kind->name, bench->kind->package);
    bench->kind->complete(bench);
    refuse_baseline(bench);
}

void bench_read_options(struct bench *bench, int argc, char **argv)
{
    char *help = make_help();
    struct argp argp = {.options = options, .parser = take_option, .args_doc = "[KIND]", .doc = help};
    *bench = (struct bench){.warm_up = -1};
    parse_options(&argp, argc, argv, bench, "a kind and options");
    free(help);
    if (bench->json && bench->csv)
        refuse("--json and --csv: one of the two");
    if (!bench->kind && !bench->from)
        bench->kind = bench_kinds[0];
    refuse_foreign(bench);
    if (!bench->from)
        complete(bench);
}
