/* SPDX-License-Identifier: MIT */
/* A table whose columns are known: where it is too wide for the terminal, the least important columns stay out. */
#ifndef RECIP_CLI_COLUMNS_H
#define RECIP_CLI_COLUMNS_H

#include <stdbool.h>
#include <stddef.h>

struct table_column {
    const char *title;
    int width;     /* of what is in it; negative: it begins at the left */
    unsigned rank; /* 0 for the most important, each number once */
};

enum { MAX_COLUMNS = 16, CELL_SIZE = 80 };

/* How many ranks fit into the width of the terminal. */
unsigned columns_that_fit(const struct table_column *columns, size_t count);

/* Prints the cells of the columns whose ranks are below `ranks`. Text that is longer than the last column goes on in
 * the next line, below it. */
void columns_print(const struct table_column *columns, size_t count, unsigned ranks, const char cells[][CELL_SIZE]);

/* The same with the titles. */
void columns_print_titles(const struct table_column *columns, size_t count, unsigned ranks);

#endif
