/* SPDX-License-Identifier: MIT */
#include "zoo/pthread-fit.h"

const char *recip_pthread_unfit_reason(const struct recip_algorithm *lock)
{
    if (lock->traits & RECIP_NATIVE)
        return "is the system's own: 'pthread' means to leave the program as it is";
    if (lock->traits & RECIP_NEEDS_INIT)
        return "has to be initialised, and PTHREAD_MUTEX_INITIALIZER does not";
    if (lock->traits & RECIP_NEEDS_DESTROY)
        return "has to be destroyed, and many programs never destroy a mutex";
    if (lock->mutex_size > PTHREAD_LOCK_SIZE || lock->alignment > 8)
        return "is too large: a pthread_mutex_t has room for 16 bytes, aligned to 8";
    if (lock->max_threads)
        return "has a limit on threads";
    return NULL;
}
