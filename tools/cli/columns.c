/* SPDX-License-Identifier: MIT */
#include "cli/columns.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/terminal.h"

unsigned columns_that_fit(const struct table_column *columns, size_t count)
{
    unsigned width = terminal_width(), taken = 0, ranks = 0;
    for (; ranks < count; ranks++) {
        for (size_t i = 0; i < count; i++)
            if (columns[i].rank == ranks)
                taken += (unsigned)abs(columns[i].width) + (ranks > 0);
        if (taken > width)
            break;
    }
    return ranks;
}

void columns_print(const struct table_column *columns, size_t count, unsigned ranks, const char cells[][CELL_SIZE])
{
    char line[MAX_COLUMNS * (CELL_SIZE + 1)] = "";
    size_t length = 0, last = 0;
    for (size_t i = 0; i < count; i++) {
        if (columns[i].rank >= ranks)
            continue;
        if (length)
            line[length++] = ' ';
        last = length;
        length += (size_t)snprintf(line + length, CELL_SIZE, "%*s", columns[i].width, cells[i]);
    }
    while (length && line[length - 1] == ' ')
        line[--length] = '\0';
    print_folded(stdout, (unsigned)last, "%s\n", line);
}

void columns_print_titles(const struct table_column *columns, size_t count, unsigned ranks)
{
    char cells[MAX_COLUMNS][CELL_SIZE];
    for (size_t i = 0; i < count; i++)
        snprintf(cells[i], CELL_SIZE, "%s", columns[i].title);
    fputs(terminal_style(stdout, STYLE_BOLD), stdout);
    columns_print(columns, count, ranks, cells);
    fputs(terminal_style(stdout, STYLE_PLAIN), stdout);
}
