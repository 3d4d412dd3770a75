/* SPDX-License-Identifier: MIT */
/* The tables of kind `waiting`: two for each workload and number of hogs, in 80 columns. */
#ifndef RECIP_BENCH_RESULTS_PRINT_WAITING_H
#define RECIP_BENCH_RESULTS_PRINT_WAITING_H

#include "bench/results/table.h"

void print_waiting(const struct table *table, const json_t *results);

#endif
