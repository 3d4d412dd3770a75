/* SPDX-License-Identifier: MIT */
/* The figures of a measurement, beside its value: how each follows from the measurement, how the runs are summarised,
 * and the table that shows it. A new figure is a line in figures.c, and a field in document.c if it is measured as it
 * is. */
#ifndef RECIP_BENCH_RESULTS_FIGURES_H
#define RECIP_BENCH_RESULTS_FIGURES_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

enum figure_group { FIGURE_FAIRNESS, FIGURE_DETAIL };

struct figure {
    enum figure_group group;                 /* kind `fairness` shows the first; --details shows both */
    const char *name;                        /* in the summary */
    double (*of)(const json_t *measurement); /* NAN if it is not known; null: the measurement's field of that name */
    bool greatest;                           /* of the runs, instead of the median */
    const char *title;                       /* of its table */
    double scale;                            /* of the numbers in the table */
    int decimals;
};

extern const struct figure figures[];
extern const size_t figure_count;

double figure_of(const struct figure *figure, const json_t *measurement);

#endif
