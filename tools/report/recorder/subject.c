#include "report/recorder/subject.h"

void subject_acquire(struct reciprocating_lock *lock, struct reciprocating_context *context)
{
    reciprocating_acquire(lock, context);
}

void subject_release(struct reciprocating_lock *lock, struct reciprocating_context *context)
{
    reciprocating_release(lock, context);
}
