/* SPDX-License-Identifier: MIT */
/* Time: in seconds, and in ticks of the CPU's own counter where a system call would take too long. */
#ifndef RECIP_CLI_CLOCK_H
#define RECIP_CLI_CLOCK_H

#include <stdbool.h>
#include <stdint.h>
#include <time.h>

/* Since an arbitrary moment; never goes back. */
static inline uint64_t nanoseconds_now(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * UINT64_C(1000000000) + (uint64_t)now.tv_nsec;
}

static inline double seconds_now(void)
{
    return (double)nanoseconds_now() * 1e-9;
}

/* What the calling thread has used of its CPU, to the nanosecond; getrusage may lag a kernel tick behind. */
static inline double thread_cpu_seconds_now(void)
{
    struct timespec used;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &used);
    return (double)used.tv_sec + (double)used.tv_nsec * 1e-9;
}

static inline uint64_t ticks_now(void)
{
#if defined(__x86_64__)
    return __builtin_ia32_rdtsc();
#elif defined(__aarch64__)
    uint64_t ticks;
    __asm__ volatile("mrs %0, cntvct_el0" : "=r"(ticks));
    return ticks;
#else
    return nanoseconds_now();
#endif
}

/* Measured once, over a few milliseconds; not for several threads at once. */
double ticks_per_second(void);

/* False if a signal cut it short. */
bool sleep_for(double seconds);

#endif
