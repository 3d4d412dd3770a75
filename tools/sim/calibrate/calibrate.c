/* SPDX-License-Identifier: MIT */
#include "sim/calibrate/calibrate.h"

#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/progress.h"
#include "sim/measure/measure.h"
#include "sim/must.h"

/* All locks with one and two threads; those that sleep, which can do with more threads than CPUs, with more. */
static const unsigned thread_numbers[] = {1, 2, 4, 8};
static const enum workload workloads[] = {WORKLOAD_MAX, WORKLOAD_MODERATE};
enum { THREAD_NUMBERS = 4, WORKLOADS = 2, FOR_ALL = 2, EPISODES = 20000 };

/* So long a simulation lasts at least: a fifth of it warms up, so that first touches of memory are not counted. With
 * more threads than CPUs all of them have to have had a CPU by then, which takes some slices; and some thread of a lock
 * that hands over, to have lost its CPU while it was in line, which takes many if there is seldom a line. */
#define LEAST (2 * 1000 * 1000 * SIM_NANOSECOND)
enum { SLICES = 12, SLICES_MODERATE = 60 };

/* Where lines take so much longer or shorter it is another machine: a host moves its virtual CPUs. Only rounds count
 * that were made on the machine that most were made on. A round during which it changed, or other programs had a CPU,
 * is tried again, so often. */
#define SAME_MACHINE 0.3
enum { ATTEMPTS = 3 };

struct calibration {
    const struct sim_options *options;
    char *file; /* the machine file */
    struct machine machine;
    struct calibrate_cell *cells;
    size_t count, discarded;
};

static void read_machine(struct calibration *all, const struct line_times *lines)
{
    size_t size;
    FILE *stream = must(open_memstream(&all->file, &size));
    measure(stream, lines);
    fclose(stream);
    stream = must(fmemopen(all->file, size, "r"));
    char *wrong = machine_read_from(&all->machine, stream, "the machine file");
    fclose(stream);
    if (wrong) {
        fprintf(stderr, "recip: --calibrate: %s\n", wrong);
        exit(STATUS_FAILED);
    }
}

static void make_cells(struct calibration *all)
{
    const struct algorithm_list *locks = &all->options->common.locks;
    all->cells = must(calloc(locks->size * WORKLOADS * THREAD_NUMBERS, sizeof *all->cells));
    for (size_t i = 0; i < locks->size; i++)
        for (unsigned w = 0; w < WORKLOADS; w++)
            for (unsigned t = 0; t < THREAD_NUMBERS; t++)
                if (t < FOR_ALL || locks->values[i]->parks)
                    all->cells[all->count++] = (struct calibrate_cell){
                        .lock = locks->values[i], .workload = workloads[w], .threads = thread_numbers[t]};
}

static bool is_same_machine(struct line_times a, struct line_times b)
{
    return fabs(a.transfer / b.transfer - 1) <= SAME_MACHINE;
}

static void keep(struct calibrate_cell *cell, double took, struct line_times lines)
{
    cell->rounds[cell->round_count] = took;
    cell->lines[cell->round_count++] = lines;
}

static void measure_round(struct calibration *all, struct calibrate_cell *cell)
{
    if (cell->threads == 1) {
        double took = calibrate_measure(cell);
        if (took > 0)
            keep(cell, took, (struct line_times){0});
        return;
    }
    struct line_times before = measure_lines_now();
    for (int attempt = 0; attempt < ATTEMPTS; attempt++) {
        double took = calibrate_measure(cell);
        struct line_times after = measure_lines_now();
        if (took > 0 && is_same_machine(before, after)) {
            keep(cell, took, after);
            return;
        }
        before = after;
        all->discarded++;
    }
}

/* ---- The machine that most rounds were made on ---- */

static int by_transfer(const void *left, const void *right)
{
    double difference = ((const struct line_times *)left)->transfer - ((const struct line_times *)right)->transfer;
    return (difference > 0) - (difference < 0);
}

/* The middle one of all; false without any. */
static bool usual_lines(const struct calibration *all, struct line_times *usual)
{
    struct line_times *lines = must(calloc(all->count * CALIBRATE_ROUNDS, sizeof *lines));
    size_t count = 0;
    for (size_t i = 0; i < all->count; i++)
        for (size_t j = 0; j < all->cells[i].round_count && all->cells[i].threads > 1; j++)
            lines[count++] = all->cells[i].lines[j];
    qsort(lines, count, sizeof *lines, by_transfer);
    *usual = lines[count / 2];
    free(lines);
    return count > 0;
}

static void discard_others(struct calibration *all, struct line_times usual)
{
    for (size_t i = 0; i < all->count; i++) {
        struct calibrate_cell *cell = &all->cells[i];
        size_t kept = 0;
        for (size_t j = 0; j < cell->round_count && cell->threads > 1; j++)
            if (is_same_machine(cell->lines[j], usual))
                cell->rounds[kept++] = cell->rounds[j];
        if (cell->threads == 1)
            continue;
        all->discarded += cell->round_count - kept;
        cell->round_count = kept;
    }
}

static sim_time time_for(const struct machine *machine, const struct calibrate_cell *cell)
{
    if (cell->threads <= machine_cpus(machine))
        return LEAST;
    return (cell->workload == WORKLOAD_MAX ? SLICES : SLICES_MODERATE) * machine->slice;
}

static void model(const struct calibration *all, struct calibrate_cell *cell)
{
    struct settings settings = {.lock = cell->lock,
                                .machine = &all->machine,
                                .threads = cell->threads,
                                .workload = cell->workload,
                                .context = CONTEXT_BODY,
                                .episodes = EPISODES,
                                .least = time_for(&all->machine, cell),
                                .as_measured = true,
                                .seed = all->options->common.seed};
    struct result result = run(&settings);
    cell->modelled = 1e9 / result.throughput;
    result_free(&result);
}

