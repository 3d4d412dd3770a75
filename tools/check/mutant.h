/* SPDX-License-Identifier: MIT */
/* A lock of which one source file is changed: compiled, loaded and explored.
 *
 *     mutants_begin()                          once
 *     mutants_may_change("zoo/clh.h")          for each file that will be
 *
 * and then, for each mutant, in a job (jobs.h):
 *
 *     FILE *copy = fopen(mutant_copy(slot, "zoo/clh.h"), "w");
 *     ...
 *     mutant_try(slot, "zoo/clh.h", &plan, &trial, output)
 *
 * A lock's translation unit is compiled and linked to a shared object, which is loaded into the job's process and finds
 * the engine and the clients there. Of the mutex, whose fast paths are inline, the clients are in that object too; what
 * the change does not touch is taken from librecip-check-mutex.a, as the build made it. */
#ifndef RECIP_CHECK_MUTANT_H
#define RECIP_CHECK_MUTANT_H

#include <stdbool.h>

#include "check/trial.h"

/* Makes temporary folders. False after it has said why that cannot be done. */
bool mutants_begin(void);

/* A file that a mutant may change, as its path from the top of the source tree. */
void mutants_may_change(const char *file);

/* Where a job writes the changed copy of the file. Copies of other files, of mutants before, are removed. */
const char *mutant_copy(unsigned slot, const char *file);

/* Compiles what depends on the changed file, and runs the plan on the result; with the mutex,
 * the plan's clients as they were compiled with it. False if it does not compile; what the compiler says goes to the
 * descriptor `output`. */
bool mutant_try(unsigned slot, const char *file, const struct trial_plan *plan, struct trial *trial, int output);

#endif
