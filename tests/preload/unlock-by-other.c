/* SPDX-License-Identifier: MIT */
/* A normal mutex may be unlocked by another thread than the one that locked it: glibc allows it, so we have to, and the
 * wake-ups that the owner has deferred must be made. The thread that locked is no longer the owner: a waiter that it
 * signals then wakes up at once. The same holds when the mutex has been initialised again. */
#include "common.h"

#include <semaphore.h>

enum { WAITERS = 8, LONG = 60 };

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static sem_t locked, over;

/* Locks and never unlocks. */
static void *keep(void *unused)
{
    (void)unused;
    CHECK_IS(pthread_mutex_lock(&mutex), 0);
    sem_post(&locked);
    sem_wait(&over);
    return NULL;
}

static pthread_cond_t cond = PTHREAD_COND_INITIALIZER;

static void *wait_for_signal(void *unused)
{
    (void)unused;
    CHECK_IS(pthread_mutex_lock(&mutex), 0);
    sem_post(&locked);
    CHECK_IS(pthread_cond_wait(&cond, &mutex), 0);
    sem_post(&over);
    return (void *)(long)pthread_mutex_unlock(&mutex);
}

static void *init_again(void *unused)
{
    return (void *)(long)pthread_mutex_init(&mutex, unused);
}

/* Locked here, and freed in another thread: before the waiter comes, or while it waits. */
static void check_signal_by_former_owner(void *(*free_it)(void *), void *argument, bool before)
{
    for (int round = 0; round < 20; round++) {
        if (before) {
            CHECK_IS(pthread_mutex_lock(&mutex), 0);
            CHECK_IS(elsewhere(free_it, argument), 0);
        }
        pthread_t waiter = start(wait_for_signal, NULL);
        sem_wait(&locked);
        /* So that it sleeps; if it does not, it needs no wake-up. */
        usleep(5000);
        if (!before) {
            CHECK_IS(pthread_mutex_lock(&mutex), 0);
            CHECK_IS(elsewhere(free_it, argument), 0);
        }
        CHECK_IS(pthread_cond_signal(&cond), 0);
        struct timespec late = from_now(CLOCK_REALTIME, LONG * 1000 * MILLISECOND);
        CHECK_IS(sem_timedwait(&over, &late), 0);
        CHECK_IS((long)finish(waiter), 0);
    }
}

int main(void)
{
    pthread_t waiters[WAITERS];
    CHECK_IS(sem_init(&locked, 0, 0), 0);
    CHECK_IS(sem_init(&over, 0, 0), 0);
    check_signal_by_former_owner(call_unlock, &mutex, false);
    check_signal_by_former_owner(init_again, NULL, true);
    CHECK_IS(pthread_mutex_lock(&mutex), 0);
    for (int i = 0; i < WAITERS; i++)
        waiters[i] = start(keep, NULL);
    /* So that most of them sleep; those that do not need no wake-up. */
    usleep(50000);
    for (int i = 0; i < WAITERS; i++) {
        CHECK_IS(pthread_mutex_unlock(&mutex), 0);
        struct timespec late = from_now(CLOCK_REALTIME, LONG * 1000 * MILLISECOND);
        CHECK_IS(sem_timedwait(&locked, &late), 0);
    }
    CHECK_IS(pthread_mutex_unlock(&mutex), 0);
    for (int i = 0; i < WAITERS; i++)
        sem_post(&over);
    for (int i = 0; i < WAITERS; i++)
        finish(waiters[i]);
    CHECK_IS(pthread_mutex_destroy(&mutex), 0);
    return 0;
}
