/* Clients against a lock that may be damaged, until one of them finds a fault. Runs in a process of its own (jobs.h): a
 * damaged lock may crash, or run for ever where the engine never hears of it again. */
#ifndef RECIP_CHECK_TRIAL_H
#define RECIP_CHECK_TRIAL_H

#include "check/clients.h"
#include "check/engine/explore.h"

/* What is run: of each set the clients that take no longer than that, the quick ones of all sets first. */
struct trial_plan {
    const struct recip_algorithm *lock;
    const struct client_set *const *sets; /* ends with null */
    struct limits limits;
    enum pace longest;
};

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
};

void trial_run(const struct trial_plan *plan, struct trial *trial);

/* The sets of a lock as it is: its own if it has some, otherwise the standard clients. At most so many, with the null.
 */
enum { TRIAL_SETS_MAX = 16 };
void trial_sets(const struct recip_algorithm *lock, const struct client_set *sets[TRIAL_SETS_MAX]);

/* After the process has ended with that status: what it found, in words, as "data race", "crash" or "endless loop".
 * Changes TRIAL_RUNNING to TRIAL_FAILED. */
const char *trial_end(struct trial *trial, int status);

#endif
