/* SPDX-License-Identifier: MIT */
/* The system's own mutex, in its default type. No order promised. */
#ifndef RECIP_ZOO_PTHREAD_H
#define RECIP_ZOO_PTHREAD_H

#include <pthread.h>

#include "zoo/parts/mutex-form.h"

struct posix_lock {
    pthread_mutex_t mutex;
};

struct posix_context {
};

static inline void posix_init(struct posix_lock *lock)
{
    pthread_mutex_init(&lock->mutex, NULL);
}

static inline void posix_destroy(struct posix_lock *lock)
{
    pthread_mutex_destroy(&lock->mutex);
}

static inline void posix_acquire(struct posix_lock *lock, struct posix_context *context)
{
    (void)context;
    pthread_mutex_lock(&lock->mutex);
}

static inline bool posix_try_acquire(struct posix_lock *lock, struct posix_context *context)
{
    (void)context;
    return pthread_mutex_trylock(&lock->mutex) == 0;
}

static inline void posix_release(struct posix_lock *lock, struct posix_context *context)
{
    (void)context;
    pthread_mutex_unlock(&lock->mutex);
}

MUTEX_FORM(posix)

#endif
