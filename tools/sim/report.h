/* SPDX-License-Identifier: MIT */
/* What came out of runs, for people and for programs. */
#ifndef RECIP_SIM_REPORT_H
#define RECIP_SIM_REPORT_H

#include <stdio.h>

#include "sim/options.h"

struct report_run {
    struct settings settings;
    struct result result;
};

struct report {
    const struct sim_options *options;
    struct report_run *runs;
    size_t count;
};

void report_text_head(const struct sim_options *options);
void report_text_run(const struct report_run *run, bool detail);
void report_text_residency(const struct report *report);
void report_json(const struct report *report);
void report_csv(const struct report *report);
void report_trace(const struct report *report, FILE *file); /* "LOCK THREADS: who who who ..." */
void report_plot(const struct report *report, FILE *file);  /* throughput over threads, as SVG */

/* The period of the admission order; 0: none within four rounds. */
unsigned report_period(const struct report_run *run);

extern const char *const phase_words[], *const outcome_words[];

#endif
