/* SPDX-License-Identifier: MIT */
#include "sim/waits.h"

#include <stdlib.h>

#include "sim/must.h"

void waits_add(struct waits *waits, sim_time wait)
{
    if (waits->size == waits->room) {
        waits->room = waits->room ? 2 * waits->room : 256;
        waits->values = must(realloc(waits->values, waits->room * sizeof *waits->values));
    }
    waits->values[waits->size++] = wait;
}

static int compare(const void *left, const void *right)
{
    sim_time a = *(const sim_time *)left, b = *(const sim_time *)right;
    return (a > b) - (a < b);
}

/* The smallest that so many in a thousand do not exceed. */
static double per_mille(const struct waits *waits, size_t share)
{
    size_t rank = (waits->size * share + 999) / 1000;
    return (double)waits->values[rank ? rank - 1 : 0] / (1e9 * SIM_NANOSECOND);
}

struct wait_figures waits_figures(struct waits *waits)
{
    if (!waits->size)
        return (struct wait_figures){0};
    qsort(waits->values, waits->size, sizeof *waits->values, compare);
    return (struct wait_figures){
        .count = waits->size,
        .p50 = per_mille(waits, 500),
        .p90 = per_mille(waits, 900),
        .p99 = per_mille(waits, 990),
        .p999 = per_mille(waits, 999),
        .longest = per_mille(waits, 1000),
    };
}

void waits_free(struct waits *waits)
{
    free(waits->values);
    *waits = (struct waits){0};
}
