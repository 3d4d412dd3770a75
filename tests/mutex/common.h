/* SPDX-License-Identifier: MIT */
/* What the tests of the mutex share: threads that must start, and looking at the state word until it says something. */
#ifndef RECIP_TESTS_MUTEX_COMMON_H
#define RECIP_TESTS_MUTEX_COMMON_H

#include <pthread.h>
#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <cmocka.h>

#include <recip.h>

/* For threads: cmocka's assertions work in the one that runs the test only. */
#define MUST(condition)                                                                                                \
    do {                                                                                                               \
        if (!(condition)) {                                                                                            \
            fprintf(stderr, "%s:%d: %s does not hold\n", __FILE__, __LINE__, #condition);                              \
            abort();                                                                                                   \
        }                                                                                                              \
    } while (0)

/* Repetitions, fewer where the configuration is slow. */
#define REPEAT(times) ((times) / TEST_SCALE > 0 ? (times) / TEST_SCALE : 1)

static inline pthread_t start(void *(*body)(void *), void *argument)
{
    pthread_t thread;
    assert_int_equal(pthread_create(&thread, NULL, body, argument), 0);
    return thread;
}

static inline void finish(pthread_t thread)
{
    assert_int_equal(pthread_join(thread, NULL), 0);
}

static inline uint32_t state_of(recip_mutex_t *mutex)
{
    return __atomic_load_n(&mutex->state, __ATOMIC_ACQUIRE);
}

/* No stop-watch: the test's own time limit ends it if that never comes true. */
#define WAIT_UNTIL(condition)                                                                                          \
    do {                                                                                                               \
        while (!(condition))                                                                                           \
            sched_yield();                                                                                             \
    } while (0)

static inline void wait_until_leader_sleeps(recip_mutex_t *mutex)
{
    WAIT_UNTIL(state_of(mutex) & RECIP_LEADER_SLEEPS_);
}

static inline uintptr_t arrivals_of(recip_mutex_t *mutex)
{
    return __atomic_load_n(&mutex->arrivals, __ATOMIC_ACQUIRE);
}

/* A look from outside at what a mutex guards, or at a waiter. */
__attribute__((noinline, no_sanitize("thread"), unused)) static const void *peek(const void *pointer)
{
    return *(void *const volatile *)pointer;
}

/* Somebody has pushed itself since `before`. */
static inline void wait_until_arrivals_change(recip_mutex_t *mutex, uintptr_t before)
{
    WAIT_UNTIL(arrivals_of(mutex) != before);
}

static inline struct timespec after(clockid_t clock, long nanoseconds)
{
    struct timespec time;
    clock_gettime(clock, &time);
    time.tv_nsec += nanoseconds;
    time.tv_sec += time.tv_nsec / 1000000000;
    time.tv_nsec %= 1000000000;
    return time;
}

#endif
