/* SPDX-License-Identifier: MIT */
/* The half of foreign.c that is compiled with the header. */
#include "foreign.h"

#include <recip.h>

#define SAME(type, member)                                                                                             \
    _Static_assert(sizeof(type) == sizeof((struct foreign){0}.member) && _Alignof(type) == _Alignof(uint64_t),         \
                   #type " is what docs/abi.md tells other languages")

SAME(recip_mutex_t, mutex);
SAME(recip_cond_t, cond);
SAME(recip_sem_t, sem);
SAME(recip_lock_t, lock);
_Static_assert(sizeof(recip_lock_context_t) == 16 && _Alignof(recip_lock_context_t) == 8, "as docs/abi.md has it");

void foreign_inline_use(struct foreign *shared)
{
    recip_lock_context_t context;
    recip_sem_t *sem = (recip_sem_t *)shared->sem;
    recip_sem_wait(sem);
    {
        RECIP_MUTEX_GUARD((recip_mutex_t *)shared->mutex);
        shared->count++;
    }
    recip_lock_acquire((recip_lock_t *)shared->lock, &context);
    shared->locked++;
    recip_lock_release((recip_lock_t *)shared->lock, &context);
    recip_sem_post(sem);
}

void foreign_inline_turn(struct foreign *shared)
{
    recip_mutex_t *mutex = (recip_mutex_t *)shared->mutex;
    recip_cond_t *cond = (recip_cond_t *)shared->cond;
    RECIP_MUTEX_GUARD(mutex);
    while (shared->turn != 1)
        recip_cond_wait(cond, mutex);
    shared->turn = 0;
    recip_cond_signal(cond);
}

const char *foreign_inline_version(void)
{
    return RECIP_VERSION_STRING;
}
