/* SPDX-License-Identifier: MIT */
/* The error numbers of every call, and which comes first when several apply: as glibc has them, where POSIX leaves the
 * choice. */
#include "common.h"

#include <sched.h>

#define SECOND 1000000000L

static const struct timespec past = {1, 0}, before_zero = {-1, 0}, none[] = {{1L << 40, SECOND}, {1L << 40, -1}};

static void *call_timedlock(void *mutex)
{
    CHECK_IS(pthread_mutex_timedlock(mutex, &past), ETIMEDOUT);
    CHECK_IS(pthread_mutex_timedlock(mutex, &before_zero), ETIMEDOUT);
    CHECK_IS(pthread_mutex_clocklock(mutex, CLOCK_MONOTONIC, &past), ETIMEDOUT);
    CHECK_IS(pthread_mutex_clocklock(mutex, CLOCK_MONOTONIC, &before_zero), ETIMEDOUT);
    for (int i = 0; i < 2; i++) {
        CHECK_IS(pthread_mutex_timedlock(mutex, &none[i]), EINVAL);
        CHECK_IS(pthread_mutex_clocklock(mutex, CLOCK_REALTIME, &none[i]), EINVAL);
        CHECK_IS(pthread_mutex_clocklock(mutex, CLOCK_MONOTONIC, &none[i]), EINVAL);
    }
    return NULL;
}

/* A time that is none, or has passed, is of no account if the mutex is to be had. */
static void check_times(int type)
{
    pthread_mutex_t mutex;
    init_mutex(&mutex, type);
    for (int i = 0; i < 2; i++) {
        CHECK_IS(pthread_mutex_timedlock(&mutex, &none[i]), 0);
        CHECK_IS(pthread_mutex_unlock(&mutex), 0);
        CHECK_IS(pthread_mutex_clocklock(&mutex, CLOCK_MONOTONIC, &none[i]), 0);
        CHECK_IS(pthread_mutex_unlock(&mutex), 0);
    }
    CHECK_IS(pthread_mutex_timedlock(&mutex, &past), 0);
    elsewhere(call_timedlock, &mutex);
    int again = type == PTHREAD_MUTEX_RECURSIVE ? 0 : type == PTHREAD_MUTEX_ERRORCHECK ? EDEADLK : EINVAL;
    CHECK_IS(pthread_mutex_timedlock(&mutex, &none[0]), again);
    if (again == 0)
        CHECK_IS(pthread_mutex_unlock(&mutex), 0);
    CHECK_IS(pthread_mutex_unlock(&mutex), 0);
    CHECK_IS(pthread_mutex_destroy(&mutex), 0);
}

/* A clock that is none is refused whether the mutex is free or not. */
static void check_clocks(int type)
{
    static const clockid_t clocks[] = {CLOCK_PROCESS_CPUTIME_ID, CLOCK_THREAD_CPUTIME_ID, CLOCK_BOOTTIME, 1000, -1};
    struct timespec later = from_now(CLOCK_REALTIME, SECOND);
    pthread_mutex_t mutex;
    pthread_cond_t cond = PTHREAD_COND_INITIALIZER;
    init_mutex(&mutex, type);
    for (size_t i = 0; i < sizeof clocks / sizeof *clocks; i++) {
        CHECK_IS(pthread_mutex_clocklock(&mutex, clocks[i], &later), EINVAL);
        CHECK_IS(pthread_mutex_lock(&mutex), 0);
        CHECK_IS(pthread_mutex_clocklock(&mutex, clocks[i], &later), EINVAL);
        CHECK_IS(pthread_cond_clockwait(&cond, &mutex, clocks[i], &later), EINVAL);
        CHECK_IS(pthread_mutex_unlock(&mutex), 0);
    }
}

/* A destroyed mutex returns EINVAL until it is initialised again. */
static void check_destroyed(int type)
{
    struct timespec later = from_now(CLOCK_REALTIME, SECOND);
    pthread_mutex_t mutex;
    init_mutex(&mutex, type);
    CHECK_IS(pthread_mutex_destroy(&mutex), 0);
    CHECK_IS(pthread_mutex_lock(&mutex), EINVAL);
    CHECK_IS(pthread_mutex_trylock(&mutex), EINVAL);
    CHECK_IS(pthread_mutex_timedlock(&mutex, &later), EINVAL);
    CHECK_IS(pthread_mutex_unlock(&mutex), EINVAL);
    init_mutex(&mutex, type);
    CHECK_IS(pthread_mutex_lock(&mutex), 0);
    CHECK_IS(pthread_mutex_unlock(&mutex), 0);
}

/* The calls for mutexes of other protocols. */
static void check_protocols(int type)
{
    pthread_mutex_t mutex;
    int ceiling;
    init_mutex(&mutex, type);
    CHECK_IS(pthread_mutex_getprioceiling(&mutex, &ceiling), EINVAL);
    CHECK_IS(pthread_mutex_setprioceiling(&mutex, 10, &ceiling), EINVAL);
    CHECK_IS(pthread_mutex_consistent(&mutex), EINVAL);
    CHECK_IS(pthread_mutex_lock(&mutex), 0);
    CHECK_IS(pthread_mutex_consistent(&mutex), EINVAL);
    CHECK_IS(pthread_mutex_unlock(&mutex), 0);
}

