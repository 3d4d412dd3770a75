/* SPDX-License-Identifier: MIT */
/* The object of start-and-exit.c: locks in its constructor and in its destructor, with a thread of its own. */
#include "common.h"

pthread_mutex_t object_mutex = PTHREAD_MUTEX_INITIALIZER;
int object_constructed;

static pthread_mutex_t made;
static pthread_cond_t cond = PTHREAD_COND_INITIALIZER;
static bool ready;

static void *make_ready(void *of)
{
    pthread_mutex_lock(&made);
    ready = true;
    pthread_cond_signal(&cond);
    pthread_mutex_unlock(&made);
    return of;
}

__attribute__((constructor)) static void construct(void)
{
    init_mutex(&made, PTHREAD_MUTEX_RECURSIVE);
    CHECK_IS(pthread_mutex_lock(&object_mutex), 0);
    CHECK_IS(pthread_mutex_lock(&made), 0);
    pthread_t thread = start(make_ready, NULL);
    while (!ready)
        pthread_cond_wait(&cond, &made);
    CHECK_IS(pthread_mutex_unlock(&made), 0);
    CHECK_IS(pthread_mutex_unlock(&object_mutex), 0);
    finish(thread);
    object_constructed++;
}

__attribute__((destructor)) static void destruct(void)
{
    CHECK_IS(pthread_mutex_lock(&object_mutex), 0);
    CHECK_IS(pthread_mutex_unlock(&object_mutex), 0);
    CHECK_IS(pthread_mutex_destroy(&made), 0);
}
