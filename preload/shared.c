/* Condition variables that are handed through. With a mutex that is handed through too there is nothing to do.
 *
 * A process-shared condition variable with a private mutex, which is ours, needs a bridge: glibc's wait must not touch
 * our mutex, so it waits with one of glibc's instead, which the signals of this process take as well: between the
 * moment when our mutex is released and the moment when the waiter is known to glibc no signal can fall.
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

/* Whoever of the parent's threads held one, or waited, is not here. */
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

int shared_wait(pthread_cond_t *cond, pthread_mutex_t *mutex, clockid_t clock, const struct timespec *time)
{
    struct mutex *own = mutex_of(mutex);
    if (mutex_is_handed_through(own))
        return wait_by_glibc(cond, mutex, clock, time);
    struct crossing crossing = {bridge_of(cond), own};
    glibc()->mutex_lock(crossing.bridge);
    int error = mutex_unlock(own);
    if (error) {
        glibc()->mutex_unlock(crossing.bridge);
        return error;
    }
    /* cross_back runs in any case, cancelled or not. */
    pthread_cleanup_push(cross_back, &crossing);
    error = wait_by_glibc(cond, crossing.bridge, clock, time);
    pthread_cleanup_pop(1);
    return error;
}

int shared_signal(pthread_cond_t *cond, int (*call)(pthread_cond_t *))
{
    if (preload_mode & MODE_GLIBC)
        return call(cond);
    pthread_mutex_t *bridge = bridge_of(cond);
    glibc()->mutex_lock(bridge);
    int error = call(cond);
    glibc()->mutex_unlock(bridge);
    return error;
}
