/* SPDX-License-Identifier: MIT */
/* What holds on a simulated machine has to hold with each latency of its file a third down and up, over five seeds. */
#ifndef RECIP_TESTS_SIM_VARIATIONS_H
#define RECIP_TESTS_SIM_VARIATIONS_H

#include "sim/run.h"

enum { SEEDS = 5 };

struct variations {
    struct machine base;
    bool whole; /* all seeds with each variation; otherwise one of them in turn */
    unsigned count;
    void (*shapes)(const struct machine *machine, void *of);
};

/* What is being tried, for messages and for runs. */
extern char variation[64];
extern uint64_t seed;

/* From PROGRAM MACHINE-FILE [whole]; ends the process if there is no such machine. */
struct variations variations_of(int argc, char **argv);

void with_seeds(struct variations *variations, const struct machine *machine, void *of);

/* As the machine is, then each of its latencies less and more. */
void with_each_latency(struct variations *variations, void *of);

/* Counts, and prints what does not hold. */
void check(bool holds, const char *shape, const char *lock, double is, double limit);

/* The exit status, after a line with the counts. */
int checks_status(void);

#endif
