/* SPDX-License-Identifier: MIT */
/* What repeated measurements say, and what they do not. */
#ifndef RECIP_CLI_STATISTICS_H
#define RECIP_CLI_STATISTICS_H

#include <stddef.h>

/* Values with the interval that holds their true median with 95 % confidence, whatever their distribution (from order
 * statistics). With fewer than 6 values there is no such interval: it is their whole range, and confident is 0. */
struct estimate {
    double median, low, high;
    int confident;
};

/* Sorts the values. */
struct estimate estimate_median(double *values, size_t count);

enum verdict { NO_DIFFERENCE, LESS, MORE };

/* Of a ratio: MORE or LESS than 1; NO_DIFFERENCE if the interval holds 1, or there is none. */
enum verdict verdict_of(const struct estimate *ratio);

/* Of what the threads did. Jain's index: 1 if all are equal, 1/count if one has everything; NAN if nobody has anything.
 */
double jain_index(double *values, size_t count);

/* 1 if all are equal or nobody has anything, 0 if somebody has nothing. */
double least_over_most(double *values, size_t count);

/* The share of the busier half of the threads: 0.5 if all are equal, 1 if that half has everything. Of an odd number,
 * the one in the middle counts half for it. Sorts the values. */
double fairness_factor(double *values, size_t count);

#endif
