/* SPDX-License-Identifier: MIT */
/* The system's own mutex, of the type that spins before it sleeps (glibc's; other C libraries have none, and this is
 * of the default type). No order promised. */
#ifndef RECIP_ZOO_PTHREAD_ADAPTIVE_H
#define RECIP_ZOO_PTHREAD_ADAPTIVE_H

#include "zoo/pthread.h"

struct posix_adaptive_lock {
    struct posix_lock posix;
};

struct posix_adaptive_context {
};

static inline void posix_adaptive_init(struct posix_adaptive_lock *lock)
{
    pthread_mutexattr_t attributes;
    pthread_mutexattr_init(&attributes);
#ifdef __GLIBC__
    pthread_mutexattr_settype(&attributes, PTHREAD_MUTEX_ADAPTIVE_NP);
#endif
    pthread_mutex_init(&lock->posix.mutex, &attributes);
    pthread_mutexattr_destroy(&attributes);
}

static inline void posix_adaptive_destroy(struct posix_adaptive_lock *lock)
{
    posix_destroy(&lock->posix);
}

static inline void posix_adaptive_acquire(struct posix_adaptive_lock *lock, struct posix_adaptive_context *context)
{
    (void)context;
    posix_acquire(&lock->posix, &(struct posix_context){});
}

static inline bool posix_adaptive_try_acquire(struct posix_adaptive_lock *lock, struct posix_adaptive_context *context)
{
    (void)context;
    return posix_try_acquire(&lock->posix, &(struct posix_context){});
}

static inline void posix_adaptive_release(struct posix_adaptive_lock *lock, struct posix_adaptive_context *context)
{
    (void)context;
    posix_release(&lock->posix, &(struct posix_context){});
}

MUTEX_FORM(posix_adaptive)

#endif
