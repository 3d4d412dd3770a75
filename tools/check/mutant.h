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

/* Compiles each unit as it is, so that mutant_try can tell what a change makes no difference to. Of the mutex
 * those units that depend on one of these files. */
void mutants_note_originals(const struct recip_algorithm *lock, char *const *files, size_t count);

enum mutant_end { MUTANT_TRIED, MUTANT_DOES_NOT_COMPILE, MUTANT_SAME_CODE };

/* How a mutant is tried: what a person wrote may warn; of what is generated one type does not stand for another, and
 * the same code is not explored. */
enum mutant_kind { MUTANT_WRITTEN, MUTANT_GENERATED };

/* Compiles what depends on the changed file, and runs the plan on the result; with the mutex,
 * the plan's clients as they were compiled with it. If it does not compile, what the compiler says goes to the
 * descriptor `output`. */
enum mutant_end mutant_try(unsigned slot, const char *file, enum mutant_kind kind, const struct trial_plan *plan,
                           struct trial *trial, int output);

#endif
