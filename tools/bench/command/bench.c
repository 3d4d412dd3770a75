/* SPDX-License-Identifier: MIT */
/* recip bench: measures, and prints tables, JSON or CSV. */
#include "bench/command/bench.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "bench/results/results.h"

volatile sig_atomic_t bench_interrupted;

static void note_interrupt(int signal)
{
    bench_interrupted = signal;
}

/* A signal that is ignored stays ignored. */
static void watch_interrupts(void)
{
    static const int signals[] = {SIGHUP, SIGINT, SIGTERM};
    struct sigaction action = {.sa_handler = note_interrupt}, before;
    for (size_t i = 0; i < sizeof signals / sizeof *signals; i++)
        if (sigaction(signals[i], NULL, &before) == 0 && before.sa_handler != SIG_IGN)
            sigaction(signals[i], &action, NULL);
}

/* Now that everything is printed, the signal has its usual effect. */
static int end_by_interrupt(void)
{
    int status = output_status(STATUS_FAILED);
    signal(bench_interrupted, SIG_DFL);
    raise(bench_interrupted);
    return status;
}

/* What the loop of the benchmark costs without a lock, in nanoseconds of CPU time; NAN if it ended before its thread
 * ran.
 */
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
    bool counted = bench->kind->counts && system_calls_available();
    json_t *object = json_pack("{s:i, s:f, s:f, s:b, s:s, s:s}", "runs", (int)bench->runs, "seconds", bench->seconds,
                               "warm_up_seconds", bench->warm_up, "pinned", bench->pinned, "baseline",
                               bench->baseline ? bench->baseline : "pthread", "calls",
                               counted ? "counted by syscall user dispatch, in runs of their own" : "not counted");
    double loop = bench->kind->measures_loop ? loop_cost(bench) : NAN;
    if (isfinite(loop))
        json_object_set_new(object, "loop_ns", json_real(loop));
    if (bench->kind->note_options)
        bench->kind->note_options(bench, object);
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

/* Measures, and prints the measurements; after an interruption, those made so far. */
static int run(struct bench *bench)
{
    watch_interrupts();
    bool good = !bench->kind->begin || bench->kind->begin(bench);
    json_t *results = results_new(bench->kind->name, bench->kind->times, options_object(bench));
    good = good && bench_measure_rounds(bench, results);
    if (bench->kind->end)
        bench->kind->end(bench);
    if (json_array_size(json_object_get(results, "measurements")))
        show(bench, results);
    json_decref(results);
    return good ? STATUS_OK : STATUS_FAILED;
}

int command_bench(int argc, char **argv)
{
    struct bench bench;
    bench_read_options(&bench, argc, argv);
    if (bench.from)
        return show_file(&bench);
    int status = run(&bench);
    free(bench.locks);
    free(bench.columns);
    free(bench.threads.values);
    free(bench.insides.values);
    free(bench.outsides.values);
    free(bench.hogs.values);
    return bench_interrupted ? end_by_interrupt() : status;
}
