/* SPDX-License-Identifier: MIT */
/* The lock that is recorded, behind functions so that it is compiled by itself, with instrumented accesses. */
#ifndef RECIP_REPORT_RECORDER_RECORDED_LOCK_H
#define RECIP_REPORT_RECORDER_RECORDED_LOCK_H

#include "zoo/reciprocating.h"

void recorded_acquire(struct reciprocating_lock *lock, struct reciprocating_context *context);
void recorded_release(struct reciprocating_lock *lock, struct reciprocating_context *context);

#endif
