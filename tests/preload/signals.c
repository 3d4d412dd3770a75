/* SPDX-License-Identifier: MIT */
/* Signal handlers run while a thread waits, and no wait ends by them: not with EINTR, not early, not with what it
 * waited for lost. A thread whose cancellation is switched off waits on, too. */
#include "common.h"

#include <signal.h>

enum { SIGNALS = 20 };

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER, outer = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t cond = PTHREAD_COND_INITIALIZER;
static bool go, begun;
static int handled;

static void handler(int number)
{
    (void)number;
    __atomic_fetch_add(&handled, 1, __ATOMIC_RELAXED);
}

static void now_begins(void)
{
    __atomic_store_n(&begun, true, __ATOMIC_RELEASE);
}

static void *by_lock(void *of)
{
    (void)of;
    now_begins();
    CHECK_IS(pthread_mutex_lock(&outer), 0);
    return (void *)(long)pthread_mutex_unlock(&outer);
}

static void *by_timedlock(void *of)
{
    struct timespec end = from_now(CLOCK_REALTIME, 100000 * MILLISECOND);
    (void)of;
    now_begins();
    CHECK_IS(pthread_mutex_timedlock(&outer, &end), 0);
    return (void *)(long)pthread_mutex_unlock(&outer);
}

static void *by_wait(void *of)
{
    (void)of;
    CHECK_IS(pthread_mutex_lock(&mutex), 0);
    now_begins();
    while (!go)
        CHECK_IS(pthread_cond_wait(&cond, &mutex), 0);
    return (void *)(long)pthread_mutex_unlock(&mutex);
}

static void *by_timedwait(void *of)
{
    struct timespec end = from_now(CLOCK_REALTIME, 100000 * MILLISECOND);
    (void)of;
    CHECK_IS(pthread_mutex_lock(&mutex), 0);
    now_begins();
    while (!go)
        CHECK_IS(pthread_cond_timedwait(&cond, &mutex, &end), 0);
    return (void *)(long)pthread_mutex_unlock(&mutex);
}

static void *by_wait_without_cancellation(void *of)
{
    CHECK_IS(pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, NULL), 0);
    CHECK_IS(pthread_cancel(pthread_self()), 0);
    by_wait(of);
    int type;
    CHECK_IS(pthread_setcanceltype(PTHREAD_CANCEL_DEFERRED, &type), 0);
    CHECK_IS(type, PTHREAD_CANCEL_DEFERRED);
    return NULL;
}

static void check(void *(*body)(void *))
{
    handled = 0;
    begun = go = false;
    CHECK_IS(pthread_mutex_lock(&outer), 0);
    pthread_t thread = start(body, NULL);
    while (!__atomic_load_n(&begun, __ATOMIC_ACQUIRE))
        usleep(100);
    for (int i = 1; i <= SIGNALS; i++) {
        CHECK_IS(pthread_kill(thread, SIGUSR1), 0);
        while (__atomic_load_n(&handled, __ATOMIC_RELAXED) < i)
            usleep(100);
    }
    CHECK_IS(pthread_mutex_lock(&mutex), 0);
    go = true;
    CHECK_IS(pthread_cond_signal(&cond), 0);
    CHECK_IS(pthread_mutex_unlock(&mutex), 0);
    CHECK_IS(pthread_mutex_unlock(&outer), 0);
    CHECK_IS((long)finish(thread), 0);
}

int main(void)
{
    struct sigaction action = {.sa_handler = handler};
    CHECK_IS(sigaction(SIGUSR1, &action, NULL), 0);
    for (int restart = 0; restart < 2; restart++) {
        action.sa_flags = restart ? SA_RESTART : 0;
        CHECK_IS(sigaction(SIGUSR1, &action, NULL), 0);
        check(by_lock);
        check(by_timedlock);
        check(by_wait);
        check(by_timedwait);
        check(by_wait_without_cancellation);
    }
    return 0;
}
