/* SPDX-License-Identifier: MIT */
/* recip bench, in parts: the options (options.c), the command itself (bench.c), the rounds (rounds.c), and the kinds of
 * benchmark (kinds.def, kinds/). A kind chooses its locks (locks.c) and columns (columns.c), and makes one measurement
 * at a time, in this process or in a helper program (measure.c). */
#ifndef RECIP_BENCH_COMMAND_BENCH_H
#define RECIP_BENCH_COMMAND_BENCH_H

#include <jansson.h>
#include <signal.h>

#include "bench/measure/mutexbench.h"
#include "cli/command.h"

enum { BENCH_MAX_THREADS = 10000 };

/* Whether lock and unlock can be measured inline (SECTION_PAIR), and whether that is all that can be measured. */
enum bench_pair { WITHOUT_PAIR, WITH_PAIR, ONLY_PAIR };

struct bench_lock {
    const char *id;
    const char *subject;                     /* what the helper calls it */
    const char *helper;                      /* of another build, which measures it; null: the kind's own */
    const struct recip_algorithm *algorithm; /* null for a peer, which only the helper knows */
    unsigned max_threads;
    enum bench_pair pair;
    bool bounded; /* kind `waiting`: the mutex with this bound, not its usual one */
    unsigned bound;
    bool asked; /* by its name: more threads than it takes are refused, otherwise just not measured */
};

/* What stands in one column of the tables: a workload with a number of threads. */
struct bench_column {
    char workload[32];
    enum section section;
    unsigned inside, outside, threads;
    unsigned others; /* threads beside those */
    int variant;     /* the kind's own */
};

/* The options that only some kinds take. */
enum bench_options {
    TAKES_THREADS = 1, /* and --pinned */
    TAKES_INSIDE = 2,
    TAKES_OUTSIDE = 4,
    TAKES_SECTION = 8,
    TAKES_SLICE = 16,
    TAKES_KEYS = 32,
    TAKES_WAITING = 64, /* --hogs, --times, --seldom-threads, --period, --cond */
};

struct bench;

struct bench_kind {
    const char *name;
    const char *help;    /* what it measures, for --help */
    const char *program; /* the helper that measures; null: this process does */
    const char *package; /* what is missing where the helper has not been built */
    bool does_without;   /* the helper: this process can measure some of the locks */
    unsigned options;    /* enum bench_options */
    bool times;          /* nanoseconds are compared, not rates */
    bool counts;         /* system calls can be counted */
    bool measures_loop;  /* what the loop costs without a lock is worth knowing */
    double seconds;      /* of a measurement, unless --duration is given */
    /* Fills in the locks and columns, and what options were not given. */
    void (*complete)(struct bench *bench);
    /* Adds what else was asked for to the options in the results; may be null. */
    void (*note_options)(const struct bench *bench, json_t *options);
    /* What has to be there before the first measurement, and what is removed after the last; may be null. */
    bool (*begin)(struct bench *bench);
    void (*end)(struct bench *bench);
    /* One measurement, as JSON with at least "value", "seconds" and "operations"; null after a line on stderr. */
    json_t *(*measure)(const struct bench *bench, const struct bench_lock *lock, const struct mutexbench *settings,
                       const struct bench_column *column);
};

/* The first is the default. */
extern const struct bench_kind *const bench_kinds[];
extern const size_t bench_kind_count;

struct bench {
    const struct bench_kind *kind;
    struct bench_lock *locks;
    struct bench_column *columns;
    size_t lock_count, column_count;
    /* The options. Lists are empty, numbers zero (warm_up: negative) where nothing was given. */
    const char *asked_locks, *baseline, *from;
    struct count_list threads, insides, outsides;
    const char *sections;
    unsigned runs, keys;
    double seconds, warm_up, slice;
    bool pinned, json, csv, details;
    /* Kind `waiting`. */
    struct count_list hogs;
    const char *times;
    unsigned seldom_threads;
    double period;
    bool cond;
    /* Measured when the benchmark begins: what a turn of the work takes, and how late timers are here. */
    double turn_ns;
    json_t *timer_late; /* null with --cond */
};

/* ---- options.c ---- */

/* Reads the options and checks that they go together. */
void bench_read_options(struct bench *bench, int argc, char **argv);

