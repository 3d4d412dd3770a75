/* SPDX-License-Identifier: MIT */
/* Starting a program on a lock: what `recip run` does once and `recip run --compare` many times. */
#ifndef RECIP_CLI_LAUNCH_H
#define RECIP_CLI_LAUNCH_H

#include "zoo/algorithm.h"

/* Refuses a lock that does not fit into a pthread_mutex_t, or if the preload library is not found. */
void launch_check(const char *option, const struct recip_algorithm *lock);

/* Sets the environment for the lock; statistics go to that file, to stderr for "-", or are not kept if it is null. */
void launch_prepare(const struct recip_algorithm *lock, const char *statistics);

/* After that: a trace goes to that file. */
void launch_trace(const char *file);

/* After launch_prepare: watches for deadlocks, "on" or "off"; what is null stays out. */
void launch_watch(const char *watch, const char *suppressions);

/* Becomes the program. Returns only if that fails, after one line on stderr: the exit status that shells use for it. */
int launch(char **program);

#endif
