/* SPDX-License-Identifier: MIT */
/* Condition variables that are left to glibc. If the mutex is left to glibc too, glibc does it all.
 *
 * A process-shared condition variable with a private mutex, which is ours, needs a bridge. glibc's wait must not touch
 * our mutex, so it waits with a mutex of glibc's instead, the bridge. Signals of this process take the bridge as well,
 * so no signal is lost between the release of our mutex and the moment when glibc knows the waiter.
 */
#define RECIP_UNANNOTATED
#include "preload/cond.h"

#include "preload/glibc.h"
#include "preload/mutex.h"

enum { BRIDGES = 64 };

static pthread_mutex_t bridges[BRIDGES];

static pthread_mutex_t *bridge_of(pthread_cond_t *cond)
{
    return &bridges[((uintptr_t)cond >> 4) % BRIDGES];
}

/* The threads of the parent that held a bridge, or waited for one, do not exist in the child. */
static void after_fork_in_child(void)
{
    for (int i = 0; i < BRIDGES; i++)
        bridges[i] = (pthread_mutex_t)PTHREAD_MUTEX_INITIALIZER;
}

__attribute__((constructor)) static void begin(void)
{
    pthread_atfork(NULL, NULL, after_fork_in_child);
}

static int wait_by_glibc(pthread_cond_t *cond, pthread_mutex_t *mutex, clockid_t clock, const struct timespec *time)
{
    if (!time)
        return glibc()->cond_wait(cond, mutex);
    if (clock == COND_NO_CLOCK)
        return glibc()->cond_timedwait(cond, mutex, time);
    return glibc()->cond_clockwait(cond, mutex, clock, time);
}

struct crossing {
    pthread_mutex_t *bridge;
    struct mutex *mutex;
};

static void cross_back(void *of)
{
    struct crossing *crossing = of;
    glibc()->mutex_unlock(crossing->bridge);
    mutex_lock(crossing->mutex, NULL);
}

int cond_glibc_wait(pthread_cond_t *cond, pthread_mutex_t *mutex, clockid_t clock, const struct timespec *time)
{
    struct mutex *own = mutex_of(mutex);
    if (mutex_is_left_to_glibc(own))
        return wait_by_glibc(cond, mutex, clock, time);
    struct crossing crossing = {bridge_of(cond), own};
    glibc()->mutex_lock(crossing.bridge);
    int error = mutex_unlock(own);
    if (error) {
        glibc()->mutex_unlock(crossing.bridge);
        return error;
    }
    /* cross_back runs in either case, cancelled or not. */
    pthread_cleanup_push(cross_back, &crossing);
    error = wait_by_glibc(cond, crossing.bridge, clock, time);
    pthread_cleanup_pop(1);
    return error;
}

int cond_glibc_signal(pthread_cond_t *cond, int (*call)(pthread_cond_t *))
{
    if (preload_mode & MODE_GLIBC)
        return call(cond);
    pthread_mutex_t *bridge = bridge_of(cond);
    glibc()->mutex_lock(bridge);
    int error = call(cond);
    glibc()->mutex_unlock(bridge);
    return error;
}
