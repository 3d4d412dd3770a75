/* SPDX-License-Identifier: MIT */
#include "cli/statistics.h"

#include <math.h>
#include <stdlib.h>

static int compare_doubles(const void *left, const void *right)
{
    double a = *(const double *)left, b = *(const double *)right;
    return (a > b) - (a < b);
}

/* How many values to leave out at each end, so that the rest holds the median with 95 % confidence: the greatest k for
 * which fewer than k of n fair coins fall on one side in at most 2.5 % of cases. Zero below 6 values. */
static size_t left_out(size_t count)
{
    double chance = pow(0.5, (double)count), sum = 0;
    size_t k = 0;
    while (k < count && (sum += chance) <= 0.025) {
        chance *= (double)(count - k) / (double)(k + 1);
        k++;
    }
    return k;
}

struct estimate estimate_median(double *values, size_t count)
{
    qsort(values, count, sizeof *values, compare_doubles);
    size_t k = left_out(count);
    size_t first = k > 0 ? k - 1 : 0;
    return (struct estimate){
        .median = count % 2 ? values[count / 2] : (values[count / 2 - 1] + values[count / 2]) / 2,
        .low = values[first],
        .high = values[count - 1 - first],
        .confident = k > 0,
    };
}

enum verdict verdict_of(const struct estimate *ratio)
{
    if (!ratio->confident || (ratio->low <= 1 && ratio->high >= 1))
        return NO_DIFFERENCE;
    return ratio->median < 1 ? LESS : MORE;
}

double jain_index(double *values, size_t count)
{
    double sum = 0, squares = 0;
    for (size_t i = 0; i < count; i++) {
        sum += values[i];
        squares += values[i] * values[i];
    }
    return squares > 0 ? sum * sum / ((double)count * squares) : NAN;
}

double least_over_most(double *values, size_t count)
{
    double least = INFINITY, most = 0;
    for (size_t i = 0; i < count; i++) {
        least = fmin(least, values[i]);
        most = fmax(most, values[i]);
    }
    return most > 0 ? least / most : 1;
}

double fairness_factor(double *values, size_t count)
{
    double sum = 0, busier = 0;
    qsort(values, count, sizeof *values, compare_doubles);
    for (size_t i = 0; i < count; i++) {
        sum += values[i];
        if (i >= (count + 1) / 2)
            busier += values[i];
        else if (i == count / 2)
            busier += values[i] / 2;
    }
    return sum > 0 ? busier / sum : 0.5;
}