static void fill(struct calibration *all)
{
    struct progress progress;
    progress_start(&progress, all->count * (CALIBRATE_ROUNDS + 1));
    for (unsigned round = 0; round < CALIBRATE_ROUNDS; round++)
        for (size_t i = 0; i < all->count; i++) {
            progress_step(&progress, "%s, %u threads", all->cells[i].lock->id, all->cells[i].threads);
            measure_round(all, &all->cells[i]);
        }
    struct line_times usual;
    bool known = usual_lines(all, &usual);
    discard_others(all, usual);
    read_machine(all, known ? &usual : NULL);
    for (size_t i = 0; i < all->count; i++) {
        progress_step(&progress, "%s, %u threads, modelled", all->cells[i].lock->id, all->cells[i].threads);
        all->cells[i].measured = calibrate_measured(&all->cells[i]);
        model(all, &all->cells[i]);
    }
    progress_end(&progress);
}

/* ---- Text ---- */

static void print_cell(const struct calibrate_cell *cell)
{
    if (cell->measured > 0)
        printf("%-32s %-9s %7u %10.1f %10.1f %6.2f\n", cell->lock->id, workload_words[cell->workload], cell->threads,
               cell->measured, cell->modelled, cell->modelled / cell->measured);
    else
        printf("%-32s %-9s %7u %10s %10.1f %6s\n", cell->lock->id, workload_words[cell->workload], cell->threads, "-",
               cell->modelled, "-");
}

/* Of fewer than three locks there is none. */
static void print_correlation(double value, int width)
{
    if (isnan(value))
        printf(" %*s", width, "-");
    else
        printf(" %*.2f", width, value);
}

static void print_column(const struct calibration *all, enum workload workload, unsigned threads)
{
    struct calibrate_summary sum = calibrate_sum_up(all->cells, all->count, workload, threads);
    if (sum.cells == 0)
        return;
    printf("%-9s %7u %6zu %10zu %10zu", workload_words[workload], threads, sum.cells, sum.within_25, sum.within_10);
    print_correlation(sum.correlation, 6);
    print_correlation(sum.repeated, 8);
    putchar('\n');
}

static void print_text(const struct calibration *all)
{
    printf("%-32s %-9s %7s %10s %10s %6s\n", "LOCK", "WORKLOAD", "THREADS", "MEASURED", "MODELLED", "RATIO");
    for (size_t i = 0; i < all->count; i++)
        print_cell(&all->cells[i]);
    printf("\n%-9s %7s %6s %10s %10s %6s %8s\n", "WORKLOAD", "THREADS", "LOCKS", "WITHIN 25%", "WITHIN 10%", "RANKS",
           "REPEATED");
    for (unsigned w = 0; w < WORKLOADS; w++)
        for (unsigned t = 0; t < THREAD_NUMBERS; t++)
            print_column(all, workloads[w], thread_numbers[t]);
    printf("\nNanoseconds for an episode. RANKS is the rank correlation of measured and modelled; REPEATED, of the odd "
           "and the "
           "even\nrounds of the measurement with each other. %zu measurements were not counted, because the CPUs were "
           "further apart or\n"
           "nearer to each other then, or other programs had a part of them.\n",
           all->discarded);
}

/* ---- JSON ---- */

static json_t *number_or_null(double value)
{
    return isfinite(value) && value != 0 ? json_real(value) : json_null();
}

static void print_json(const struct calibration *all)
{
    json_t *cells = json_array(), *columns = json_array();
    for (size_t i = 0; i < all->count; i++) {
        const struct calibrate_cell *cell = &all->cells[i];
        json_array_append_new(cells,
                              json_pack("{s:s, s:s, s:i, s:o, s:f, s:o}", "lock", cell->lock->id, "workload",
                                        workload_words[cell->workload], "threads", (int)cell->threads, "measured_ns",
                                        number_or_null(cell->measured), "modelled_ns", cell->modelled, "ratio",
                                        number_or_null(cell->measured > 0 ? cell->modelled / cell->measured : 0)));
    }
    for (unsigned w = 0; w < WORKLOADS; w++)
        for (unsigned t = 0; t < THREAD_NUMBERS; t++) {
            struct calibrate_summary sum = calibrate_sum_up(all->cells, all->count, workloads[w], thread_numbers[t]);
            json_array_append_new(
                columns, json_pack("{s:s, s:i, s:i, s:i, s:i, s:o, s:o}", "workload", workload_words[workloads[w]],
                                   "threads", (int)thread_numbers[t], "locks", (int)sum.cells, "within_25_percent",
                                   (int)sum.within_25, "within_10_percent", (int)sum.within_10, "rank_correlation",
                                   number_or_null(sum.correlation), "repeated", number_or_null(sum.repeated)));
        }
    json_t *document =
        json_pack("{s:s, s:i, s:s, s:i, s:o, s:o}", "schema", "recip-calibration", "version", 1, "machine_file",
                  all->file, "discarded", (int)all->discarded, "cells", cells, "columns", columns);
    json_dumpf(must(document), stdout, JSON_INDENT(2) | JSON_REAL_PRECISION(6));
    putchar('\n');
    json_decref(document);
}

void calibrate(const struct sim_options *options)
{
    struct calibration all = {.options = options};
    make_cells(&all);
    fill(&all);
    if (options->common.format == FORMAT_JSON)
        print_json(&all);
    else
        print_text(&all);
    free(all.cells);
    free(all.file);
}
