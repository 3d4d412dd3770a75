/* The options of `recip sim`. */
#ifndef RECIP_SIM_OPTIONS_H
#define RECIP_SIM_OPTIONS_H

#include "recip/command.h"
#include "sim/run.h"

enum format { FORMAT_TEXT, FORMAT_JSON, FORMAT_CSV };

enum { SIM_MOST_THREADS = 1024 };

struct sim_options {
    const char *machine_name;
    struct machine machine;
    struct algorithm_list locks;
    struct count_list threads;
    enum workload workload;
    enum context_place context;
    uint64_t episodes, seed;
    sim_time critical;
    bool list_events;
    double half_life; /* 0: no table of residency */
    const char *trace, *plot;
    enum format format;
};

extern const char *const workload_words[], *const context_words[];

/* The settings of one run; its result is freed by the caller. */
struct settings sim_settings(const struct sim_options *options, const struct recip_algorithm *lock, unsigned threads);

void sim_options_read(struct sim_options *options, int argc, char **argv);

/* A machine by name, or a file by path; refused if it is not as it should be. */
void machine_load(struct machine *machine, const char *name);

#endif
