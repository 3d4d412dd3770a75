/* SPDX-License-Identifier: MIT */
/* A line that says how much of the work is done and how long the rest will take; on a terminal only. */
#ifndef RECIP_CLI_PROGRESS_H
#define RECIP_CLI_PROGRESS_H

#include <stdbool.h>
#include <stddef.h>

struct progress {
    size_t done, total;
    double started;
    bool shown;
};

void progress_start(struct progress *progress, size_t total);

/* Before each step; the format says what the step is. */
void progress_step(struct progress *progress, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Clears the line. */
void progress_end(struct progress *progress);

#endif
