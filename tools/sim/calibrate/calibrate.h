/* SPDX-License-Identifier: MIT */
/* recip sim --calibrate: what the model says of this machine beside what `recip bench` measures on it. */
#ifndef RECIP_SIM_CALIBRATE_CALIBRATE_H
#define RECIP_SIM_CALIBRATE_CALIBRATE_H

#include <stdbool.h>
#include <stddef.h>

#include "sim/measure/measure.h"
#include "sim/options.h"

enum { CALIBRATE_ROUNDS = 5 };

/* A lock with so many threads under one workload. Nanoseconds for an episode; measured is 0 if no round counts. */
struct calibrate_cell {
    const struct recip_algorithm *lock;
    enum workload workload;
    unsigned threads;
    double rounds[CALIBRATE_ROUNDS];
    struct line_times lines[CALIBRATE_ROUNDS]; /* at that time, with two threads and more */
    size_t round_count;
    double measured, modelled;
};

/* Columns: of one workload and number of threads. Only cells that were measured count. */
struct calibrate_summary {
    size_t cells, within_25, within_10;
    double correlation; /* of the ranks, measured and modelled; NAN of fewer than three cells */
    double repeated;    /* of those measured in the odd rounds and in the even ones */
};

void calibrate(const struct sim_options *options);

/* What `recip bench` measures for the cell now; 0 if it did not, or other programs had a part of its CPUs. Ends the
 * command if there is no `recip`. */
double calibrate_measure(const struct calibrate_cell *cell);

/* From the rounds: with one thread the fastest, since nothing but disturbance differs; else the median. */
double calibrate_measured(const struct calibrate_cell *cell);

struct calibrate_summary calibrate_sum_up(const struct calibrate_cell *cells, size_t count, enum workload workload,
                                          unsigned threads);

/* Spearman's, with the mean rank of those that are equal. */
double calibrate_correlation(const double *a, const double *b, size_t count);

#endif
