/* SPDX-License-Identifier: MIT */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "sim/calibrate/calibrate.h"
#include "sim/must.h"

static int compare(const void *left, const void *right)
{
    double difference = *(const double *)left - *(const double *)right;
    return (difference > 0) - (difference < 0);
}

/* Of every second of the values from `first` on. */
static double middle(const double *values, size_t count, size_t first, size_t every, bool fastest)
{
    double kept[CALIBRATE_ROUNDS];
    size_t number = 0;
    for (size_t i = first; i < count; i += every)
        kept[number++] = values[i];
    if (number == 0)
        return 0;
    qsort(kept, number, sizeof *kept, compare);
    return fastest ? kept[0] : kept[number / 2];
}

double calibrate_measured(const struct calibrate_cell *cell)
{
    return middle(cell->rounds, cell->round_count, 0, 1, cell->threads == 1);
}

static double rank_of(const double *values, size_t count, size_t nth)
{
    size_t less = 0, equal = 0;
    for (size_t i = 0; i < count; i++) {
        less += values[i] < values[nth];
        equal += values[i] == values[nth];
    }
    return (double)less + ((double)equal - 1) / 2;
}

double calibrate_correlation(const double *a, const double *b, size_t count)
{
    double mean = ((double)count - 1) / 2, both = 0, square_a = 0, square_b = 0;
    if (count < 3)
        return NAN;
    for (size_t i = 0; i < count; i++) {
        double rank_a = rank_of(a, count, i) - mean, rank_b = rank_of(b, count, i) - mean;
        both += rank_a * rank_b;
        square_a += rank_a * rank_a;
        square_b += rank_b * rank_b;
    }
    return both / sqrt(square_a * square_b);
}

struct calibrate_summary calibrate_sum_up(const struct calibrate_cell *cells, size_t count, enum workload workload,
                                          unsigned threads)
{
    struct calibrate_summary summary = {0};
    double *values = must(calloc(4 * count, sizeof *values)), *modelled = values + count, *odd = modelled + count,
           *even = odd + count;
    for (size_t i = 0; i < count; i++) {
        const struct calibrate_cell *cell = &cells[i];
        if (cell->workload != workload || cell->threads != threads || cell->measured == 0)
            continue;
        double off = fabs(cell->modelled / cell->measured - 1);
        values[summary.cells] = cell->measured;
        modelled[summary.cells] = cell->modelled;
        even[summary.cells] = middle(cell->rounds, cell->round_count, 0, 2, threads == 1);
        odd[summary.cells] = middle(cell->rounds, cell->round_count, 1, 2, threads == 1);
        summary.cells++;
        summary.within_25 += off <= 0.25;
        summary.within_10 += off <= 0.1;
    }
    summary.correlation = calibrate_correlation(values, modelled, summary.cells);
    summary.repeated = calibrate_correlation(odd, even, summary.cells);
    free(values);
    return summary;
}
