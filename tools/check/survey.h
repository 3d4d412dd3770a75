/* SPDX-License-Identifier: MIT */
/* A lock as it is, before its mutants: where its code makes atomic accesses, and which clients explore it quickly. */
#ifndef RECIP_CHECK_SURVEY_H
#define RECIP_CHECK_SURVEY_H

#include "check/runtime.h"
#include "check/trial.h"

/* What one client has run. */
struct visit {
    const struct lock_client *client;
    struct site *sites;
    size_t count;
};

struct survey {
    struct site *sites; /* of all clients */
    size_t count;
    struct visit *visits;
    size_t visit_count;
    const char *failed; /* a client that did not pass; null: all did */
};

/* Runs each client of the plan, and puts those with the fewest states first. */
struct survey survey(struct trial_plan *plan);
/* Whether the client ran an atomic access of that file, which is a path from the top of the source tree. */
bool survey_visits(const struct survey *survey, const struct lock_client *client, const char *file);

void survey_free(struct survey *survey);

#endif
