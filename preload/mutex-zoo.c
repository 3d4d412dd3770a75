/* SPDX-License-Identifier: MIT */
/* A lock of the zoo as the lock under a mutex. Its lock data is the number of forks (port_epoch) before it was locked.
 */
#define RECIP_UNANNOTATED
#include "preload/mutex-locks.h"

#include <errno.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "port/futex.h"
#include "preload/mutex-data.h"

/* In a child of fork, and locked by its parent: the queue may hold threads that do not exist here. So nobody joins it,
 * and the release clears the lock. */
static bool is_inherited(struct mutex *mutex)
{
    return mutex_owner_of(mutex) && mutex_lock_data(mutex) != port_epoch();
}

/* Nanoseconds. With a longest nap of a millisecond, a thousand waiters that try that often leave no time for the owner.
 */
enum { SHORTEST_NAP = 50000, LONGEST_NAP = 32 * 1000000 };

static struct timespec later(struct timespec time, long nanoseconds)
{
    time.tv_nsec += nanoseconds;
    if (time.tv_nsec >= 1000000000) {
        time.tv_nsec -= 1000000000;
        time.tv_sec++;
    }
    return time;
}

static bool is_before(const struct timespec *a, const struct timespec *b)
{
    return a->tv_sec < b->tv_sec || (a->tv_sec == b->tv_sec && a->tv_nsec < b->tv_nsec);
}

/* A sleep that is no cancellation point, up to `end` at most; false if `end` has passed. */
static bool nap(clockid_t clock, const struct timespec *end, long nanoseconds)
{
    static const uint32_t nobody_wakes;
    struct timespec now = {0};
    /* By syscall: another library may have interposed clock_gettime with a clock that the kernel does not know. */
    syscall(SYS_clock_gettime, clock, &now);
    if (end && !is_before(&now, end))
        return false;
    struct timespec until = later(now, nanoseconds);
    if (end && is_before(end, &until))
        until = *end;
    futex_call(&nobody_wakes, FUTEX_WAITS_UNTIL_PRIVATE | (clock == CLOCK_REALTIME ? FUTEX_BY_REALTIME : 0), 0, &until);
    return true;
}

static long next_nap(long nanoseconds)
{
    return nanoseconds < LONGEST_NAP / 2 ? nanoseconds * 2 : LONGEST_NAP;
}

bool zoo_trylock(struct mutex *mutex)
{
    return preload_zoo->mutex_trylock(mutex->lock.zoo);
}

/* An owner that locks again waits for another thread to unlock, which POSIX forbids and glibc's own tests do. It does
 * not join the queue: a lock that knows its owner by its element would have that element in two places. */
void zoo_lock(struct mutex *mutex)
{
    if (mutex_owner_of(mutex) == mutex_self()) {
        for (long pause = SHORTEST_NAP; !zoo_trylock(mutex); pause = next_nap(pause))
            nap(CLOCK_MONOTONIC, NULL, pause);
        return;
    }
    while (is_inherited(mutex))
        nap(CLOCK_MONOTONIC, NULL, SHORTEST_NAP);
    preload_zoo->mutex_lock(mutex->lock.zoo);
}

/* These locks cannot give up waiting, so a timed wait does not join the queue: it tries now and then. */
int zoo_lock_until(struct mutex *mutex, clockid_t clock, const struct timespec *end)
{
    long pause = SHORTEST_NAP;
    while (!zoo_trylock(mutex)) {
        if (end->tv_nsec < 0 || end->tv_nsec > 999999999)
            return EINVAL;
        if (!nap(clock, end, pause))
            return ETIMEDOUT;
        pause = next_nap(pause);
    }
    return 0;
}

void zoo_acquired(struct mutex *mutex)
{
    mutex_set_lock_data(mutex, port_epoch());
}

void zoo_unlock(struct mutex *mutex)
{
    bool inherited = is_inherited(mutex);
    mutex_set_owner(mutex, 0);
    if (inherited)
        memset(mutex->lock.zoo, 0, sizeof mutex->lock.zoo);
    else
        preload_zoo->mutex_unlock(mutex->lock.zoo);
}
