/* SPDX-License-Identifier: MIT */
/* Mutexes of every type, on the selected lock: the layer between the functions of <pthread.h> (pthread-mutex.c) and the
 * locks (mutex-locks.h). */
#define RECIP_UNANNOTATED
#include "preload/mutex.h"

#include <errno.h>
#include <unistd.h>

#include "preload/glibc.h"
#include "preload/mutex-data.h"
#include "preload/mutex-locks.h"
#include "preload/statistics.h"
#include "preload/watch.h"
#include "src/waiter.h"

/* ---- Owners ---- */

_Thread_local uint32_t mutex_thread_number;

uint32_t mutex_kernel_numbers[MUTEX_KERNEL_NUMBERS];

uint32_t mutex_number_thread(void)
{
    static _Atomic(uint32_t) numbers;
    while (mutex_thread_number == 0)
        mutex_thread_number = atomic_fetch_add_explicit(&numbers, 1, memory_order_relaxed) + 1;
    if (preload_mode & MODE_TRACE)
        mutex_kernel_numbers[mutex_thread_number % MUTEX_KERNEL_NUMBERS] = (uint32_t)gettid();
    return mutex_thread_number;
}

void mutex_after_fork(void)
{
    if (mutex_thread_number && (preload_mode & MODE_TRACE))
        mutex_kernel_numbers[mutex_thread_number % MUTEX_KERNEL_NUMBERS] = (uint32_t)gettid();
}

struct mutex *mutex_number_owner(struct mutex *mutex)
{
    mutex_set_owner(mutex, mutex_number_thread());
    return mutex;
}

static bool owner_is_self(struct mutex *mutex)
{
    return mutex_has_owner(mutex) && mutex_owner_of(mutex) == mutex_self();
}

int mutex_check_owner(struct mutex *mutex)
{
    return mutex_has_owner(mutex) && !owner_is_self(mutex) ? EPERM : 0;
}

/* ---- Users ---- */

/* A mutex of glibc's has a field for it, which glibc's condition variables keep in the same way. */
static void count_user_of_glibc(pthread_mutex_t *mutex, int change)
{
    if (mutex->__data.__owner == gettid())
        mutex->__data.__nusers += (unsigned)change;
}

void mutex_use_begins(struct mutex *mutex)
{
    if (mutex_is_left_to_glibc(mutex))
        count_user_of_glibc((pthread_mutex_t *)mutex, 1);
    else
        mutex_count_user(mutex, true);
}

void mutex_use_ends(struct mutex *mutex)
{
    if (mutex_is_left_to_glibc(mutex))
        count_user_of_glibc((pthread_mutex_t *)mutex, -1);
    else
        mutex_count_user(mutex, false);
}

/* ---- The calls ---- */

static bool lock_is_of_zoo(void)
{
    return preload_mode & MODE_ZOO;
}

static bool keeps_statistics(void)
{
    return preload_mode & MODE_STATISTICS;
}

static bool is_watched(void)
{
    return __builtin_expect(preload_mode & MODE_WATCH, 0);
}

static bool any_trylock(struct mutex *mutex)
{
    return lock_is_of_zoo() ? zoo_trylock(mutex) : flagship_trylock(mutex);
}

/* The two halves of a lock: without waiting, and if that has failed. */

static bool lock_at_once(struct mutex *mutex)
{
    return lock_is_of_zoo() ? zoo_trylock(mutex) : recip_take_(&mutex->lock.flagship);
}

static void lock_by_waiting(struct mutex *mutex, const void *site)
{
    if (is_watched())
        watch_lock_by_waiting(mutex, site);
    else if (lock_is_of_zoo())
        zoo_lock(mutex);
    else
        mutex_lock_contended(mutex);
}

/* The caller has acquired the lock. `since`: when it began to wait, or 0. */
static void acquired(struct mutex *mutex, const void *site, int64_t since)
{
    if (lock_is_of_zoo())
        zoo_acquired(mutex);
    mutex_set_owner(mutex, mutex_self());
    if (!keeps_statistics())
        return;
    bool is_counted = statistics_count(&mutex->record);
    if (!is_counted || (since && statistics_wait_counts()))
        statistics_acquired(mutex, site, since, is_counted);
    if (is_watched())
        watch_acquired(mutex);
}

int64_t mutex_wait_begins(const void *site)
{
    return preload_mode & MODE_COUNTS ? statistics_wait_begins(site) : 0;
}

void mutex_acquired_as_flagship(struct mutex *mutex, const void *site, int64_t since)
{
    flagship_keep_for_release(mutex);
    if (is_watched())
        watch_acquiring(mutex, site, false);
    acquired(mutex, site, since);
}

/* The mutex knows, not the thread: another thread may have unlocked it since, or initialised it again. */
bool mutex_is_held(struct mutex *mutex)
{
    return mutex_owner_of(mutex) == mutex_self();
}

