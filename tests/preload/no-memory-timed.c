/* SPDX-License-Identifier: MIT */
/* More threads with deadlines than the library has elements for, in a program that has used up its memory: a thread
 * that gets none gets ENOMEM. */
#include "common.h"

#include <semaphore.h>
#include <sys/resource.h>

enum { THREADS = 600 };
static pthread_mutex_t held = PTHREAD_MUTEX_INITIALIZER;
static sem_t begin;

static void *lock_in_vain(void *of)
{
    (void)of;
    while (sem_wait(&begin) != 0) {
    }
    struct timespec soon = from_now(CLOCK_REALTIME, 1000 * MILLISECOND);
    int answer = pthread_mutex_timedlock(&held, &soon);
    CHECK(answer == ETIMEDOUT || answer == ENOMEM);
    return NULL;
}

int main(void)
{
    static pthread_t threads[THREADS];
    static const struct rlimit none = {0, 0};
    pthread_attr_t small;
    CHECK_IS(pthread_attr_init(&small), 0);
    CHECK_IS(pthread_attr_setstacksize(&small, 64 << 10), 0);
    CHECK_IS(sem_init(&begin, 0, 0), 0);
    for (int i = 0; i < THREADS; i++)
        CHECK_IS(pthread_create(&threads[i], &small, lock_in_vain, NULL), 0);
    CHECK_IS(setrlimit(RLIMIT_AS, &none), 0);
    CHECK_IS(pthread_mutex_lock(&held), 0);
    for (int i = 0; i < THREADS; i++)
        CHECK_IS(sem_post(&begin), 0);
    for (int i = 0; i < THREADS; i++)
        finish(threads[i]);
    CHECK_IS(pthread_mutex_unlock(&held), 0);
    CHECK_IS(pthread_mutex_lock(&held), 0);
    return pthread_mutex_unlock(&held);
}
