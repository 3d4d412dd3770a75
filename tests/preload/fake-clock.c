/* SPDX-License-Identifier: MIT */
/* Timed calls behind a library that stands in front of some of them (fake-clock-library.c), but not of the others. */
#include "common.h"

enum { THREADS = 3, ITEMS = 2000, ROOM = 4, LONG = 300 };

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int items;

static void wait_for_change(bool by_clockwait)
{
    struct timespec end = from_now(CLOCK_REALTIME, 0);
    end.tv_sec += LONG;
    CHECK_IS(by_clockwait ? pthread_cond_clockwait(&changed, &mutex, CLOCK_REALTIME, &end)
                          : pthread_cond_timedwait(&changed, &mutex, &end),
             0);
}

/* Puts items in, or takes them out. */
static void *change(void *step)
{
    for (int i = 0; i < ITEMS; i++) {
        struct timespec end = from_now(CLOCK_REALTIME, 0);
        end.tv_sec += LONG;
        CHECK_IS(i % 2 ? pthread_mutex_lock(&mutex) : pthread_mutex_timedlock(&mutex, &end), 0);
        while (items == (step ? ROOM : 0))
            wait_for_change(i % 3);
        items += step ? 1 : -1;
        CHECK_IS(pthread_cond_broadcast(&changed), 0);
        CHECK_IS(pthread_mutex_unlock(&mutex), 0);
    }
    return NULL;
}

static void *time_out(void *argument)
{
    struct timespec end = from_now(CLOCK_REALTIME, 20 * MILLISECOND);
    CHECK_IS(pthread_mutex_timedlock(&mutex, &end), ETIMEDOUT);
    CHECK(has_passed(CLOCK_REALTIME, end));
    return argument;
}

int main(void)
{
    pthread_t threads[2 * THREADS];
    for (int i = 0; i < 2 * THREADS; i++)
        threads[i] = start(change, i % 2 ? &items : NULL);
    for (int i = 0; i < 2 * THREADS; i++)
        finish(threads[i]);
    CHECK_IS(items, 0);
    CHECK_IS(pthread_mutex_lock(&mutex), 0);
    finish(start(time_out, NULL));
    struct timespec end = from_now(CLOCK_REALTIME, 20 * MILLISECOND);
    CHECK_IS(pthread_cond_timedwait(&changed, &mutex, &end), ETIMEDOUT);
    CHECK(has_passed(CLOCK_REALTIME, end));
    CHECK_IS(pthread_mutex_unlock(&mutex), 0);
    CHECK_IS(pthread_cond_destroy(&changed), 0);
    return 0;
}
