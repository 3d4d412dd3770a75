/* SPDX-License-Identifier: MIT */
/* The flagship, recip_mutex_t, as the lock under a mutex. Its lock data is the gate of a sleeper that has to be woken
 * when the mutex is released, or 0. */
#define RECIP_UNANNOTATED
#include "preload/mutex-locks.h"

#include "preload/mutex-data.h"
#include "src/waiter.h"

/* The flagship defers a wake-up until its thread releases. Here the wake-up is kept in the mutex, so that any thread
 * that releases the mutex makes it: POSIX does not allow another thread to unlock, but with glibc it works. */
void flagship_keep_wake_up(struct mutex *mutex)
{
    _Atomic(uintptr_t) *sleeper = recip_wake_due_take(&mutex->lock.flagship);
    if (sleeper)
        mutex_set_lock_data(mutex, (uintptr_t)sleeper);
}

struct mutex *mutex_lock_contended(struct mutex *mutex)
{
    recip_mutex_lock_slow_(&mutex->lock.flagship);
    flagship_keep_wake_up(mutex);
    return mutex;
}

void flagship_lock(struct mutex *mutex)
{
    if (!recip_take_(&mutex->lock.flagship))
        mutex_lock_contended(mutex);
}

bool flagship_trylock(struct mutex *mutex)
{
    return recip_mutex_trylock(&mutex->lock.flagship) == 0;
}

int flagship_lock_until(struct mutex *mutex, clockid_t clock, const struct timespec *time)
{
    int error = recip_mutex_clocklock_slow_(&mutex->lock.flagship, clock, time);
    if (!error)
        flagship_keep_wake_up(mutex);
    return error;
}

struct mutex *mutex_unlock_contended(struct mutex *mutex)
{
    _Atomic(uintptr_t) *sleeper = NULL;
    if (__atomic_load_n(&mutex->lock.flagship.state, __ATOMIC_RELAXED) & RECIP_WAKE_DUE_) {
        sleeper = (_Atomic(uintptr_t) *)mutex_lock_data(mutex);
        mutex_set_lock_data(mutex, 0);
    }
    recip_mutex_unlock_slow_(&mutex->lock.flagship);
    if (sleeper)
        port_wake(sleeper);
    return mutex;
}

void flagship_unlock(struct mutex *mutex)
{
    if (!recip_release_(&mutex->lock.flagship))
        mutex_unlock_contended(mutex);
}

bool flagship_is_busy(struct mutex *mutex)
{
    recip_mutex_t *lock = &mutex->lock.flagship;
    bool idle =
        __atomic_load_n(&lock->state, __ATOMIC_RELAXED) == 0 && __atomic_load_n(&lock->arrivals, __ATOMIC_RELAXED) == 0;
    return !idle && recip_mutex_destroy(lock) != 0;
}
