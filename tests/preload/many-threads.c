/* SPDX-License-Identifier: MIT */
/* many-threads [NUMBER]: five thousand threads at once, or as many as that says, all of them waiting in one mutex or
 * one condition variable, some with a time. */
#include "common.h"

#include <limits.h>

enum { THREADS = 5000, MAX_THREADS = 100000, STACK = 64 << 10 };

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t cond = PTHREAD_COND_INITIALIZER;
static int waiting, inside, done;
static bool go;
static int wanted = THREADS, least = 100;

static void visit(void)
{
    CHECK_IS(inside++, 0);
    done++;
    CHECK_IS(--inside, 0);
}

static void *wait_in_mutex(void *index)
{
    __atomic_fetch_add(&waiting, 1, __ATOMIC_RELAXED);
    if ((long)index % 4 == 0) {
        struct timespec late = from_now(CLOCK_REALTIME, 1000000 * MILLISECOND);
        CHECK_IS(pthread_mutex_timedlock(&mutex, &late), 0);
    } else {
        CHECK_IS(pthread_mutex_lock(&mutex), 0);
    }
    visit();
    return (void *)(long)pthread_mutex_unlock(&mutex);
}

static void *wait_in_cond(void *index)
{
    struct timespec late = from_now(CLOCK_REALTIME, 1000000 * MILLISECOND);
    CHECK_IS(pthread_mutex_lock(&mutex), 0);
    waiting++;
    while (!go)
        CHECK_IS((long)index % 4 ? pthread_cond_wait(&cond, &mutex) : pthread_cond_timedwait(&cond, &mutex, &late), 0);
    visit();
    return (void *)(long)pthread_mutex_unlock(&mutex);
}

static pthread_t threads[MAX_THREADS];

/* How many the system lets us have; all of them if a number was asked for. */
static int start_all(void *(*body)(void *))
{
    pthread_attr_t attributes;
    int count = 0;
    pthread_attr_init(&attributes);
    pthread_attr_setstacksize(&attributes, STACK);
    while (count < wanted && pthread_create(&threads[count], &attributes, body, (void *)(long)count) == 0)
        count++;
    CHECK(count >= least);
    while (__atomic_load_n(&waiting, __ATOMIC_RELAXED) < count)
        usleep(1000);
    return count;
}

static void finish_all(int count)
{
    for (int i = 0; i < count; i++)
        CHECK_IS((long)finish(threads[i]), 0);
    CHECK_IS(done, count);
}

int main(int words_count, char **words)
{
    if (words_count > 1)
        wanted = least = atoi(words[1]);
    CHECK(wanted > 0 && wanted <= MAX_THREADS);
    CHECK_IS(pthread_mutex_lock(&mutex), 0);
    int count = start_all(wait_in_mutex);
    CHECK_IS(pthread_mutex_unlock(&mutex), 0);
    finish_all(count);

    waiting = done = 0;
    count = start_all(wait_in_cond);
    CHECK_IS(pthread_mutex_lock(&mutex), 0);
    go = true;
    CHECK_IS(pthread_cond_broadcast(&cond), 0);
    CHECK_IS(pthread_mutex_unlock(&mutex), 0);
    finish_all(count);
    CHECK_IS(pthread_cond_destroy(&cond), 0);
    CHECK_IS(pthread_mutex_destroy(&mutex), 0);
    return 0;
}
