/* SPDX-License-Identifier: MIT */
/* A lock as it is, before its mutants: where its code makes atomic accesses, and which clients explore it quickly. */
#ifndef RECIP_CHECK_SURVEY_H
#define RECIP_CHECK_SURVEY_H

#include "check/runtime.h"
#include "check/trial.h"

struct survey {
    struct site *sites;
    size_t count;
    const char *failed; /* a client that did not pass; null: all did */
};

/* Runs each client of the plan, and puts those with the fewest states first. */
struct survey survey(struct trial_plan *plan);
void survey_free(struct survey *survey);

#endif
