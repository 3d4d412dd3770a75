/* SPDX-License-Identifier: MIT */
/* Jobs in processes of their own, as many at a time as there are CPUs: one that crashes does not take the others with
 * it. */
#ifndef RECIP_CHECK_JOBS_H
#define RECIP_CHECK_JOBS_H

#include <stddef.h>

struct jobs {
    size_t count;
    /* In a process that ends when this returns. No two that run at the same time have the same slot, a number below
     * jobs_slots(). */
    void (*work)(size_t job, unsigned slot, void *context);
    /* In our own process, in the order of the jobs, when the job and all before it have ended. `status` is what waitpid
     * stored. */
    void (*tell)(size_t job, int status, void *context);
    void *context;
};

void jobs_run(const struct jobs *jobs);

/* How many run at a time. */
unsigned jobs_slots(void);

/* Zeroes that jobs and we share: what a job writes there is seen by tell. */
void *jobs_share(size_t size);
void jobs_unshare(void *memory, size_t size);

#endif
