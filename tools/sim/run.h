/* SPDX-License-Identifier: MIT */
/* One run: a lock, so many threads, a workload, a machine, a seed; and what came out. */
#ifndef RECIP_SIM_RUN_H
#define RECIP_SIM_RUN_H

#include "zoo/algorithm.h"
#include "sim/waits.h"
#include "sim/world.h"

/* The workloads of the paper's MutexBench, and the one behind its table's invalidations. */
enum workload {
    WORKLOAD_MAX,        /* the critical section advances a shared generator; nothing in between */
    WORKLOAD_MODERATE,   /* as max, and in between a private generator advances by 0 to 249 steps */
    WORKLOAD_DEGENERATE, /* the critical section touches nothing that is shared */
    WORKLOAD_NESTED,     /* as degenerate, under two of four locks: who spins where when threads hold several */
    WORKLOAD_TIMES, /* the critical section changes a shared word and takes a given time; so does what is between */
};

/* mutexbench times one acquisition in so many. */
enum { MEASURED_SAMPLE_EVERY = 32 };

/* Where the context from acquire to release is kept: with the thread, or in the lock (its mutex form). */
enum context_place { CONTEXT_LOCAL, CONTEXT_BODY };

struct settings {
    const struct recip_algorithm *lock;
    const struct machine *machine;
    unsigned threads;
    enum workload workload;
    enum context_place context;
    uint64_t episodes; /* that are measured, of all threads together */
    uint64_t seed;
    sim_time critical;       /* of the degenerate workload, the nested, and times */
    sim_time outside;        /* of times: on average; drawn from 0 to twice this */
    sim_time least;          /* the measurement lasts so long at least; 0: by the number of episodes */
    unsigned seldom_threads; /* that come by the clock, beside the others, */
    sim_time period;         /* each of them so often on average, at random (Poisson) */
    sim_time stall;          /* acquiring threads stop for so long, now and then, before any access; 0: never */
    bool list_events;
    bool as_measured; /* max and moderate: what `recip bench mutexbench` does besides, too */
};

/* The episodes and what is said of an episode are those of the threads that lock all the time. */
struct result {
    uint64_t episodes;
    double seconds;                                 /* of virtual time */
    double throughput;                              /* episodes in a second */
    double misses, upgrades, remote, invalidations; /* in an episode */
    double remote_by_home[MACHINE_MAX_SOCKETS];     /* of these the remote, by the line's home */
    unsigned most_remote;                           /* in any one episode */
    double migrations;                              /* of the lock between sockets, in an episode */
    uint64_t *admissions;                           /* of each thread */
    double unwaited;                                /* share of the admissions that did not have to wait */
    double fairness;                                /* Jain's index */
    double unfairness;                              /* most admissions of a thread over least */
    unsigned most_watchers;                         /* threads that spun on one line at a time */
    bool overtaken;                                 /* a thread past its doorway saw another admitted twice */
    double longest_release;                         /* seconds; with stalls only, as the next */
    unsigned most_release_accesses;                 /* in any one release */
    bool nodes_circulate;                           /* a thread ended with another's node */
    double cpus_busy;                               /* on average */
    struct doings doings;                           /* of all threads */
    struct wait_figures from_due, late, waits;      /* of those that come by the clock, as run.c says */
    uint64_t events_taken;                          /* by the whole run: what it costs to simulate */
    uint16_t *trace;                                /* who was admitted, in order */
    struct coherence_event *coherence_events;
    size_t coherence_event_count;
};

/* Ends the process with a message if the lock hangs. */
struct result run(const struct settings *settings);
void result_free(struct result *result);

/* The period of the admission order in its last part, up to `most` admissions; 0: none. */
unsigned result_period(const struct result *result, unsigned most);

/* Events per episode: misses and upgrades. */
double result_events(const struct result *result);

#endif
