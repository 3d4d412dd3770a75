/* SPDX-License-Identifier: MIT */
/* A histogram of durations in ticks: 16 buckets for each power of two, so a value is known within 6 %. */
#ifndef RECIP_BENCH_HISTOGRAM_H
#define RECIP_BENCH_HISTOGRAM_H

#include <stdint.h>

enum { HISTOGRAM_FINE = 16, HISTOGRAM_BUCKETS = 64 * HISTOGRAM_FINE };

struct histogram {
    uint64_t buckets[HISTOGRAM_BUCKETS];
    uint64_t count, max;
};

static inline unsigned histogram_bucket(uint64_t value)
{
    if (value < HISTOGRAM_FINE)
        return (unsigned)value;
    unsigned power = 63 - (unsigned)__builtin_clzll(value);
    return (power - 3) * HISTOGRAM_FINE + (unsigned)(value >> (power - 4)) % HISTOGRAM_FINE;
}

static inline void histogram_add(struct histogram *histogram, uint64_t value)
{
    histogram->buckets[histogram_bucket(value)]++;
    histogram->count++;
    if (value > histogram->max)
        histogram->max = value;
}

/* The greatest value that falls into the bucket. */
uint64_t histogram_bucket_end(unsigned bucket);

void histogram_merge(struct histogram *into, const struct histogram *from);

/* The quantile `share` (0 to 1), rounded up to the end of its bucket; 0 of an empty histogram. */
uint64_t histogram_quantile(const struct histogram *histogram, double share);

#endif
