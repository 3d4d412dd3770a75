/* SPDX-License-Identifier: MIT */
/* A program as it was linked in 2002: every call by the oldest version that glibc has of it. With the preload library
 * they meet the same mutexes and condition variables as the calls of today, in the same program. */
#include "common.h"

#define OLD(name) __asm__(".symver old_" #name ", " #name "@GLIBC_2.2.5")

int old_pthread_mutex_lock(pthread_mutex_t *mutex);
int old_pthread_mutex_trylock(pthread_mutex_t *mutex);
int old_pthread_mutex_timedlock(pthread_mutex_t *mutex, const struct timespec *time);
int old_pthread_mutex_unlock(pthread_mutex_t *mutex);
int old_pthread_cond_init(pthread_cond_t *cond, const pthread_condattr_t *attributes);
int old_pthread_cond_wait(pthread_cond_t *cond, pthread_mutex_t *mutex);
int old_pthread_cond_timedwait(pthread_cond_t *cond, pthread_mutex_t *mutex, const struct timespec *time);
int old_pthread_cond_signal(pthread_cond_t *cond);
int old_pthread_cond_broadcast(pthread_cond_t *cond);
int old_pthread_cond_destroy(pthread_cond_t *cond);
int old___pthread_mutex_lock(pthread_mutex_t *mutex);
int old___pthread_mutex_unlock(pthread_mutex_t *mutex);

OLD(pthread_mutex_lock);
OLD(pthread_mutex_trylock);
OLD(pthread_mutex_timedlock);
OLD(pthread_mutex_unlock);
OLD(pthread_cond_init);
OLD(pthread_cond_wait);
OLD(pthread_cond_timedwait);
OLD(pthread_cond_signal);
OLD(pthread_cond_broadcast);
OLD(pthread_cond_destroy);
OLD(__pthread_mutex_lock);
OLD(__pthread_mutex_unlock);

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t cond;
static int turn;

static void *take_turns(void *of)
{
    int self = of != NULL;
    for (int i = 0; i < 2000; i++) {
        CHECK_IS(self ? old_pthread_mutex_lock(&mutex) : pthread_mutex_lock(&mutex), 0);
        while (turn != self)
            CHECK_IS(old_pthread_cond_wait(&cond, &mutex), 0);
        turn = !self;
        CHECK_IS(i % 2 ? old_pthread_cond_signal(&cond) : old_pthread_cond_broadcast(&cond), 0);
        CHECK_IS(self ? pthread_mutex_unlock(&mutex) : old_pthread_mutex_unlock(&mutex), 0);
    }
    return NULL;
}

int main(void)
{
    struct timespec past = {1, 0};
    CHECK_IS(old_pthread_cond_init(&cond, NULL), 0);
    pthread_t threads[] = {start(take_turns, NULL), start(take_turns, &turn)};
    finish(threads[0]);
    finish(threads[1]);
    CHECK_IS(old___pthread_mutex_lock(&mutex), 0);
    CHECK_IS(old_pthread_mutex_trylock(&mutex), EBUSY);
    CHECK_IS(pthread_mutex_trylock(&mutex), EBUSY);
    CHECK_IS(old_pthread_mutex_timedlock(&mutex, &past), ETIMEDOUT);
    CHECK_IS(old_pthread_cond_timedwait(&cond, &mutex, &past), ETIMEDOUT);
    CHECK_IS(old___pthread_mutex_unlock(&mutex), 0);
    CHECK_IS(old_pthread_cond_destroy(&cond), 0);
    return 0;
}
