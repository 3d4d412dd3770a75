/* SPDX-License-Identifier: MIT */
/* The measurements of a document, sorted into cells: one lock in one workload with one number of threads. */
#ifndef RECIP_BENCH_RESULTS_CELLS_H
#define RECIP_BENCH_RESULTS_CELLS_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

struct cell {
    const char *lock, *workload;
    json_int_t threads;
    const json_t **measurements; /* in the order of the runs */
    size_t count;
};

struct cells {
    struct cell *list;
    size_t count;
};

/* False if there is no memory; cells_free is needed in either case. */
bool cells_make(struct cells *cells, const json_t *measurements);
void cells_free(struct cells *cells);

/* Whether a measurement or count is of that cell. */
bool cell_has(const struct cell *cell, const json_t *object);
/* The same workload and number of threads. */
bool cells_same_column(const struct cell *left, const struct cell *right);
/* The measurement of that run, or null. */
const json_t *cell_in_run(const struct cell *cell, json_int_t run);

/* A field of an object: a text or null; a number, or NAN if there is none. */
const char *field_text(const json_t *object, const char *field);
double field_number(const json_t *object, const char *field);

#endif
