/* SPDX-License-Identifier: MIT */
/* What became of mutants, as `recip check --mutants` reports it: a line or an object of JSON for each, and a score. */
#ifndef RECIP_CHECK_TALLY_H
#define RECIP_CHECK_TALLY_H

#include <jansson.h>

#include "check/trial.h"

/* A client, and how many mutants it was the first to notice. */
struct killer {
    char client[32];
    unsigned count;
};

struct score {
    unsigned killed, harmless, wrong;
    unsigned same_code, not_compiled; /* of those that are generated: no mutants after all */
    struct killer *killers;
    size_t killer_count;
};

struct tally {
    struct score all, lock; /* lock: of the one that is tried now */
    json_t *json;           /* null: text */
    const char *id;         /* of that lock */
};

void tally_begin(struct tally *tally, const struct recip_algorithm *lock);

/* A mutant that is not as it should be, without a trial. */
void tally_wrong(struct tally *tally, const char *text, const char *verdict);

/* A trial that has ended with that status; `harmless`: why no client can notice the mutant, or null. */
void tally_trial(struct tally *tally, const char *text, const char *harmless, struct trial *trial, int status);

/* The score of the lock. */
void tally_end(struct tally *tally);

/* The sum of all; frees what the tally has. */
void tally_finish(struct tally *tally);

#endif
