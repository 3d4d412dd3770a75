/* The mutex functions of <pthread.h> under their own names. The short way of a mutex that needs nothing special on the
 * flagship is here, in line; everything else is in mutex.c. */
#define RECIP_UNANNOTATED
#include "preload/mutex.h"

#include <errno.h>

#include "preload/glibc.h"
#include "preload/probes.h"

#define EXPORT __attribute__((visibility("default")))
/* glibc exports these under a second name, which old programs use. */
#define SECOND_NAME(name, second) EXPORT extern __typeof(name) second __attribute__((alias(#name), nothrow, leaf));

#define SITE __builtin_return_address(0)

EXPORT int pthread_mutex_lock(pthread_mutex_t *mutex)
{
    struct mutex *own = mutex_of(mutex);
    PROBE1(mutex_entry, mutex);
    if (mutex_is_plain(own)) {
        if (__builtin_expect(!recip_take_(&own->lock.flagship), 0))
            mutex_lock_contended(own);
        mutex_held = own;
        PROBE1(mutex_acquired, mutex);
        return 0;
    }
    int error = mutex_lock(own, SITE);
    if (!error)
        PROBE1(mutex_acquired, mutex);
    return error;
}

EXPORT int pthread_mutex_trylock(pthread_mutex_t *mutex)
{
    struct mutex *own = mutex_of(mutex);
    if (mutex_is_plain(own) && recip_take_(&own->lock.flagship)) {
        mutex_held = own;
        return 0;
    }
    return mutex_trylock(own, SITE);
}

EXPORT int pthread_mutex_unlock(pthread_mutex_t *mutex)
{
    struct mutex *own = mutex_of(mutex);
    PROBE1(mutex_release, mutex);
    mutex_held = NULL;
    if (mutex_is_plain(own)) {
        if (__builtin_expect(!recip_release_(&own->lock.flagship.state, RECIP_LOCKED_, 0), 0))
            mutex_unlock_contended(own);
        return 0;
    }
    return mutex_unlock(own);
}

EXPORT int pthread_mutex_clocklock(pthread_mutex_t *mutex, clockid_t clock, const struct timespec *time)
{
    struct mutex *own = mutex_of(mutex);
    PROBE3(mutex_clocklock_entry, mutex, clock, time);
    if (mutex_is_handed_through(own))
        return glibc()->mutex_clocklock(mutex, clock, time);
    if (clock != CLOCK_REALTIME && clock != CLOCK_MONOTONIC)
        return EINVAL;
    int error = mutex_lock_until(own, clock, time, SITE);
    if (!error)
        PROBE1(mutex_timedlock_acquired, mutex);
    return error;
}

EXPORT int pthread_mutex_timedlock(pthread_mutex_t *mutex, const struct timespec *time)
{
    struct mutex *own = mutex_of(mutex);
    PROBE2(mutex_timedlock_entry, mutex, time);
    if (mutex_is_handed_through(own))
        return glibc()->mutex_timedlock(mutex, time);
    int error = mutex_lock_until(own, CLOCK_REALTIME, time, SITE);
    if (!error)
        PROBE1(mutex_timedlock_acquired, mutex);
    return error;
}

/* The attributes that make a mutex glibc's own. */
static bool asks_for_glibc(const pthread_mutexattr_t *attributes)
{
    int robust, protocol, shared;
    pthread_mutexattr_getrobust(attributes, &robust);
    pthread_mutexattr_getprotocol(attributes, &protocol);
    pthread_mutexattr_getpshared(attributes, &shared);
    return robust != PTHREAD_MUTEX_STALLED || protocol != PTHREAD_PRIO_NONE || shared != PTHREAD_PROCESS_PRIVATE;
}

EXPORT int pthread_mutex_init(pthread_mutex_t *mutex, const pthread_mutexattr_t *attributes)
{
    int type = PTHREAD_MUTEX_DEFAULT;
    PROBE1(mutex_init, mutex);
    if ((preload_decided() & DETOUR_GLIBC) || (attributes && asks_for_glibc(attributes)))
        return glibc()->mutex_init(mutex, attributes);
    if (attributes)
        pthread_mutexattr_gettype(attributes, &type);
    return mutex_init(mutex_of(mutex), type & KIND_TYPE, SITE);
}

EXPORT int pthread_mutex_destroy(pthread_mutex_t *mutex)
{
    PROBE1(mutex_destroy, mutex);
    return mutex_destroy(mutex_of(mutex));
}

/* pthread_mutex_consistent, getprioceiling and setprioceiling stay glibc's: they look at the kind, which says that they
 * do not apply to a mutex of ours, and EINVAL is the answer. */

SECOND_NAME(pthread_mutex_lock, __pthread_mutex_lock)
SECOND_NAME(pthread_mutex_trylock, __pthread_mutex_trylock)
SECOND_NAME(pthread_mutex_unlock, __pthread_mutex_unlock)
SECOND_NAME(pthread_mutex_init, __pthread_mutex_init)
SECOND_NAME(pthread_mutex_destroy, __pthread_mutex_destroy)
