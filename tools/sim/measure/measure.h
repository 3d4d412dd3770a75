/* SPDX-License-Identifier: MIT */
/* A machine file for the machine at hand, from measurement. All times are nanoseconds. */
#ifndef RECIP_SIM_MEASURE_MEASURE_H
#define RECIP_SIM_MEASURE_MEASURE_H

#include <pthread.h>
#include <sched.h>
#include <stdbool.h>
#include <stdio.h>

struct line_times {                  /* lines.c: two CPUs */
    double transfer, upgrade, fetch; /* a write to a modified line, to a shared one; a read of a modified one */
    double handover;                 /* to a thread that spins at a line, one way */
    bool migratory;
};

/* Prints the whole file. Refused if the process may use one CPU only. The times of lines are measured too, unless
 * given.
 */
void measure(FILE *to, const struct line_times *lines);

/* What they are now, on the first two CPUs, in some milliseconds: a host may move its virtual CPUs. */
struct line_times measure_lines_now(void);

/* ---- For the parts of it ---- */

struct layout { /* layout.c */
    unsigned sockets, clusters, cores, threads, line;
    int cpus[CPU_SETSIZE]; /* that the process may use */
    unsigned cpu_count;
    int in_cluster, in_socket,
        elsewhere; /* other cores than the first CPU's: near it, further, and furthest; -1: none */
};
void layout_read(struct layout *layout);

struct core_times { /* core.c: one CPU */
    double hit, atomic, pause, turn, clock, counter, step, renewal, call, memory, drain;
};
void core_measure(struct core_times *times);

/* lines.c */
void lines_measure(struct line_times *times, int cpu, int other, unsigned samples);

struct kernel_times { /* kernel.c */
    double system_call, yield, context_switch, park, wake, wake_latency, nap;
};
void kernel_measure(struct kernel_times *times, int cpu, int other);

struct barrier_times { /* barrier.c */
    bool restartable;
    double barrier, barrier_wait, barrier_each, interrupt;
};
void barrier_measure(struct barrier_times *times, const struct layout *layout);

/* Runs on that CPU from now on. */
void measure_stay_on(int cpu);

/* A thread on that CPU, or the command ends with a line. */
pthread_t measure_start(int cpu, void *(*run)(void *), void *with);

/* Sorts the values. */
double measure_median(double *values, size_t count);

#endif
