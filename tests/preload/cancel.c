/* SPDX-License-Identifier: MIT */
/* pthread_cond_wait is a cancellation point: the mutex is the thread's again when its clean-up handlers run, and a
 * signal that fell on the cancelled thread is not lost, nor is it passed on by a condition variable that is gone. A
 * mutex lock is no cancellation point. */
#include "common.h"

#include <sys/mman.h>

static pthread_mutex_t mutex;
static pthread_cond_t cond = PTHREAD_COND_INITIALIZER;
static int waiting, cleaned;
static bool go;

static void clean_up(void *of)
{
    (void)of;
    /* Held: by this thread and by no other. */
    CHECK_IS(pthread_mutex_lock(&mutex), EDEADLK);
    CHECK_IS(elsewhere(call_trylock, &mutex), EBUSY);
    cleaned++;
    waiting--;
    CHECK_IS(pthread_mutex_unlock(&mutex), 0);
}

static void *wait_for_good(void *timed)
{
    struct timespec end = from_now(CLOCK_REALTIME, 300000 * MILLISECOND);
    CHECK_IS(pthread_mutex_lock(&mutex), 0);
    waiting++;
    pthread_cleanup_push(clean_up, NULL);
    for (;;) {
        if (timed)
            pthread_cond_timedwait(&cond, &mutex, &end);
        else
            pthread_cond_wait(&cond, &mutex);
    }
    pthread_cleanup_pop(0);
    return NULL;
}

static void await_waiters(int count)
{
    for (int now = -1; now != count; usleep(1000)) {
        pthread_mutex_lock(&mutex);
        now = waiting;
        pthread_mutex_unlock(&mutex);
    }
}

static void check_cancel(void *timed)
{
    pthread_t thread = start(wait_for_good, timed);
    await_waiters(1);
    cleaned = 0;
    CHECK_IS(pthread_cancel(thread), 0);
    CHECK_IS((long)finish(thread), (long)PTHREAD_CANCELED);
    CHECK_IS(cleaned, 1);
}

static void *wait_with_cancel_pending(void *of)
{
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, NULL);
    CHECK_IS(pthread_cancel(pthread_self()), 0);
    CHECK_IS(pthread_mutex_lock(&mutex), 0);
    struct timespec past = {1, 0};
    CHECK_IS(pthread_cond_timedwait(&cond, &mutex, &past), ETIMEDOUT);
    CHECK_IS(pthread_mutex_unlock(&mutex), 0);
    pthread_setcancelstate(PTHREAD_CANCEL_ENABLE, NULL);
    /* No cancellation points. */
    CHECK_IS(pthread_mutex_lock(&mutex), 0);
    CHECK_IS(pthread_cond_signal(&cond), 0);
    CHECK_IS(pthread_mutex_unlock(&mutex), 0);
    return wait_for_good(of);
}

/* Until there is leave to go. Who goes, on the condition variable that stays, sends the next. */
static void *wait_for_go(void *gone)
{
    pthread_cond_t *on = gone ? gone : &cond;
    pthread_mutex_lock(&mutex);
    waiting++;
    pthread_cleanup_push(clean_up, NULL);
    while (!go)
        pthread_cond_wait(on, &mutex);
    /* Too late to be cancelled: the clean-up is done once. */
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, NULL);
    if (!gone)
        CHECK_IS(pthread_cond_signal(on), 0);
    pthread_cleanup_pop(1);
    return NULL;
}

enum { MAX_DOOMED = 3 };

/* All but the last waiter are cancelled while a signal comes: the last one gets it, if no other has used it. */
static void check_signal_survives(void)
{
    for (int round = 0; round < 200; round++) {
        int count = 1 + round / 2 % MAX_DOOMED;
        pthread_t doomed[MAX_DOOMED];
        waiting = cleaned = 0;
        go = false;
        for (int i = 0; i < count; i++)
            doomed[i] = start(wait_for_go, NULL);
        await_waiters(count);
        pthread_t other = start(wait_for_go, NULL);
        await_waiters(count + 1);
        pthread_mutex_lock(&mutex);
        go = true;
        for (int i = 0; i < count && round % 2; i++)
            CHECK_IS(pthread_cancel(doomed[i]), 0);
        CHECK_IS(pthread_cond_signal(&cond), 0);
        for (int i = 0; i < count && round % 2 == 0; i++)
            CHECK_IS(pthread_cancel(doomed[i]), 0);
        pthread_mutex_unlock(&mutex);
        finish(other);
        for (int i = 0; i < count; i++)
            finish(doomed[i]);
        CHECK_IS(cleaned, count + 1);
    }
}

/* All are signalled, then cancelled while they wait for the mutex, and the condition variable goes, memory and all,
 * before they get it. */
static void check_destruction(void)
{
    for (int round = 0; round < 30; round++) {
        int count = 1 + round % MAX_DOOMED;
        pthread_t doomed[MAX_DOOMED];
        pthread_cond_t *gone = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        CHECK_IS(pthread_cond_init(gone, NULL), 0);
        waiting = cleaned = 0;
        go = false;
        for (int i = 0; i < count; i++)
            doomed[i] = start(wait_for_go, gone);
        await_waiters(count);
        /* So that they sleep: awake they would use the signal. */
        usleep(5000);
        pthread_mutex_lock(&mutex);
        go = true;
        for (int i = 0; i < count; i++)
            CHECK_IS(pthread_cond_signal(gone), 0);
        for (int i = 0; i < count; i++)
            CHECK_IS(pthread_cancel(doomed[i]), 0);
        CHECK_IS(pthread_cond_destroy(gone), 0);
        munmap(gone, 4096);
        pthread_mutex_unlock(&mutex);
        for (int i = 0; i < count; i++)
            finish(doomed[i]);
        CHECK_IS(cleaned, count);
    }
}

int main(void)
{
    init_mutex(&mutex, PTHREAD_MUTEX_ERRORCHECK);
    for (int round = 0; round < 20; round++) {
        check_cancel(NULL);
        check_cancel(&mutex);
    }
    cleaned = 0;
    CHECK_IS((long)finish(start(wait_with_cancel_pending, NULL)), (long)PTHREAD_CANCELED);
    CHECK_IS(cleaned, 1);
    check_signal_survives();
    check_destruction();
    CHECK_IS(pthread_mutex_destroy(&mutex), 0);
    CHECK_IS(pthread_cond_destroy(&cond), 0);
    return 0;
}
