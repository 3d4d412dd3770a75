/* SPDX-License-Identifier: MIT */
/* What follows from the measurements of a document; the parts of results_summarise. */
#ifndef RECIP_BENCH_RESULTS_SUMMARY_H
#define RECIP_BENCH_RESULTS_SUMMARY_H

#include "bench/results/cells.h"
#include "bench/results/results.h"
#include "cli/statistics.h"

json_t *results_of_estimate(const struct estimate *estimate);

/* Kind `waiting`: adds the waits to a summary, and to a comparison with that base. */
void results_summarise_waits(json_t *summary, const struct cell *cell, double *values);
void results_compare_waits(json_t *comparison, const struct cell *cell, const struct cell *base, double *values);

/* Fills in the array "comparisons". `values` has room for a number of each measurement. */
void results_compare(json_t *results, const struct cells *cells, double *values);

#endif
