/* SPDX-License-Identifier: MIT */
#include "report/recorder/recorded-lock.h"

void recorded_acquire(struct reciprocating_lock *lock, struct reciprocating_context *context)
{
    reciprocating_acquire(lock, context);
}

void recorded_release(struct reciprocating_lock *lock, struct reciprocating_context *context)
{
    reciprocating_release(lock, context);
}
