/* recip bench, in parts: what is asked for (bench.c), what the kinds make of it (bench-kinds.c), the rounds
 * (bench-rounds.c), and programs that measure (bench-child.c). */
#ifndef RECIP_BENCH_BENCH_H
#define RECIP_BENCH_BENCH_H

#include <jansson.h>
#include <limits.h>
#include <signal.h>

#include "bench/mutexbench.h"
#include "cli/command.h"

enum { BENCH_MOST_THREADS = 10000, BENCH_RUNS = 7, BENCH_SLICES = 50, BENCH_MOST_SLICES = 10000, BENCH_KEYS = 1000000 };

/* Whether a lock's pairs can be measured inline (SECTION_PAIR), and if that is all that can be. */
enum bench_pair { WITHOUT_PAIR, WITH_PAIR, ONLY_PAIR };

struct bench_lock {
    const char *id;
    const struct recip_algorithm *algorithm; /* null if it is a peer, which only the helper knows */
    unsigned max_threads;
    enum bench_pair pair;
    bool asked; /* by its name: more threads than it takes are refused, otherwise just not measured */
};

/* What stands in one column of the tables: a workload with a number of threads. */
struct bench_column {
    char workload[32];
    enum section section;
    unsigned inside, outside, threads;
    bool handover; /* of latency */
};

struct bench;

struct bench_kind {
    const char *name, *summary;
    const char *program; /* the helper that measures; null: this process does */
    const char *package; /* and what is missing where that has not been built */
    bool times;          /* nanoseconds are compared, not rates */
    bool counts;         /* system calls can be counted */
    bool measures_loop;  /* what the loop takes without a lock is worth knowing */
    double seconds;      /* of a measurement, unless others are given */
    /* Fills in the locks and columns that were not asked for. */
    void (*complete)(struct bench *bench);
    /* What has to be there before the first measurement, and goes after the last; may be null. */
    bool (*begin)(struct bench *bench);
    void (*end)(struct bench *bench);
    /* One measurement: what it says, or null after a line on stderr. */
    json_t *(*measure)(const struct bench *bench, const struct bench_lock *lock, const struct mutexbench *settings,
                       const struct bench_column *column);
};

extern const struct bench_kind bench_kinds[];
extern const size_t bench_kind_count;

struct bench {
    const struct bench_kind *kind;
    struct bench_lock *locks;
    struct bench_column *columns;
    size_t lock_count, column_count;
    /* As the options have it; lists are empty, numbers zero or negative where nothing was said. */
    const char *asked_locks, *baseline, *from;
    struct count_list threads, insides, outsides;
    const char *sections;
    unsigned runs, keys;
    double seconds, warm_up, slice;
    bool pinned, json, csv, details;
    char folder[PATH_MAX]; /* of the LevelDB */
};

/* The signal, Ctrl-C's or another, that wants an end; 0 as long as there is none. */
extern volatile sig_atomic_t bench_interrupted;

/* Whether the lock can be in that column, but for the number of threads. */
bool bench_goes_with(const struct bench_lock *lock, const struct bench_column *column);

/* All rounds; false if something went wrong. */
bool bench_rounds(const struct bench *bench, json_t *results);

/* Runs a helper, its standard output read as JSON, on the lock if that is not null; null after a line on stderr. */
json_t *bench_child(const struct bench_kind *kind, const struct recip_algorithm *lock, const char *const *arguments);

/* Null if the helper has not been built. */
const char *bench_helper(const struct bench_kind *kind);

#endif
