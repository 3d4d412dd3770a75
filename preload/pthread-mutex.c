/* SPDX-License-Identifier: MIT */
/* The mutex functions of <pthread.h>, exported under their own names. The fast path, for a mutex on the flagship that
 * needs nothing special, is here and inline; everything else is in mutex.c. */
#define RECIP_UNANNOTATED
#include "preload/mutex.h"

#include <errno.h>

#include "preload/glibc.h"
#include "preload/mutex-observed.h"
#include "src/probes.h"

#define EXPORT __attribute__((visibility("default")))
/* glibc exports these under a second name, which old programs use. */
#define SECOND_NAME(name, second) EXPORT extern __typeof(name) second __attribute__((alias(#name), nothrow, leaf));

#define SITE __builtin_return_address(0)
#define FAST static inline __attribute__((always_inline))
#define NOT_INLINE __attribute__((noinline))

/* ---- The fast path: the flagship, without statistics ---- */

FAST struct mutex *note_owner(struct mutex *own)
{
    uint32_t self = mutex_thread_number;
    if (__builtin_expect(self == 0, 0))
        return mutex_number_owner(own);
    mutex_set_owner(own, self);
    return own;
}

FAST void fast_lock(struct mutex *own)
{
    if (__builtin_expect(!recip_take_(&own->lock.flagship), 0))
        own = mutex_lock_contended(own);
    own = note_owner(own);
    PROBE1(mutex_acquired, own);
}

/* If the state says LOCKED, the mutex is busy whatever else it says. */
FAST bool fast_trylock(struct mutex *own)
{
    recip_mutex_t *lock = &own->lock.flagship;
    if (!recip_take_if_free_(lock) &&
        ((__atomic_load_n(&lock->state, __ATOMIC_RELAXED) & RECIP_LOCKED_) || recip_mutex_trylock_slow_(lock) != 0))
        return false;
    note_owner(own);
    return true;
}

FAST void fast_unlock(struct mutex *own)
{
    mutex_set_owner(own, 0);
    if (__builtin_expect(!recip_release_(&own->lock.flagship), 0))
        own = mutex_unlock_contended(own);
    PROBE1(mutex_release, own);
}

/* The same for the types that have an owner, and for adaptive mutexes. */

FAST bool is_mine(struct mutex *own, uint32_t self)
{
    return mutex_owner_of(own) == self && mutex_has_owner(own);
}

FAST int fast_lock_typed(struct mutex *own)
{
    uint32_t self = mutex_self();
    if (is_mine(own, self))
        return mutex_lock_again(own, EDEADLK);
    fast_lock(own);
    return 0;
}

FAST int fast_trylock_typed(struct mutex *own)
{
    uint32_t self = mutex_self();
    if (is_mine(own, self))
        return mutex_lock_again(own, EBUSY);
    if (!fast_trylock(own))
        return EBUSY;
    return 0;
}

FAST int fast_unlock_typed(struct mutex *own)
{
    if (mutex_owner_of(own) != mutex_self() && mutex_has_owner(own))
        return EPERM;
    if (own->depth) {
        own->depth--;
        return 0;
    }
    fast_unlock(own);
    return 0;
}

/* ---- The exported functions ---- */

/* Not inlined, so that the fast path saves no register; nor does the one with statistics. */

NOT_INLINE static int lock_general(struct mutex *own, const void *site)
{
    if (mutex_is_typed(own))
        return fast_lock_typed(own);
    int error = mutex_lock(own, site);
    if (!error && !mutex_is_nested(own))
        PROBE1(mutex_acquired, own);
    return error;
}

NOT_INLINE static int lock_noted(struct mutex *own, unsigned mode, const void *site)
{
    mutex_note_observed(own, mode, site);
    PROBE1(mutex_acquired, own);
    return 0;
}

NOT_INLINE static int lock_other(struct mutex *own, const void *site)
{
    unsigned mode = mutex_observed_mode(own);
    if (!mode || !mutex_take_observed(own))
        return lock_general(own, site);
    if (!mutex_is_counted(own, mode))
        return lock_noted(own, mode, site);
    PROBE1(mutex_acquired, own);
    return 0;
}

EXPORT int pthread_mutex_lock(pthread_mutex_t *mutex)
{
    struct mutex *own = mutex_of(mutex);
    PROBE1(mutex_entry, mutex);
    if (!mutex_is_plain(own))
        return lock_other(own, SITE);
    fast_lock(own);
    return 0;
}

