/* The results of a benchmark as a document: what is printed, saved and read again. docs/bench.md has the schema. */
#ifndef RECIP_BENCH_RESULTS_H
#define RECIP_BENCH_RESULTS_H

#include <jansson.h>
#include <stdio.h>

#include "bench/mutexbench.h"

#define RESULTS_SCHEMA "recip-bench"
#define RESULTS_VERSION 1

/* An empty document of that kind. */
json_t *results_new(const char *kind, json_t *options);

void results_add(json_t *results, const char *workload, const struct mutexbench *bench, unsigned run,
                 const struct mutexbench_result *result);

/* Null if the file is not such a document, with the reason in `why`. */
json_t *results_read(const char *path, char why[256]);

void results_print_csv(const json_t *results, FILE *to);

/* Tables for people: rates, and their ratios to those of the baseline if it is among the locks and there are enough
 * runs to judge; with `details` all the rest. */
void results_print(const json_t *results, const char *baseline, bool details, FILE *to);

#endif
