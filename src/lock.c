/* SPDX-License-Identifier: MIT */
/* recip_lock_t: Listing 1 of the paper behind the public names. */
#define RECIP_UNANNOTATED
#define RECIP_WAITING RECIP_PARK
#include "zoo/reciprocating.h"

#include <recip.h>

_Static_assert(sizeof(recip_lock_t) == sizeof(struct reciprocating_lock), "the same lock");
_Static_assert(sizeof(recip_lock_context_t) == sizeof(struct reciprocating_context), "the same context");

void recip_lock_acquire_(recip_lock_t *lock, recip_lock_context_t *context)
{
    struct reciprocating_context own;
    reciprocating_acquire((struct reciprocating_lock *)lock, &own);
    *context = (recip_lock_context_t){own.successor, own.eos};
}

int recip_lock_try_acquire_(recip_lock_t *lock, recip_lock_context_t *context)
{
    struct reciprocating_context own;
    bool acquired = reciprocating_try_acquire((struct reciprocating_lock *)lock, &own);
    *context = (recip_lock_context_t){own.successor, own.eos};
    return acquired ? 0 : EBUSY;
}

void recip_lock_release_(recip_lock_t *lock, recip_lock_context_t *context)
{
    struct reciprocating_context own = {context->successor, context->end_of_segment};
    reciprocating_release((struct reciprocating_lock *)lock, &own);
}
