/* SPDX-License-Identifier: MIT */
/* The condition variable: nobody signalled is forgotten, and a signalled waiter goes to the mutex's arrivals. */
#include "common.h"

struct shared {
    recip_mutex_t mutex;
    recip_cond_t cond, other;
    int items, waiting, served;
    bool open;
};

static void *wait_until_open(void *argument)
{
    struct shared *shared = argument;
    recip_mutex_lock(&shared->mutex);
    shared->waiting++;
    while (!shared->open)
        recip_cond_wait(&shared->cond, &shared->mutex);
    shared->served++;
    recip_mutex_unlock(&shared->mutex);
    return NULL;
}

static void lock_when_waiting(struct shared *shared, int waiting)
{
    WAIT_UNTIL(({
        recip_mutex_lock(&shared->mutex);
        bool all = shared->waiting == waiting;
        if (!all)
            recip_mutex_unlock(&shared->mutex);
        all;
    }));
}

static void broadcast_serves_everybody(void **unused)
{
    (void)unused;
    struct shared shared = {0};
    pthread_t threads[8];
    for (int i = 0; i < 8; i++)
        threads[i] = start(wait_until_open, &shared);
    lock_when_waiting(&shared, 8);
    shared.open = true;
    recip_cond_broadcast(&shared.cond);
    assert_int_equal(shared.served, 0);
    recip_mutex_unlock(&shared.mutex);
    for (int i = 0; i < 8; i++)
        finish(threads[i]);
    assert_int_equal(shared.served, 8);
    assert_int_equal(recip_cond_destroy(&shared.cond), 0);
    assert_int_equal(shared.mutex.arrivals, 0);
}

static void a_signalled_waiter_moves_to_the_arrivals(void **unused)
{
    (void)unused;
    struct shared shared = {0};
    pthread_t threads[3];
    for (int i = 0; i < 3; i++)
        threads[i] = start(wait_until_open, &shared);
    lock_when_waiting(&shared, 3);
    assert_int_equal(recip_cond_destroy(&shared.cond), EBUSY);
    shared.open = true;
    assert_int_equal(arrivals_of(&shared.mutex), 0);
    /* The first leads the arrivals, the next ones stand in them while it sleeps. */
    recip_cond_signal(&shared.cond);
    assert_int_equal(arrivals_of(&shared.mutex), 1);
    wait_until_leader_sleeps(&shared.mutex);
    for (int i = 0; i < 2; i++) {
        const void *first = peek(&shared.cond.first);
        recip_cond_signal(&shared.cond);
        assert_int_equal(arrivals_of(&shared.mutex), (uintptr_t)first);
    }
    assert_null(peek(&shared.cond.first));
    recip_mutex_unlock(&shared.mutex);
    for (int i = 0; i < 3; i++)
        finish(threads[i]);
    assert_int_equal(shared.mutex.arrivals, 0);
    assert_int_equal(shared.mutex.state, 0);
}

static void a_timed_wait_ends(void **unused)
{
    (void)unused;
    struct shared shared = {0};
    recip_mutex_lock(&shared.mutex);
    struct timespec soon = after(CLOCK_MONOTONIC, 1000000);
    assert_int_equal(recip_cond_clockwait(&shared.cond, &shared.mutex, CLOCK_MONOTONIC, &soon), ETIMEDOUT);
    soon = after(CLOCK_REALTIME, 1000000);
    assert_int_equal(recip_cond_timedwait(&shared.cond, &shared.mutex, &soon), ETIMEDOUT);
    assert_int_equal(recip_cond_clockwait(&shared.cond, &shared.mutex, CLOCK_BOOTTIME, &soon), EINVAL);
    assert_int_equal(recip_mutex_trylock(&shared.mutex), EBUSY);
    assert_null(shared.cond.first);
    recip_mutex_unlock(&shared.mutex);
}

/* Producers and consumers of one item, some of which wait with a deadline. */
enum { ITEMS = REPEAT(5000) };

static void *produce(void *argument)
{
    struct shared *shared = argument;
    for (int i = 0; i < ITEMS; i++) {
        recip_mutex_lock(&shared->mutex);
        while (shared->items == 1)
            recip_cond_wait(&shared->other, &shared->mutex);
        shared->items = 1;
        recip_cond_signal(&shared->cond);
        recip_mutex_unlock(&shared->mutex);
    }
    return NULL;
}

static void *consume(void *argument)
{
    struct shared *shared = argument;
    for (int i = 0; i < ITEMS; i++) {
        recip_mutex_lock(&shared->mutex);
        while (shared->items == 0) {
            struct timespec soon = after(CLOCK_MONOTONIC, 1000 * (i % 50));
            if (i % 3)
                recip_cond_wait(&shared->cond, &shared->mutex);
            else
                recip_cond_clockwait(&shared->cond, &shared->mutex, CLOCK_MONOTONIC, &soon);
        }
        shared->items = 0;
        shared->served++;
        recip_mutex_unlock(&shared->mutex);
        /* After the mutex, for once: a signal needs no lock. */
        recip_cond_signal(&shared->other);
    }
    return NULL;
}

static void no_signal_is_lost(void **unused)
{
    (void)unused;
    struct shared shared = {.mutex = RECIP_MUTEX_INIT};
    pthread_t threads[4];
    for (int i = 0; i < 4; i++)
        threads[i] = start(i % 2 ? produce : consume, &shared);
    for (int i = 0; i < 4; i++)
        finish(threads[i]);
    assert_int_equal(shared.served, 2 * ITEMS);
    assert_int_equal(shared.mutex.state, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(broadcast_serves_everybody),
        cmocka_unit_test(a_signalled_waiter_moves_to_the_arrivals),
        cmocka_unit_test(a_timed_wait_ends),
        cmocka_unit_test(no_signal_is_lost),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
