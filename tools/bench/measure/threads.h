/* SPDX-License-Identifier: MIT */
/* The threads of a benchmark, and the CPUs that this process may use. */
#ifndef RECIP_BENCH_THREADS_H
#define RECIP_BENCH_THREADS_H

#include <pthread.h>
#include <stdbool.h>

/* How many CPUs there are. */
unsigned threads_cpus(void);

enum { ANY_CPU = -1 };

/* Starts a thread on that CPU, counted from 0 and modulo their number, or on any. All signals but SIGSYS are blocked in
 * it: they go to the thread that waits for it. */
bool threads_start(pthread_t *thread, int cpu, void *(*body)(void *), void *argument);

#endif
