/* SPDX-License-Identifier: MIT */
/* How a result is told. */
#ifndef RECIP_CHECK_VERDICT_H
#define RECIP_CHECK_VERDICT_H

#include "check/engine/explore.h"

/* "ok", "FAILED" or "not complete". */
const char *verdict_word(const struct result *result);

/* "data race", "two owners", ... */
const char *verdict_kind(enum failure_kind kind);

/* One line of the table. */
void verdict_print(const char *name, const struct result *result);

/* What went wrong, where, and the trace of it; or why it is not complete. Nothing after a success. */
void verdict_explain(const struct result *result);

/* For struct limits: a line that changes, on a terminal only; verdict_print clears it. */
void verdict_progress(const struct result *so_far);

#endif
