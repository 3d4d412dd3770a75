/* SPDX-License-Identifier: MIT */
/* The machine that results come from. */
#ifndef RECIP_BENCH_ENVIRONMENT_H
#define RECIP_BENCH_ENVIRONMENT_H

#include <jansson.h>

/* {"cpu", "cpus", "architecture", "kernel", "governor", "virtualised", "load_at_start"}; what the system does not tell
 * is null. environment_end adds "load_at_end", "others_cpus", how many CPUs other programs had on average in between,
 * and "busy": whether that was too much to measure beside. */
json_t *environment_begin(void);
void environment_end(json_t *environment);

#endif
