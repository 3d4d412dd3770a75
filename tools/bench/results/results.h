/* SPDX-License-Identifier: MIT */
/* The results of a benchmark as a document: what is printed, saved and read again. docs/bench.md has the schema. */
#ifndef RECIP_BENCH_RESULTS_H
#define RECIP_BENCH_RESULTS_H

#include <jansson.h>
#include <stdbool.h>
#include <stdio.h>

#include "bench/measure/mutexbench.h"
#include "bench/measure/waiting.h"

#define RESULTS_SCHEMA "recip-bench"
#define RESULTS_VERSION 2

/* An empty document of that kind; `times` if its values are nanoseconds and not rates. */
json_t *results_new(const char *kind, bool times, json_t *options);

/* A run as a measurement. results_of_operations leaves out the times to acquire: in helpers whose `lock` is a whole
 * operation, and in an inline pair, they are not known. results_of_calls is a count. */
json_t *results_of_mutexbench(const struct mutexbench *bench, const struct mutexbench_result *result);
json_t *results_of_operations(const struct mutexbench *bench, const struct mutexbench_result *result);
json_t *results_of_calls(const struct mutexbench_result *result);
json_t *results_of_waiting(const struct waiting *waiting, const struct waiting_result *result);

struct results_cell {
    const char *lock, *workload;
    unsigned threads;
};

/* Adds such an object to the measurements, or to the counts. `said` is freed. */
void results_add_measurement(json_t *results, const struct results_cell *cell, unsigned run, json_t *said);
void results_add_count(json_t *results, const struct results_cell *cell, json_t *said);

/* Sets the summaries and the comparisons, which follow from the rest. */
void results_summarise(json_t *results);

/* Compares with another lock from now on; false if there is no measurement of it. */
bool results_set_baseline(json_t *results, const char *lock);

/* Null if the file is not such a document, with the reason in `why`. */
json_t *results_read(const char *path, char why[256]);

void results_print_csv(const json_t *results, FILE *to);

/* Tables for people, from summaries and comparisons; with `details` all of them. */
void results_print(const json_t *results, bool details, FILE *to);

#endif
