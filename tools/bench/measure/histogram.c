/* SPDX-License-Identifier: MIT */
#include "bench/measure/histogram.h"

void histogram_merge(struct histogram *into, const struct histogram *from)
{
    for (unsigned i = 0; i < HISTOGRAM_BUCKETS; i++)
        into->buckets[i] += from->buckets[i];
    into->count += from->count;
    if (from->max > into->max)
        into->max = from->max;
}

uint64_t histogram_bucket_end(unsigned bucket)
{
    if (bucket < HISTOGRAM_FINE)
        return bucket;
    unsigned power = bucket / HISTOGRAM_FINE + 3;
    uint64_t step = UINT64_C(1) << (power - 4);
    return (UINT64_C(1) << power) + (bucket % HISTOGRAM_FINE + 1) * step - 1;
}

uint64_t histogram_quantile(const struct histogram *histogram, double share)
{
    double wanted = share * (double)histogram->count;
    uint64_t seen = 0;
    for (unsigned i = 0; i < HISTOGRAM_BUCKETS; i++) {
        seen += histogram->buckets[i];
        if (seen > 0 && (double)seen >= wanted)
            return histogram_bucket_end(i) < histogram->max ? histogram_bucket_end(i) : histogram->max;
    }
    return 0;
}
