/* SPDX-License-Identifier: MIT */
/* What loads.c loads and unloads: its mutexes come and go with it. */
#include "../common.h"

enum { THREADS = 3, ROUNDS = 200 };

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER, other;
static pthread_cond_t cond = PTHREAD_COND_INITIALIZER;
static long count, turn;
int run_threads(void);

__attribute__((constructor)) static void begin(void)
{
    CHECK_IS(pthread_mutex_lock(&mutex), 0);
    init_mutex(&other, PTHREAD_MUTEX_RECURSIVE);
    CHECK_IS(pthread_mutex_unlock(&mutex), 0);
}

__attribute__((destructor)) static void end(void)
{
    CHECK_IS(pthread_mutex_trylock(&mutex), 0);
    CHECK_IS(pthread_mutex_unlock(&mutex), 0);
    CHECK_IS(pthread_mutex_destroy(&other), 0);
}

static void *visit(void *of)
{
    long me = (long)of;
    for (int i = 0; i < ROUNDS; i++) {
        CHECK_IS(pthread_mutex_lock(&other), 0);
        CHECK_IS(pthread_mutex_lock(&mutex), 0);
        count++;
        CHECK_IS(pthread_mutex_unlock(&mutex), 0);
        CHECK_IS(pthread_mutex_unlock(&other), 0);
    }
    CHECK_IS(pthread_mutex_lock(&mutex), 0);
    while (turn % THREADS != me)
        CHECK_IS(pthread_cond_wait(&cond, &mutex), 0);
    turn++;
    CHECK_IS(pthread_cond_broadcast(&cond), 0);
    CHECK_IS(pthread_mutex_unlock(&mutex), 0);
    return NULL;
}

int run_threads(void)
{
    pthread_t threads[THREADS];
    for (long i = 0; i < THREADS; i++)
        threads[i] = start(visit, (void *)i);
    for (int i = 0; i < THREADS; i++)
        finish(threads[i]);
    return count == THREADS * ROUNDS && turn == THREADS;
}
