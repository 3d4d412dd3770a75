/* SPDX-License-Identifier: MIT */
/* The options of `recip sim`, and what it shares with `recip table`. */
#ifndef RECIP_SIM_OPTIONS_H
#define RECIP_SIM_OPTIONS_H

#include "cli/command.h"
#include "sim/run.h"

enum format { FORMAT_TEXT, FORMAT_JSON, FORMAT_CSV };

enum { SIM_MAX_THREADS = 1024, SIM_MAX_SETS = 64 };

/* What both commands take: their lines of the table for argp, and where they go. */
enum { KEY_LOCK = 1000, KEY_SEED, KEY_JSON, KEY_CSV, KEY_OWN };

#define COMMON_OPTIONS                                                                                                 \
    {"lock", KEY_LOCK, "ID,...", 0, "the locks; 'recip list' shows them", 0},                                          \
        {"seed", KEY_SEED, "N", 0, "what is random follows from it (default 1)", 0},                                   \
        {"json", KEY_JSON, NULL, 0, "print JSON", 0},                                                                  \
    {                                                                                                                  \
        "csv", KEY_CSV, NULL, 0, "print CSV", 0                                                                        \
    }

struct common_options {
    const char *asked_locks; /* as given, or null */
    struct algorithm_list locks;
    unsigned seed;
    enum format format;
};

/* False if the key is none of them. */
bool common_option(struct common_options *options, int key, const char *word);

/* These locks if none were given. Locks that cannot be simulated are refused if they are named, and left out of their
 * families. */
void common_locks(struct common_options *options, const char *by_default);

struct sim_options {
    struct common_options common;
    const char *machine_name;
    const char *sets[SIM_MAX_SETS];
    unsigned set_count;
    char *machine_title; /* its name with what --set has changed of it */
    struct machine machine;
    struct count_list threads;
    enum workload workload;
    enum context_place context;
    unsigned episodes;
    sim_time critical, outside;
    double duration, period; /* seconds; 0: none */
    unsigned seldom_threads;
    bool list_events, detail, measure, calibrate;
    double half_life; /* 0: no table of residency */
    const char *trace, *plot;
};

extern const char *const workload_words[], *const context_words[];

/* The settings of one run; its result is freed by the caller. */
struct settings sim_settings(const struct sim_options *options, const struct recip_algorithm *lock, unsigned threads);

void sim_options_read(struct sim_options *options, int argc, char **argv);

/* A machine by name, or a file by path; refused if it is not as it should be. */
void machine_load(struct machine *machine, const char *name);

#endif
