/* SPDX-License-Identifier: MIT */
/* What the programs here share. They are ordinary pthread programs that know nothing of recip: the tests run them with
 * the preload library, and without it, where they have to pass as well. */
#ifndef RECIP_TESTS_PRELOAD_COMMON_H
#define RECIP_TESTS_PRELOAD_COMMON_H

#include <errno.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/* In the order: what came, what should have. */
#define CHECK_IS(value, expected)                                                                                      \
    do {                                                                                                               \
        long came = (long)(value), wanted = (long)(expected);                                                          \
        if (came != wanted) {                                                                                          \
            fprintf(stderr, "%s:%d: %s is %ld, not %ld\n", __FILE__, __LINE__, #value, came, wanted);                  \
            _exit(1);                                                                                                  \
        }                                                                                                              \
    } while (0)
#define CHECK(condition) CHECK_IS(!!(condition), 1)

#define MILLISECOND 1000000L

static inline struct timespec from_now(clockid_t clock, long nanoseconds)
{
    struct timespec time;
    clock_gettime(clock, &time);
    time.tv_sec += nanoseconds / 1000000000;
    time.tv_nsec += nanoseconds % 1000000000;
    if (time.tv_nsec >= 1000000000) {
        time.tv_nsec -= 1000000000;
        time.tv_sec++;
    }
    return time;
}

static inline bool has_passed(clockid_t clock, struct timespec time)
{
    struct timespec now;
    clock_gettime(clock, &now);
    return now.tv_sec > time.tv_sec || (now.tv_sec == time.tv_sec && now.tv_nsec >= time.tv_nsec);
}

static inline pthread_t start(void *(*body)(void *), void *argument)
{
    pthread_t thread;
    CHECK_IS(pthread_create(&thread, NULL, body, argument), 0);
    return thread;
}

static inline void *finish(pthread_t thread)
{
    void *result;
    CHECK_IS(pthread_join(thread, &result), 0);
    return result;
}

/* Runs the call in a thread of its own and hands its answer back. */
static inline long elsewhere(void *(*call)(void *), void *argument)
{
    return (long)finish(start(call, argument));
}

static inline void *call_trylock(void *mutex)
{
    return (void *)(long)pthread_mutex_trylock(mutex);
}

static inline void *call_unlock(void *mutex)
{
    return (void *)(long)pthread_mutex_unlock(mutex);
}

static inline void init_mutex(pthread_mutex_t *mutex, int type)
{
    pthread_mutexattr_t attributes;
    pthread_mutexattr_init(&attributes);
    CHECK_IS(pthread_mutexattr_settype(&attributes, type), 0);
    CHECK_IS(pthread_mutex_init(mutex, &attributes), 0);
    pthread_mutexattr_destroy(&attributes);
}

#endif
