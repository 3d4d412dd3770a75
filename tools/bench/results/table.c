/* SPDX-License-Identifier: MIT */
#include "bench/results/table.h"

#include <stdlib.h>
#include <string.h>

#include "cli/terminal.h"

/* Of what goes into a file. */
enum { PAGE_WIDTH = 134 };

/* Of the column of names. */
static int lock_width(const struct table *table)
{
    size_t width = strlen("reciprocating");
    for (size_t i = 0; i < table->lock_count; i++)
        width = strlen(table->locks[i]) > width ? strlen(table->locks[i]) : width;
    return (int)width;
}

static size_t page_width(void)
{
    unsigned width = terminal_width();
    return width == UNLIMITED ? PAGE_WIDTH : width;
}

const char *table_text(const json_t *object, const char *field)
{
    const char *text = json_string_value(json_object_get(object, field));
    return text ? text : "";
}

bool table_is_in(const json_t *object, const char *lock, const struct column *column)
{
    return json_integer_value(json_object_get(object, "threads")) == column->threads &&
           strcmp(table_text(object, "workload"), column->workload) == 0 &&
           strcmp(table_text(object, "lock"), lock) == 0;
}

const json_t *table_find(const json_t *objects, const char *lock, const struct column *column)
{
    const json_t *object;
    size_t index;
    json_array_foreach(objects, index, object)
    {
        if (table_is_in(object, lock, column))
            return object;
    }
    return NULL;
}

static void note_lock(struct table *table, const char *lock)
{
    for (size_t i = 0; i < table->lock_count; i++)
        if (strcmp(table->locks[i], lock) == 0)
            return;
    table->locks[table->lock_count++] = lock;
}

static void note_column(struct table *table, const char *workload, json_int_t threads)
{
    for (size_t i = 0; i < table->column_count; i++)
        if (table->columns[i].threads == threads && strcmp(table->columns[i].workload, workload) == 0)
            return;
    table->columns[table->column_count++] = (struct column){workload, threads};
}

bool table_make(struct table *table, const json_t *results, FILE *to)
{
    const json_t *summaries = json_object_get(results, "summaries"), *summary;
    size_t size = json_array_size(summaries) + 1, index;
    *table = (struct table){
        .summaries = summaries,
        .comparisons = json_object_get(results, "comparisons"),
        .locks = calloc(size, sizeof *table->locks),
        .columns = calloc(size, sizeof *table->columns),
        .to = to,
    };
    if (!table->locks || !table->columns)
        return false;
    json_array_foreach(summaries, index, summary)
    {
        note_lock(table, table_text(summary, "lock"));
        note_column(table, table_text(summary, "workload"), json_integer_value(json_object_get(summary, "threads")));
    }
    return true;
}

void table_free(struct table *table)
{
    free(table->locks);
    free(table->columns);
}

static void print_heading(const struct table *table, const char *title, size_t first, size_t end, int width)
{
    const int names = lock_width(table);
    fputc('\n', table->to);
    fputs(terminal_style(table->to, STYLE_BOLD), table->to);
    print_folded(table->to, 0, "%s\n", title);
    fputs(terminal_style(table->to, STYLE_PLAIN), table->to);
    fprintf(table->to, "%-*s", names, "");
    for (size_t i = first; i < end; i++)
        fprintf(table->to, " %*s", width, table->columns[i].workload);
    fprintf(table->to, "\n%-*s", names, "threads");
    for (size_t i = first; i < end; i++)
        fprintf(table->to, " %*d", width, (int)table->columns[i].threads);
    fputc('\n', table->to);
}

static bool same_workload(const struct table *table, size_t left, size_t right)
{
    return strcmp(table->columns[left].workload, table->columns[right].workload) == 0;
}

/* A table that is too wide is printed in parts. Where the part that begins at `first` ends: after as many workloads as
 * fit on the page, or inside a workload that does not fit. */
static size_t end_of_part(const struct table *table, size_t first, int width)
{
    size_t page = page_width(), names = (size_t)lock_width(table), last = first;
    size_t room = page > names + (size_t)width + 1 ? (page - names) / (size_t)(width + 1) : 1;
    for (size_t end = first + 1; end <= table->column_count && end - first <= room; end++)
        if (end == table->column_count || !same_workload(table, end - 1, end))
            last = end;
    if (last > first)
        return last;
    return table->column_count - first < room ? table->column_count : first + room;
}

void table_print(const struct table *table, const char *title, int width, print_cell *print, const void *what)
{
    for (size_t first = 0, end; first < table->column_count; first = end) {
        end = end_of_part(table, first, width);
        print_heading(table, title, first, end, width);
        for (size_t lock = 0; lock < table->lock_count; lock++) {
            fprintf(table->to, "%-*s", lock_width(table), table->locks[lock]);
            for (size_t column = first; column < end; column++)
                print(table, table->locks[lock], &table->columns[column], what);
            fputc('\n', table->to);
        }
    }
}
