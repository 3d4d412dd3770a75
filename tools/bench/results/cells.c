/* SPDX-License-Identifier: MIT */
#include "bench/results/cells.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

const char *field_text(const json_t *object, const char *field)
{
    return json_string_value(json_object_get(object, field));
}

double field_number(const json_t *object, const char *field)
{
    const json_t *number = json_object_get(object, field);
    return number ? json_number_value(number) : NAN;
}

bool cell_has(const struct cell *cell, const json_t *object)
{
    const char *lock = field_text(object, "lock"), *workload = field_text(object, "workload");
    return lock && workload && strcmp(lock, cell->lock) == 0 && strcmp(workload, cell->workload) == 0 &&
           json_integer_value(json_object_get(object, "threads")) == cell->threads;
}

static struct cell *cell_of(struct cells *cells, const json_t *measurement)
{
    for (size_t i = 0; i < cells->count; i++)
        if (cell_has(&cells->list[i], measurement))
            return &cells->list[i];
    struct cell *cell = &cells->list[cells->count++];
    *cell = (struct cell){.lock = field_text(measurement, "lock"),
                          .workload = field_text(measurement, "workload"),
                          .threads = json_integer_value(json_object_get(measurement, "threads"))};
    return cell;
}

bool cells_make(struct cells *cells, const json_t *measurements)
{
    const json_t *measurement;
    size_t index;
    *cells = (struct cells){.list = calloc(json_array_size(measurements) + 1, sizeof *cells->list)};
    if (!cells->list)
        return false;
    json_array_foreach(measurements, index, measurement)
    {
        struct cell *cell = cell_of(cells, measurement);
        const json_t **longer = realloc(cell->measurements, (cell->count + 1) * sizeof *longer);
        if (!longer)
            return false;
        cell->measurements = longer;
        cell->measurements[cell->count++] = measurement;
    }
    return true;
}

void cells_free(struct cells *cells)
{
    for (size_t i = 0; i < cells->count; i++)
        free(cells->list[i].measurements);
    free(cells->list);
}

bool cells_same_column(const struct cell *left, const struct cell *right)
{
    return left->threads == right->threads && strcmp(left->workload, right->workload) == 0;
}

const json_t *cell_in_run(const struct cell *cell, json_int_t run)
{
    for (size_t i = 0; i < cell->count; i++)
        if (json_integer_value(json_object_get(cell->measurements[i], "run")) == run)
            return cell->measurements[i];
    return NULL;
}