void mutex_admit_to_flagship(struct mutex *mutex, waiter *element)
{
    if (!mutex_is_held(mutex)) {
        recip_mutex_admit(&mutex->lock.flagship, element);
        return;
    }
    recip_mutex_admit_by_owner(&mutex->lock.flagship, element);
    flagship_keep_for_release(mutex);
}

enum { NOT_OWNER = -1 };

/* What an owner that locks again gets; NOT_OWNER for any other thread. */
static int answer_owner(struct mutex *mutex, int error)
{
    return owner_is_self(mutex) ? mutex_lock_again(mutex, error) : NOT_OWNER;
}

int mutex_lock(struct mutex *mutex, const void *site)
{
    if (mutex_is_left_to_glibc(mutex))
        return glibc()->mutex_lock((pthread_mutex_t *)mutex);
    int answer = answer_owner(mutex, EDEADLK);
    if (answer != NOT_OWNER)
        return answer;
    int64_t since = 0;
    if (is_watched())
        watch_acquiring(mutex, site, false);
    if (!lock_at_once(mutex)) {
        since = mutex_wait_begins(site);
        lock_by_waiting(mutex, site);
    }
    acquired(mutex, site, since);
    return 0;
}

int mutex_lock_until(struct mutex *mutex, clockid_t clock, const struct timespec *time, const void *site)
{
    if (mutex_is_left_to_glibc(mutex))
        return glibc()->mutex_clocklock((pthread_mutex_t *)mutex, clock, time);
    int answer = answer_owner(mutex, EDEADLK);
    if (answer != NOT_OWNER)
        return answer;
    int64_t since = 0;
    if (is_watched())
        watch_acquiring(mutex, site, false);
    if (!any_trylock(mutex)) {
        since = mutex_wait_begins(site);
        int error = lock_is_of_zoo() ? zoo_lock_until(mutex, clock, time) : flagship_lock_until(mutex, clock, time);
        if (error && is_watched())
            watch_not_acquired(mutex);
        if (error)
            return error;
    }
    acquired(mutex, site, since);
    return 0;
}

int mutex_trylock(struct mutex *mutex, const void *site)
{
    if (mutex_is_left_to_glibc(mutex))
        return glibc()->mutex_trylock((pthread_mutex_t *)mutex);
    int answer = answer_owner(mutex, EBUSY);
    if (answer != NOT_OWNER)
        return answer;
    if (is_watched())
        watch_acquiring(mutex, site, true);
    if (!any_trylock(mutex)) {
        if (is_watched())
            watch_not_acquired(mutex);
        return EBUSY;
    }
    acquired(mutex, site, 0);
    return 0;
}

static void release(struct mutex *mutex)
{
    if (lock_is_of_zoo()) {
        zoo_unlock(mutex);
        return;
    }
    mutex_set_owner(mutex, 0);
    flagship_unlock(mutex);
}

int mutex_unlock(struct mutex *mutex)
{
    if (mutex_is_left_to_glibc(mutex))
        return glibc()->mutex_unlock((pthread_mutex_t *)mutex);
    int error = mutex_check_owner(mutex);
    if (error)
        return error;
    if (mutex->depth) {
        mutex->depth--;
        return 0;
    }
    if (preload_mode && mutex_owner_of(mutex) == 0)
        return 0; /* it is not locked: nothing happens, as in glibc */
    if (mutex->record & RECORD_TIMED)
        statistics_releasing(mutex);
    uint32_t owner = mutex_owner_of(mutex);
    release(mutex);
    if (is_watched())
        watch_released(mutex, owner);
    return 0;
}

recip_mutex_t *mutex_flagship_to_release(struct mutex *mutex)
{
    return mutex_is_left_to_glibc(mutex) || lock_is_of_zoo() || mutex->depth ? NULL : &mutex->lock.flagship;
}

int mutex_init(struct mutex *mutex, int type, const void *site)
{
    /* All these locks adapt, so an adaptive mutex is a normal one, which takes the fast path. */
    *mutex = (struct mutex){.kind = type == PTHREAD_MUTEX_ADAPTIVE_NP ? PTHREAD_MUTEX_NORMAL : type};
    if (keeps_statistics())
        statistics_created(mutex, site);
    return 0;
}

int mutex_destroy(struct mutex *mutex)
{
    if (mutex_is_left_to_glibc(mutex))
        return glibc()->mutex_destroy((pthread_mutex_t *)mutex);
    bool busy = lock_is_of_zoo() ? mutex_owner_of(mutex) != 0 : flagship_is_busy(mutex);
    if (busy || mutex_has_users(mutex))
        return EBUSY;
    if (keeps_statistics())
        statistics_destroyed(mutex);
    mutex->kind = KIND_DESTROYED;
    return 0;
}