/* Attributes are given and got back; those that make no sense are refused. */
static void check_attributes(void)
{
    pthread_mutexattr_t attributes;
    int value;
    CHECK_IS(pthread_mutexattr_init(&attributes), 0);
    for (int type = 0; type < 4; type++) {
        CHECK_IS(pthread_mutexattr_settype(&attributes, type), 0);
        CHECK_IS(pthread_mutexattr_gettype(&attributes, &value), 0);
        CHECK_IS(value, type);
    }
    CHECK_IS(pthread_mutexattr_settype(&attributes, 4), EINVAL);
    CHECK_IS(pthread_mutexattr_settype(&attributes, -1), EINVAL);
    CHECK_IS(pthread_mutexattr_setrobust(&attributes, 7), EINVAL);
    CHECK_IS(pthread_mutexattr_setprotocol(&attributes, 7), EINVAL);
    CHECK_IS(pthread_mutexattr_setpshared(&attributes, 7), EINVAL);
    CHECK_IS(pthread_mutexattr_destroy(&attributes), 0);

    pthread_condattr_t of_cond;
    clockid_t clock;
    CHECK_IS(pthread_condattr_init(&of_cond), 0);
    CHECK_IS(pthread_condattr_setclock(&of_cond, CLOCK_THREAD_CPUTIME_ID), EINVAL);
    CHECK_IS(pthread_condattr_setclock(&of_cond, CLOCK_MONOTONIC), 0);
    CHECK_IS(pthread_condattr_getclock(&of_cond, &clock), 0);
    CHECK_IS(clock, CLOCK_MONOTONIC);
    CHECK_IS(pthread_condattr_setpshared(&of_cond, 7), EINVAL);
    CHECK_IS(pthread_condattr_destroy(&of_cond), 0);
}

/* After each answer the mutex is held as before. */
static void check_cond(int type)
{
    pthread_mutex_t mutex;
    pthread_cond_t cond;
    memset(&cond, 0xa5, sizeof cond);
    CHECK_IS(pthread_cond_init(&cond, NULL), 0);
    init_mutex(&mutex, type);
    if (type == PTHREAD_MUTEX_ERRORCHECK || type == PTHREAD_MUTEX_RECURSIVE) {
        CHECK_IS(pthread_cond_wait(&cond, &mutex), EPERM);
        CHECK_IS(pthread_cond_timedwait(&cond, &mutex, &past), EPERM);
        CHECK_IS(pthread_cond_timedwait(&cond, &mutex, &none[0]), EINVAL);
    }
    CHECK_IS(pthread_mutex_lock(&mutex), 0);
    for (int i = 0; i < 2; i++) {
        CHECK_IS(pthread_cond_timedwait(&cond, &mutex, &none[i]), EINVAL);
        CHECK_IS(pthread_cond_clockwait(&cond, &mutex, CLOCK_MONOTONIC, &none[i]), EINVAL);
    }
    CHECK_IS(pthread_cond_timedwait(&cond, &mutex, &past), ETIMEDOUT);
    CHECK_IS(pthread_cond_timedwait(&cond, &mutex, &before_zero), ETIMEDOUT);
    CHECK_IS(pthread_cond_clockwait(&cond, &mutex, CLOCK_MONOTONIC, &past), ETIMEDOUT);
    CHECK_IS(elsewhere(call_trylock, &mutex), EBUSY);
    /* Nobody waits. */
    CHECK_IS(pthread_cond_signal(&cond), 0);
    CHECK_IS(pthread_cond_broadcast(&cond), 0);
    CHECK_IS(pthread_mutex_unlock(&mutex), 0);
    CHECK_IS(pthread_cond_destroy(&cond), 0);
    CHECK_IS(pthread_mutex_destroy(&mutex), 0);
}

/* Held twice, it is given up once: nobody else gets it, and both acquisitions are there afterwards. */
static void check_cond_with_depth(void)
{
    pthread_mutex_t mutex;
    pthread_cond_t cond = PTHREAD_COND_INITIALIZER;
    init_mutex(&mutex, PTHREAD_MUTEX_RECURSIVE);
    CHECK_IS(pthread_mutex_lock(&mutex), 0);
    CHECK_IS(pthread_mutex_lock(&mutex), 0);
    struct timespec soon = from_now(CLOCK_REALTIME, 5 * MILLISECOND);
    CHECK_IS(pthread_cond_timedwait(&cond, &mutex, &soon), ETIMEDOUT);
    for (int held = 2; held > 0; held--) {
        CHECK_IS(elsewhere(call_trylock, &mutex), EBUSY);
        CHECK_IS(pthread_mutex_unlock(&mutex), 0);
    }
    CHECK_IS(elsewhere(call_trylock, &mutex), 0);
}

int main(void)
{
    static const int types[] = {PTHREAD_MUTEX_NORMAL, PTHREAD_MUTEX_RECURSIVE, PTHREAD_MUTEX_ERRORCHECK,
                                PTHREAD_MUTEX_ADAPTIVE_NP};
    for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
        check_times(types[i]);
        check_clocks(types[i]);
        check_destroyed(types[i]);
        check_protocols(types[i]);
        check_cond(types[i]);
    }
    check_cond_with_depth();
    check_attributes();
    return 0;
}
