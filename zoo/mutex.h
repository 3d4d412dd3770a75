/* SPDX-License-Identifier: MIT */
/* The mutex of <recip.h>, in the shape of the zoo. What it is and how it works: src/mutex.c. */
#ifndef RECIP_ZOO_MUTEX_H
#define RECIP_ZOO_MUTEX_H

#include "port/port.h"
#include "zoo/parts/mutex-form.h"

#include <recip.h>

struct flagship_lock {
    recip_mutex_t mutex;
};

struct flagship_context {
};

static inline void flagship_acquire(struct flagship_lock *lock, struct flagship_context *context)
{
    (void)context;
    recip_mutex_lock(&lock->mutex);
}

static inline bool flagship_try_acquire(struct flagship_lock *lock, struct flagship_context *context)
{
    (void)context;
    return recip_mutex_trylock(&lock->mutex) == 0;
}

static inline void flagship_release(struct flagship_lock *lock, struct flagship_context *context)
{
    (void)context;
    recip_mutex_unlock(&lock->mutex);
}

ZERO_IS_UNLOCKED(flagship)
MUTEX_FORM(flagship)

#endif
