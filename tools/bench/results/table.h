/* SPDX-License-Identifier: MIT */
/* A table of results: locks downwards, workloads and numbers of threads across. */
#ifndef RECIP_BENCH_RESULTS_TABLE_H
#define RECIP_BENCH_RESULTS_TABLE_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

struct column {
    const char *workload;
    json_int_t threads;
};

/* Summaries and comparisons of a document; locks and columns in the order of their first appearance. */
struct table {
    const json_t *summaries, *comparisons;
    const char **locks;
    struct column *columns;
    size_t lock_count, column_count;
    FILE *to;
};

/* False if there is no memory; table_free is needed in either case. */
bool table_make(struct table *table, const json_t *results, FILE *to);
void table_free(struct table *table);

/* Prints one cell. */
typedef void print_cell(const struct table *table, const char *lock, const struct column *column, const void *what);

/* `width` is that of a cell. `what` is for `print`. */
void table_print(const struct table *table, const char *title, int width, print_cell *print, const void *what);

/* The text of a field; "" if there is none. */
const char *table_text(const json_t *object, const char *field);
/* The first summary, or comparison, of that lock in that column; null if there is none. */
const json_t *table_find(const json_t *objects, const char *lock, const struct column *column);
/* Whether a summary or comparison is of that lock in that column. */
bool table_is_in(const json_t *object, const char *lock, const struct column *column);

#endif
