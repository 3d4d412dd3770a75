/* SPDX-License-Identifier: MIT */
/* Threads that wait for tokens are cancelled while tokens come, each with one signal. What signals fall on those goes
 * to the others: all tokens are used before the next come. Half of the waits have a deadline that is far away. */
#include "../common.h"

enum { WAITERS = 8, VICTIMS = 4, ROUNDS = 1000, PATIENCE = 60 /* seconds */ };

static pthread_mutex_t mutex;
static pthread_cond_t cond = PTHREAD_COND_INITIALIZER;
static long tokens, used, cancelled;
static bool stop;
static pthread_barrier_t barrier;

static void clean_up(void *of)
{
    (void)of;
    cancelled++;
    CHECK_IS(pthread_mutex_unlock(&mutex), 0); /* error-checking: the mutex is this thread's */
}

/* False if there will be no more. It can be cancelled while it waits. */
static bool use_one(const struct timespec *end)
{
    bool is_there;
    CHECK_IS(pthread_mutex_lock(&mutex), 0);
    pthread_cleanup_push(clean_up, NULL);
    pthread_setcancelstate(PTHREAD_CANCEL_ENABLE, NULL);
    while (tokens == 0 && !stop)
        CHECK_IS(end ? pthread_cond_timedwait(&cond, &mutex, end) : pthread_cond_wait(&cond, &mutex), 0);
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, NULL);
    pthread_cleanup_pop(0);
    is_there = tokens > 0;
    if (is_there) {
        tokens--;
        used++;
    }
    CHECK_IS(pthread_mutex_unlock(&mutex), 0);
    return is_there;
}

static void *use_tokens(void *timed)
{
    struct timespec end = from_now(CLOCK_REALTIME, 1000000 * MILLISECOND);
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, NULL);
    while (use_one(timed ? &end : NULL))
        continue;
    return NULL;
}

static long now_used(void)
{
    CHECK_IS(pthread_mutex_lock(&mutex), 0);
    long count = used;
    CHECK_IS(pthread_mutex_unlock(&mutex), 0);
    return count;
}

/* Without a further signal. */
static void await_use(long made)
{
    struct timespec end = from_now(CLOCK_MONOTONIC, PATIENCE * 1000 * MILLISECOND);
    while (now_used() < made && !has_passed(CLOCK_MONOTONIC, end))
        usleep(10);
    CHECK_IS(now_used(), made);
}

/* One to eight in each round. Returns how many. */
static void *make_tokens(void *of)
{
    long made = 0;
    (void)of;
    for (int round = 0; round < ROUNDS; round++) {
        pthread_barrier_wait(&barrier);
        for (int i = 0; i <= round % 8; i++, made++) {
            CHECK_IS(pthread_mutex_lock(&mutex), 0);
            tokens++;
            if (i % 2)
                CHECK_IS(pthread_cond_signal(&cond), 0);
            CHECK_IS(pthread_mutex_unlock(&mutex), 0);
            if (i % 2 == 0)
                CHECK_IS(pthread_cond_signal(&cond), 0);
        }
        await_use(made);
        pthread_barrier_wait(&barrier);
    }
    return (void *)made;
}

int main(void)
{
    pthread_t waiters[WAITERS];
    init_mutex(&mutex, PTHREAD_MUTEX_ERRORCHECK);
    CHECK_IS(pthread_barrier_init(&barrier, NULL, 2), 0);
    for (long i = 0; i < WAITERS; i++)
        waiters[i] = start(use_tokens, (void *)(i % 2));
    pthread_t maker = start(make_tokens, NULL);
    for (int round = 0; round < ROUNDS; round++) {
        pthread_barrier_wait(&barrier);
        for (int i = 0; i < VICTIMS; i++)
            CHECK_IS(pthread_cancel(waiters[(round + i) % WAITERS]), 0);
        pthread_barrier_wait(&barrier);
        for (int i = 0; i < VICTIMS; i++) {
            long index = (round + i) % WAITERS;
            CHECK_IS((long)finish(waiters[index]), (long)PTHREAD_CANCELED);
            waiters[index] = start(use_tokens, (void *)(index % 2));
        }
    }
    long made = (long)finish(maker);
    CHECK_IS(pthread_mutex_lock(&mutex), 0);
    stop = true;
    CHECK_IS(pthread_cond_broadcast(&cond), 0);
    CHECK_IS(pthread_mutex_unlock(&mutex), 0);
    for (int i = 0; i < WAITERS; i++)
        CHECK_IS((long)finish(waiters[i]), 0);
    CHECK_IS(tokens, 0);
    CHECK_IS(used, made);
    CHECK_IS(cancelled, ROUNDS * VICTIMS);
    return 0;
}
