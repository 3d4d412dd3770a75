/* SPDX-License-Identifier: MIT */
/* The condition variable functions of <pthread.h>, exported under their own names. */
#define RECIP_UNANNOTATED
#include "preload/cond.h"

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include "preload/glibc.h"
#include "src/probes.h"
#include "preload/select-lock.h"

#define EXPORT __attribute__((visibility("default")))
#define SITE __builtin_return_address(0)

static bool is_left_to_glibc(struct cond *cond)
{
    return (cond->flags & COND_SHARED) || (preload_mode_decided() & MODE_GLIBC);
}

static int wait_on_clock(pthread_cond_t *cond, pthread_mutex_t *mutex, clockid_t clock, const struct timespec *time,
                         const void *site)
{
    if (time->tv_nsec < 0 || time->tv_nsec > 999999999)
        return EINVAL;
    struct deadline deadline = {clock, *time};
    /* The kernel refuses times before the clock's zero; they have passed. */
    if (time->tv_sec < 0)
        deadline.time = (struct timespec){0, 0};
    return cond_wait(cond_of(cond), (struct mutex *)mutex, &deadline, site);
}

EXPORT int pthread_cond_wait(pthread_cond_t *cond, pthread_mutex_t *mutex)
{
    PROBE2(cond_wait, cond, mutex);
    if (is_left_to_glibc(cond_of(cond)))
        return cond_glibc_wait(cond, mutex, COND_NO_CLOCK, NULL);
    return cond_wait(cond_of(cond), (struct mutex *)mutex, NULL, SITE);
}

EXPORT int pthread_cond_timedwait(pthread_cond_t *cond, pthread_mutex_t *mutex, const struct timespec *time)
{
    PROBE2(cond_wait, cond, mutex);
    if (is_left_to_glibc(cond_of(cond)))
        return cond_glibc_wait(cond, mutex, COND_NO_CLOCK, time);
    clockid_t clock = cond_of(cond)->flags & COND_MONOTONIC ? CLOCK_MONOTONIC : CLOCK_REALTIME;
    return wait_on_clock(cond, mutex, clock, time, SITE);
}

EXPORT int pthread_cond_clockwait(pthread_cond_t *cond, pthread_mutex_t *mutex, clockid_t clock,
                                  const struct timespec *time)
{
    PROBE2(cond_wait, cond, mutex);
    if (clock != CLOCK_REALTIME && clock != CLOCK_MONOTONIC)
        return EINVAL;
    if (is_left_to_glibc(cond_of(cond)))
        return cond_glibc_wait(cond, mutex, clock, time);
    return wait_on_clock(cond, mutex, clock, time, SITE);
}

EXPORT int pthread_cond_signal(pthread_cond_t *cond)
{
    PROBE1(cond_signal, cond);
    if (is_left_to_glibc(cond_of(cond)))
        return cond_glibc_signal(cond, glibc()->cond_signal);
    if (!cond_is_idle(cond_of(cond)))
        cond_signal(cond_of(cond));
    return 0;
}

EXPORT int pthread_cond_broadcast(pthread_cond_t *cond)
{
    PROBE1(cond_broadcast, cond);
    if (is_left_to_glibc(cond_of(cond)))
        return cond_glibc_signal(cond, glibc()->cond_broadcast);
    if (!cond_is_idle(cond_of(cond)))
        cond_broadcast(cond_of(cond));
    return 0;
}

/* The field in which glibc notes that a condition variable is process-shared has another place from glibc 2.41 on. A
 * library that was built beside another glibc would not see it, and wake nobody in other processes. */
static void refuse_other_glibc(const struct cond *cond)
{
    static const char line[] =
        "recip: librecip-preload.so was built for another version of glibc, whose condition variables "
        "differ; build it on this system\n";
    if (cond->flags & COND_SHARED)
        return;
    if (write(STDERR_FILENO, line, sizeof line - 1) < 0)
        abort();
    abort();
}

EXPORT int pthread_cond_init(pthread_cond_t *cond, const pthread_condattr_t *attributes)
{
    int shared = PTHREAD_PROCESS_PRIVATE;
    clockid_t clock = CLOCK_REALTIME;
    PROBE2(cond_init, cond, attributes);
    if (attributes) {
        pthread_condattr_getpshared(attributes, &shared);
        pthread_condattr_getclock(attributes, &clock);
    }
    if (preload_mode_decided() & MODE_GLIBC)
        return glibc()->cond_init(cond, attributes);
    if (shared != PTHREAD_PROCESS_PRIVATE) {
        int error = glibc()->cond_init(cond, attributes);
        if (!error)
            refuse_other_glibc(cond_of(cond));
        return error;
    }
    *cond_of(cond) = (struct cond){.flags = clock == CLOCK_MONOTONIC ? COND_MONOTONIC : 0};
    return 0;
}

EXPORT int pthread_cond_destroy(pthread_cond_t *cond)
{
    PROBE1(cond_destroy, cond);
    if (is_left_to_glibc(cond_of(cond)))
        return glibc()->cond_destroy(cond);
    return cond_destroy(cond_of(cond));
}

/* ---- For pthread-cond-versions.c ---- */

#define OWN(name) extern __typeof(name) own_##name __attribute__((alias(#name), visibility("hidden"), nothrow, leaf));

OWN(pthread_cond_init)
OWN(pthread_cond_destroy)
OWN(pthread_cond_wait)
OWN(pthread_cond_timedwait)
OWN(pthread_cond_clockwait)
OWN(pthread_cond_signal)
OWN(pthread_cond_broadcast)
