/* SPDX-License-Identifier: MIT */
/* Threads with the smallest stack that there may be wait for long, lock in two orders, and end: what has to be said of
 * them under `recip run --watch` is said on that stack. */
#include "../common.h"

#include <limits.h>

static pthread_mutex_t bread = PTHREAD_MUTEX_INITIALIZER, butter = PTHREAD_MUTEX_INITIALIZER;
static int waiting;

static void *in_order(void *of)
{
    (void)of;
    CHECK_IS(pthread_mutex_lock(&bread), 0);
    CHECK_IS(pthread_mutex_lock(&butter), 0);
    CHECK_IS(pthread_mutex_unlock(&butter), 0);
    return (void *)(long)pthread_mutex_unlock(&bread);
}

static void *in_other_order(void *of)
{
    (void)of;
    CHECK_IS(pthread_mutex_lock(&butter), 0);
    CHECK_IS(pthread_mutex_lock(&bread), 0);
    CHECK_IS(pthread_mutex_unlock(&bread), 0);
    return (void *)(long)pthread_mutex_unlock(&butter);
}

static void *wait_for_bread(void *of)
{
    (void)of;
    __atomic_store_n(&waiting, 1, __ATOMIC_RELAXED);
    CHECK_IS(pthread_mutex_lock(&bread), 0);
    return (void *)(long)pthread_mutex_unlock(&bread);
}

static pthread_t start_small(void *(*body)(void *))
{
    pthread_attr_t attributes;
    pthread_t thread;
    pthread_attr_init(&attributes);
    CHECK_IS(pthread_attr_setstacksize(&attributes, (size_t)PTHREAD_STACK_MIN), 0);
    CHECK_IS(pthread_create(&thread, &attributes, body, NULL), 0);
    return thread;
}

int main(void)
{
    CHECK_IS((long)finish(start_small(in_order)), 0);
    CHECK_IS((long)finish(start_small(in_other_order)), 0);
    CHECK_IS(pthread_mutex_lock(&bread), 0);
    pthread_t waiter = start_small(wait_for_bread);
    while (!__atomic_load_n(&waiting, __ATOMIC_RELAXED))
        usleep(1000);
    usleep(300000); /* RECIP_WATCH_LONG is a tenth of a second */
    CHECK_IS(pthread_mutex_unlock(&bread), 0);
    CHECK_IS((long)finish(waiter), 0);
    return 0;
}
