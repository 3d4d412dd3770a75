/* SPDX-License-Identifier: MIT */
/* The mutexes and condition variables of <threads.h>: those of <pthread.h> with other results. */
#define RECIP_UNANNOTATED
#include "preload/mutex.h"

#include <errno.h>
#include <threads.h>

#define EXPORT __attribute__((visibility("default")))

static int result_of(int error)
{
    switch (error) {
    case 0:
        return thrd_success;
    case ENOMEM:
        return thrd_nomem;
    case ETIMEDOUT:
        return thrd_timedout;
    case EBUSY:
        return thrd_busy;
    default:
        return thrd_error;
    }
}

static pthread_mutex_t *pthread_of(mtx_t *mutex)
{
    return (pthread_mutex_t *)mutex;
}

static pthread_cond_t *cond_of(cnd_t *cond)
{
    return (pthread_cond_t *)cond;
}

EXPORT int mtx_init(mtx_t *mutex, int type)
{
    pthread_mutexattr_t attributes;
    pthread_mutexattr_init(&attributes);
    switch (type) {
    case mtx_plain:
    case mtx_timed:
        break;
    case mtx_plain | mtx_recursive:
    case mtx_timed | mtx_recursive:
        pthread_mutexattr_settype(&attributes, PTHREAD_MUTEX_RECURSIVE);
        break;
    default:
        return thrd_error;
    }
    int error = mutex_init_from(pthread_of(mutex), &attributes, __builtin_return_address(0));
    pthread_mutexattr_destroy(&attributes);
    return result_of(error);
}

EXPORT int mtx_lock(mtx_t *mutex)
{
    return result_of(pthread_mutex_lock(pthread_of(mutex)));
}

EXPORT int mtx_timedlock(mtx_t *restrict mutex, const struct timespec *restrict time)
{
    return result_of(pthread_mutex_timedlock(pthread_of(mutex), time));
}

EXPORT int mtx_trylock(mtx_t *mutex)
{
    return result_of(pthread_mutex_trylock(pthread_of(mutex)));
}

EXPORT int mtx_unlock(mtx_t *mutex)
{
    return result_of(pthread_mutex_unlock(pthread_of(mutex)));
}

EXPORT void mtx_destroy(mtx_t *mutex)
{
    pthread_mutex_destroy(pthread_of(mutex));
}

EXPORT int cnd_init(cnd_t *cond)
{
    return result_of(pthread_cond_init(cond_of(cond), NULL));
}

EXPORT int cnd_signal(cnd_t *cond)
{
    return result_of(pthread_cond_signal(cond_of(cond)));
}

EXPORT int cnd_broadcast(cnd_t *cond)
{
    return result_of(pthread_cond_broadcast(cond_of(cond)));
}

EXPORT int cnd_wait(cnd_t *cond, mtx_t *mutex)
{
    return result_of(pthread_cond_wait(cond_of(cond), pthread_of(mutex)));
}

EXPORT int cnd_timedwait(cnd_t *restrict cond, mtx_t *restrict mutex, const struct timespec *restrict time)
{
    return result_of(pthread_cond_timedwait(cond_of(cond), pthread_of(mutex), time));
}

EXPORT void cnd_destroy(cnd_t *cond)
{
    pthread_cond_destroy(cond_of(cond));
}
