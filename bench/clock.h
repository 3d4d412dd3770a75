/* The time, in seconds since some moment; never set back. */
#ifndef RECIP_BENCH_CLOCK_H
#define RECIP_BENCH_CLOCK_H

#include <time.h>

static inline double seconds_now(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

#endif