/* ---- locks.c ---- */

/* Adds a lock, as it is, unless it is there. */
void bench_append_lock(struct bench *bench, const struct bench_lock *lock);
/* The same, and fills in its subject and the most threads. `spins`: its waiters do not sleep, so it takes fewer. */
void bench_add_lock(struct bench *bench, const struct bench_lock *lock, bool spins);
void bench_add_algorithm(struct bench *bench, const struct recip_algorithm *lock, bool asked);
/* Adds the locks that --lock names, or all. `none` is no lock at all, to see the check of exclusion fail. */
void bench_add_locks(struct bench *bench);
/* The same for helpers that run on the preload library: all that fit into a pthread_mutex_t. */
void bench_add_preload_locks(struct bench *bench);
/* Whether the lock can be measured in that column, but for the number of threads. */
bool bench_fits(const struct bench_lock *lock, const struct bench_column *column);
/* Refuses more threads than a lock takes that was asked for. */
void bench_refuse_too_many_threads(const struct bench *bench);

/* ---- peers.c: the mutexes of other libraries, in the helper that kinds `mutex` and `waiting` share ---- */

/* What the kind's helper could have, and which of it is there: an array; empty without the helper. */
json_t *bench_list_peers(const struct bench *bench);
/* True if it is one of them. One that is not there is refused. */
bool bench_add_peer(struct bench *bench, const json_t *peers, const char *id, bool asked);
/* The peer of that name, the lock of that name, or `zoo`, all locks; others are refused. */
void bench_add_asked_mutex(struct bench *bench, const json_t *peers, const char *id);

/* Where the locks go that --lock names, and the peers that there are. */
struct bench_asked {
    struct bench *bench;
    const json_t *peers;
};
/* Calls `add`, with a bench_asked, for each word of --lock. Of ID@PATH it gets ID, and the peers of the helper of
 * another build at PATH: what it adds is measured there, and named with @PATH. */
void bench_add_asked_mutexes(struct bench *bench, const json_t *peers, void (*add)(const char *id, void *asked));
/* A line for each that is not there and that `wanted` accepts. */
void bench_name_missing_peers(const json_t *peers, bool (*wanted)(const json_t *peer));

/* ---- columns.c ---- */

void bench_add_column(struct bench *bench, const struct bench_column *column);
/* A column for each number of threads. */
void bench_add_workload(struct bench *bench, struct bench_column column);
/* Each length of --inside with each of --outside; false if neither was given. */
bool bench_add_asked_workloads(struct bench *bench);
/* Used where --threads was not given. The values ascend; a repeated one counts once. */
void bench_default_threads(struct bench *bench, const unsigned *values, size_t count);
/* 1, the CPUs, twice the CPUs. */
void bench_default_threads_by_cpus(struct bench *bench);

/* ---- measure.c ---- */

/* The bench_kind.measure of kinds that measure mutexbench in this process. */
json_t *bench_measure_here(const struct bench *bench, const struct bench_lock *lock, const struct mutexbench *settings,
                           const struct bench_column *column);
/* By that helper, on that lock by the preload library unless it is null. `subject` tells the helper what. */
json_t *bench_measure_by_helper(const char *helper, const struct recip_algorithm *lock, const char *subject,
                                const struct mutexbench *settings);
/* What is wrong with a run, as a line on stderr; true if something is. */
bool bench_run_is_wrong(const char *lock, bool excluded, bool worked);

/* ---- child.c ---- */

/* Runs the helper and reads its standard output as JSON; null after a line on stderr. */
json_t *bench_run_helper(const char *helper, const struct recip_algorithm *lock, const char *const *arguments);
/* The path of the kind's helper; null if it has not been built. */
const char *bench_helper(const struct bench_kind *kind);
/* The path of the helper that measures the lock; likewise. */
const char *bench_helper_of(const struct bench *bench, const struct bench_lock *lock);

/* ---- rounds.c ---- */

/* Measures all rounds; false if something went wrong. */
bool bench_measure_rounds(const struct bench *bench, json_t *results);

/* ---- bench.c ---- */

/* The signal, Ctrl-C's or another, that ends the measurements; 0 as long as there is none. */
extern volatile sig_atomic_t bench_interrupted;

#endif
