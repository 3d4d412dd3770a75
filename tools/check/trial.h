/* SPDX-License-Identifier: MIT */
/* Clients against a lock that may be damaged, until one of them finds a fault. Runs in a process of its own (jobs.h): a
 * damaged lock may crash, or run for ever where the engine never hears of it again. */
#ifndef RECIP_CHECK_TRIAL_H
#define RECIP_CHECK_TRIAL_H

#include "check/clients.h"
#include "check/engine/explore.h"

/* What is run, in this order. */
struct trial_plan {
    const struct recip_algorithm *lock;
    const struct lock_client **clients;
    size_t count;
    struct limits limits;
    /* Seconds of CPU time without a sign of the engine, after which a client is taken to be in an endless loop. */
    unsigned patience;
};

/* The clients that mutants of a lock meet: the mutex's own, of other locks the standard ones that apply and are done in
 * a moment; none that takes longer than `longest`. The quick ones come first. */
struct trial_plan trial_plan(const struct recip_algorithm *lock, enum duration longest, const struct limits *limits);
/* Leaves one client, whatever it takes. */
void trial_plan_only(struct trial_plan *plan, const struct lock_client *client);
void trial_plan_free(struct trial_plan *plan);

enum trial_result {
    TRIAL_NOT_RUN,
    TRIAL_RUNNING, /* if the process has ended with that, it did not come to an end by itself */
    TRIAL_PASSED,
    TRIAL_FAILED,
    TRIAL_INCOMPLETE,
};

/* Memory that is shared with the process that waits for the result. */
struct trial {
    enum trial_result result;
    enum failure_kind failure;
    char client[32]; /* the last that was run: the one that found the fault */
    uint64_t states; /* that were explored, all in all */
};

void trial_run(const struct trial_plan *plan, struct trial *trial);

/* After the process has ended with that status: what it found, in words, as "data race", "crash" or "endless loop".
 * Changes TRIAL_RUNNING to TRIAL_FAILED. */
const char *trial_end(struct trial *trial, int status);

#endif
