/* SPDX-License-Identifier: MIT */
/* The rounds. A round measures all locks in one column before the next, so that drift affects all locks equally; and
 * another lock begins in each round. */
#include "bench/command/bench.h"

#include "bench/results/environment.h"
#include "bench/results/results.h"
#include "cli/progress.h"

/* How long system calls are counted: this part of a measurement's length, but no less than so many seconds. */
#define COUNTING_SHARE 0.25
#define COUNTING_MIN 0.01

struct step {
    const struct bench_lock *lock;
    const struct bench_column *column;
    unsigned run;
};

static struct step step_of(const struct bench *bench, size_t number)
{
    size_t turn = number % bench->lock_count, column = number / bench->lock_count % bench->column_count;
    unsigned run = (unsigned)(number / (bench->lock_count * bench->column_count));
    return (struct step){&bench->locks[(turn + run) % bench->lock_count], &bench->columns[column], run};
}

static struct mutexbench settings_of(const struct bench *bench, const struct step *step)
{
    struct mutexbench settings = {
        .lock = step->lock->algorithm,
        .threads = step->column->threads,
        .section = step->column->section,
        .inside = step->column->inside,
        .outside = step->column->outside,
        .seconds = bench->seconds,
        .warm_up = bench->warm_up,
        .pinned = bench->pinned,
        .slices = bench->slice > 0 ? (unsigned)(bench->seconds / bench->slice + 0.5) : 0,
    };
    return settings;
}

static bool measure(const struct bench *bench, const struct step *step, json_t *results)
{
    struct mutexbench settings = settings_of(bench, step);
    struct results_cell cell = {step->lock->id, step->column->workload, step->column->threads};
    json_t *said = bench->kind->measure(bench, step->lock, &settings, step->column);
    if (!said)
        return false;
    results_add_measurement(results, &cell, step->run, said);
    if (step->run > 0 || !bench->kind->counts || !system_calls_available())
        return true;
    settings.count_calls = true;
    settings.seconds *= COUNTING_SHARE;
    settings.seconds = settings.seconds < COUNTING_MIN ? COUNTING_MIN : settings.seconds;
    said = bench->kind->measure(bench, step->lock, &settings, step->column);
    if (said)
        results_add_count(results, &cell, said);
    return said;
}

bool bench_measure_rounds(const struct bench *bench, json_t *results)
{
    struct progress progress;
    bool good = true;
    progress_start(&progress, bench->runs * bench->column_count * bench->lock_count);
    for (size_t number = 0; number < progress.total && good && !bench_interrupted; number++) {
        struct step step = step_of(bench, number);
        progress_step(&progress, "run %u of %u, %s, %u threads, %s", step.run + 1, bench->runs, step.column->workload,
                      step.column->threads, step.lock->id);
        if (bench_fits(step.lock, step.column) && step.column->threads + step.column->others <= step.lock->max_threads)
            good = measure(bench, &step, results);
    }
    progress_end(&progress);
    json_object_set_new(results, "complete", json_boolean(good && !bench_interrupted));
    environment_end(json_object_get(results, "environment"));
    return good;
}
