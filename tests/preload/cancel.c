/* pthread_cond_wait is a cancellation point: the mutex is the thread's again when its clean-up handlers run, and a
 * signal that fell on the cancelled thread is not lost. A mutex lock is no cancellation point. */
#include "check.h"

static pthread_mutex_t mutex;
static pthread_cond_t cond = PTHREAD_COND_INITIALIZER;
static int waiting, cleaned, woken;
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

static void *wait_for_go(void *of)
{
    (void)of;
    pthread_mutex_lock(&mutex);
    waiting++;
    while (!go)
        pthread_cond_wait(&cond, &mutex);
    go = false;
    woken++;
    pthread_mutex_unlock(&mutex);
    return NULL;
}

/* One of two waiters is cancelled while a signal comes: the other gets it, if the cancelled one did not. */
static void check_signal_survives(void)
{
    for (int round = 0; round < 200; round++) {
        waiting = woken = cleaned = 0;
        go = false;
        pthread_t doomed = start(wait_for_good, NULL);
        await_waiters(1);
        pthread_t other = start(wait_for_go, NULL);
        await_waiters(2);
        pthread_mutex_lock(&mutex);
        go = true;
        if (round % 2)
            CHECK_IS(pthread_cancel(doomed), 0);
        CHECK_IS(pthread_cond_signal(&cond), 0);
        if (round % 2 == 0)
            CHECK_IS(pthread_cancel(doomed), 0);
        pthread_mutex_unlock(&mutex);
        CHECK_IS((long)finish(doomed), (long)PTHREAD_CANCELED);
        /* The doomed thread may have woken up properly and waited again before it was cancelled. */
        pthread_mutex_lock(&mutex);
        pthread_cond_signal(&cond);
        pthread_mutex_unlock(&mutex);
        finish(other);
        CHECK_IS(woken, 1);
        CHECK_IS(cleaned, 1);
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
    CHECK_IS(pthread_mutex_destroy(&mutex), 0);
    CHECK_IS(pthread_cond_destroy(&cond), 0);
    return 0;
}
