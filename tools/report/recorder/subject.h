/* The lock that is recorded, behind functions so that it is compiled by itself, with instrumented accesses. */
#ifndef RECIP_REPORT_RECORDER_SUBJECT_H
#define RECIP_REPORT_RECORDER_SUBJECT_H

#include "zoo/reciprocating.h"

void subject_acquire(struct reciprocating_lock *lock, struct reciprocating_context *context);
void subject_release(struct reciprocating_lock *lock, struct reciprocating_context *context);

#endif
