/* SPDX-License-Identifier: MIT */
/* A mutex with a condition variable, behind function pointers as the locks are. */
#ifndef RECIP_BENCH_MEASURE_MONITOR_H
#define RECIP_BENCH_MEASURE_MONITOR_H

/* Room for any; the mutex stands first. */
enum { MONITOR_SIZE_MAX = 512 };

struct monitor {
    const char *id; /* that of the mutex */
    void (*init)(void *monitor);
    void (*destroy)(void *monitor);
    void (*lock)(void *monitor);
    void (*unlock)(void *monitor);
    void (*wait)(void *monitor);
    void (*signal)(void *monitor);
};

/* This library's, and the system's; null if it is neither. */
const struct monitor *monitor_find(const char *id);

#endif