EXPORT int pthread_mutex_trylock(pthread_mutex_t *mutex)
{
    struct mutex *own = mutex_of(mutex);
    if (mutex_is_plain(own))
        return fast_trylock(own) ? 0 : EBUSY;
    return mutex_is_typed(own) ? fast_trylock_typed(own) : mutex_trylock(own, SITE);
}

NOT_INLINE static int unlock_general(struct mutex *own)
{
    if (mutex_is_typed(own))
        return fast_unlock_typed(own);
    bool nested = mutex_is_nested(own);
    int error = mutex_unlock(own);
    if (!error && !nested)
        PROBE1(mutex_release, own);
    return error;
}

NOT_INLINE static int unlock_looked_at(struct mutex *own, unsigned mode)
{
    own = mutex_release_looked_at(own, mode);
    PROBE1(mutex_release, own);
    return 0;
}

/* One that is not locked stays as it is, as in glibc. */
NOT_INLINE static int unlock_other(struct mutex *own)
{
    unsigned mode = mutex_observed_mode(own);
    if (!mode || mutex_owner_of(own) == 0)
        return unlock_general(own);
    if (mutex_is_looked_at(own, mode))
        return unlock_looked_at(own, mode);
    own = mutex_release_observed(own);
    PROBE1(mutex_release, own);
    return 0;
}

EXPORT int pthread_mutex_unlock(pthread_mutex_t *mutex)
{
    struct mutex *own = mutex_of(mutex);
    if (!mutex_is_plain(own))
        return unlock_other(own);
    fast_unlock(own);
    return 0;
}

/* The time is checked only if the mutex is not free. */
FAST int lock_until(struct mutex *own, clockid_t clock, const struct timespec *time, const void *site)
{
    int error = mutex_is_plain(own) && fast_trylock(own) ? 0 : mutex_lock_until(own, clock, time, site);
    if (!error && !mutex_is_nested(own))
        PROBE1(mutex_timedlock_acquired, own);
    return error;
}

EXPORT int pthread_mutex_clocklock(pthread_mutex_t *mutex, clockid_t clock, const struct timespec *time)
{
    struct mutex *own = mutex_of(mutex);
    PROBE3(mutex_clocklock_entry, mutex, clock, time);
    if (clock != CLOCK_REALTIME && clock != CLOCK_MONOTONIC)
        return EINVAL;
    return lock_until(own, clock, time, SITE);
}

EXPORT int pthread_mutex_timedlock(pthread_mutex_t *mutex, const struct timespec *time)
{
    struct mutex *own = mutex_of(mutex);
    PROBE2(mutex_timedlock_entry, mutex, time);
    return lock_until(own, CLOCK_REALTIME, time, SITE);
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

static int init(pthread_mutex_t *mutex, const pthread_mutexattr_t *attributes, const void *site)
{
    int type = PTHREAD_MUTEX_DEFAULT;
    if (!attributes && preload_mode == 0) {
        *mutex_of(mutex) = (struct mutex){0};
        return 0;
    }
    if ((preload_mode_decided() & MODE_GLIBC) || (attributes && asks_for_glibc(attributes)))
        return glibc()->mutex_init(mutex, attributes);
    if (attributes)
        pthread_mutexattr_gettype(attributes, &type);
    return mutex_init(mutex_of(mutex), type & KIND_TYPE, site);
}

int mutex_init_from(pthread_mutex_t *mutex, const pthread_mutexattr_t *attributes, const void *site)
{
    int error = init(mutex, attributes, site);
    if (!error)
        PROBE1(mutex_init, mutex);
    return error;
}

EXPORT int pthread_mutex_init(pthread_mutex_t *mutex, const pthread_mutexattr_t *attributes)
{
    return mutex_init_from(mutex, attributes, SITE);
}

EXPORT int pthread_mutex_destroy(pthread_mutex_t *mutex)
{
    PROBE1(mutex_destroy, mutex);
    return mutex_destroy(mutex_of(mutex));
}

/* pthread_mutex_consistent, getprioceiling and setprioceiling stay glibc's: they read the kind, which says that they do
 * not apply to a mutex of ours, and return EINVAL. */

SECOND_NAME(pthread_mutex_lock, __pthread_mutex_lock)
SECOND_NAME(pthread_mutex_trylock, __pthread_mutex_trylock)
SECOND_NAME(pthread_mutex_unlock, __pthread_mutex_unlock)
SECOND_NAME(pthread_mutex_init, __pthread_mutex_init)
SECOND_NAME(pthread_mutex_destroy, __pthread_mutex_destroy)
