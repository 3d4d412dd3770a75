/* SPDX-License-Identifier: MIT */
/* The flagship, recip_mutex_t, as the lock under a mutex. Its lock data is what the release has to know: the gate of a
 * sleeper to be woken, or where the owner keeps the leadership that it hands over, or 0. */
#define RECIP_UNANNOTATED
#include "preload/mutex-locks.h"

#include "preload/mutex-data.h"
#include "src/waiter.h"

static void pass_on_kept(struct mutex *mutex, struct recip_leadership_ *of_owner)
{
    recip_mutex_pass_on_kept(&mutex->lock.flagship, of_owner);
    _Atomic(uintptr_t) *sleeper = recip_wake_due_take(&mutex->lock.flagship);
    mutex_set_lock_data(mutex, (uintptr_t)sleeper);
}

/* The flagship leaves to its thread what the release has to do. Here that is kept in the mutex, so that any thread that
 * releases the mutex does it: POSIX does not allow another thread to unlock, but with glibc it works. */
void flagship_keep_for_release(struct mutex *mutex)
{
    _Atomic(uintptr_t) *sleeper = recip_wake_due_take(&mutex->lock.flagship);
    if (sleeper)
        mutex_set_lock_data(mutex, (uintptr_t)sleeper);
    else if (recip_kept_.mutex == mutex) {
        if (memory_notices_thread_end())
            mutex_set_lock_data(mutex, (uintptr_t)&recip_kept_);
        else
            pass_on_kept(mutex, &recip_kept_);
    }
}

/* It owns a mutex still. Another thread may unlock that. */
void flagship_thread_ends(void)
{
    if (recip_kept_.mutex)
        pass_on_kept((struct mutex *)recip_kept_.mutex, &recip_kept_);
}

struct mutex *mutex_lock_contended(struct mutex *mutex)
{
    recip_mutex_lock_slow_(&mutex->lock.flagship);
    flagship_keep_for_release(mutex);
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
        flagship_keep_for_release(mutex);
    return error;
}

struct mutex *mutex_unlock_contended(struct mutex *mutex)
{
    _Atomic(uintptr_t) *sleeper = NULL;
    uint32_t state = __atomic_load_n(&mutex->lock.flagship.state, __ATOMIC_RELAXED);
    if ((state & RECIP_HANDS_OVER_) && recip_kept_.mutex != mutex) {
        /* Another thread's. After a fork nobody's. */
        struct recip_leadership_ *of_owner = (struct recip_leadership_ *)mutex_lock_data(mutex);
        if (of_owner && of_owner->mutex == mutex)
            pass_on_kept(mutex, of_owner);
        state = __atomic_load_n(&mutex->lock.flagship.state, __ATOMIC_RELAXED);
    }
    if (state & RECIP_WAKE_DUE_) {
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
