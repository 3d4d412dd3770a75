/* SPDX-License-Identifier: MIT */
/* Timed locks: both clocks, times that have passed, times that are none, and a lock that comes free in time; in a
 * program that takes every thread-specific key: all are there until a thread has waited in time. */
#include "common.h"

#include <limits.h>

static void check_time_out(pthread_mutex_t *mutex, clockid_t clock)
{
    struct timespec end = from_now(clock, 20 * MILLISECOND);
    CHECK_IS(pthread_mutex_clocklock(mutex, clock, &end), ETIMEDOUT);
    CHECK(has_passed(clock, end));
    struct timespec past = {1, 0}, before = {-5, 0};
    CHECK_IS(pthread_mutex_clocklock(mutex, clock, &past), ETIMEDOUT);
    CHECK_IS(pthread_mutex_clocklock(mutex, clock, &before), ETIMEDOUT);
}

static void *time_out(void *of)
{
    pthread_mutex_t *mutex = of;
    check_time_out(mutex, CLOCK_REALTIME);
    check_time_out(mutex, CLOCK_MONOTONIC);
    struct timespec end = from_now(CLOCK_REALTIME, 20 * MILLISECOND);
    CHECK_IS(pthread_mutex_timedlock(mutex, &end), ETIMEDOUT);
    CHECK(has_passed(CLOCK_REALTIME, end));
    struct timespec none = {end.tv_sec + 10, 1000000000}, negative = {end.tv_sec + 10, -1};
    CHECK_IS(pthread_mutex_timedlock(mutex, &none), EINVAL);
    CHECK_IS(pthread_mutex_timedlock(mutex, &negative), EINVAL);
    CHECK_IS(pthread_mutex_clocklock(mutex, CLOCK_PROCESS_CPUTIME_ID, &end), EINVAL);
    return NULL;
}

static void *wait_long(void *of)
{
    pthread_mutex_t *mutex = of;
    struct timespec end = from_now(CLOCK_MONOTONIC, 300000 * MILLISECOND);
    CHECK_IS(pthread_mutex_clocklock(mutex, CLOCK_MONOTONIC, &end), 0);
    CHECK_IS(pthread_mutex_unlock(mutex), 0);
    return NULL;
}

enum { THREADS = 6, ROUNDS = 300 };
static pthread_mutex_t contended = PTHREAD_MUTEX_INITIALIZER;
static long inside, taken;

/* Some give up, some do not; nobody is in together with another. */
static void *polls(void *index)
{
    for (int round = 0; round < ROUNDS; round++) {
        struct timespec end = from_now(CLOCK_REALTIME, (round % 3) * MILLISECOND / 10);
        int error = (long)index % 2 ? pthread_mutex_lock(&contended) : pthread_mutex_timedlock(&contended, &end);
        if (error == ETIMEDOUT)
            continue;
        CHECK_IS(error, 0);
        CHECK_IS(inside++, 0);
        taken++;
        if (round % 16 == 0)
            usleep(100);
        CHECK_IS(--inside, 0);
        CHECK_IS(pthread_mutex_unlock(&contended), 0);
    }
    return NULL;
}

/* How many there were. */
static int take_keys(pthread_key_t *keys)
{
    int count = 0;
    while (count < PTHREAD_KEYS_MAX && pthread_key_create(&keys[count], NULL) == 0)
        count++;
    return count;
}

int main(void)
{
    static const int types[] = {PTHREAD_MUTEX_NORMAL, PTHREAD_MUTEX_RECURSIVE, PTHREAD_MUTEX_ERRORCHECK};
    static pthread_key_t keys[PTHREAD_KEYS_MAX];
    pthread_mutex_t first = PTHREAD_MUTEX_INITIALIZER;
    const char *lock = getenv("RECIP_LOCK");
    int count = take_keys(keys);
    /* Locks with nodes need one for their first node, which may be before main. */
    if (!lock || strcmp(lock, "mutex") == 0)
        CHECK_IS(count, PTHREAD_KEYS_MAX);
    while (count > 0)
        CHECK_IS(pthread_key_delete(keys[--count]), 0);
    CHECK_IS(pthread_mutex_lock(&first), 0);
    finish(start(time_out, &first));
    CHECK_IS(pthread_mutex_unlock(&first), 0);
    take_keys(keys);
    for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
        pthread_mutex_t mutex;
        init_mutex(&mutex, types[i]);
        CHECK_IS(pthread_mutex_lock(&mutex), 0);
        finish(start(time_out, &mutex));
        pthread_t waiters[3];
        for (int j = 0; j < 3; j++)
            waiters[j] = start(wait_long, &mutex);
        usleep(20000);
        CHECK_IS(pthread_mutex_unlock(&mutex), 0);
        for (int j = 0; j < 3; j++)
            finish(waiters[j]);
        CHECK_IS(pthread_mutex_destroy(&mutex), 0);
    }
    pthread_t threads[THREADS];
    for (long i = 0; i < THREADS; i++)
        threads[i] = start(polls, (void *)i);
    for (int i = 0; i < THREADS; i++)
        finish(threads[i]);
    CHECK(taken >= THREADS / 2 * ROUNDS);
    return 0;
}
