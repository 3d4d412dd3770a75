/* SPDX-License-Identifier: MIT */
/* The mutex excludes, whatever mix of calls its users make and however many they are. */
#include "common.h"

/* A small bound makes nearly every acquisition a switch from one thread to another. */
enum { THREADS = 8, MANY = REPEAT(100000) / 4 * 4, SWITCHES = REPEAT(10000) / 4 * 4 };

struct shared {
    recip_mutex_t mutex;
    int times; /* each thread */
    unsigned long first;
    unsigned long padding[16];
    unsigned long second;
};

static void use(struct shared *shared)
{
    MUST(shared->first == shared->second);
    shared->first++;
    __asm__ volatile("" ::: "memory");
    shared->second++;
}

static void *lock_many_times(void *argument)
{
    struct shared *shared = argument;
    for (int i = 0; i < shared->times; i++) {
        recip_mutex_lock(&shared->mutex);
        use(shared);
        recip_mutex_unlock(&shared->mutex);
    }
    return NULL;
}

static void *lock_in_every_way(void *argument)
{
    struct shared *shared = argument;
    for (int i = 0; i < shared->times; i++) {
        struct timespec soon;
        switch (i % 4) {
        case 0:
            recip_mutex_lock(&shared->mutex);
            break;
        case 1:
            while (recip_mutex_trylock(&shared->mutex) != 0)
                sched_yield();
            break;
        default:
            do {
                clockid_t clock = i % 4 == 2 ? CLOCK_MONOTONIC : CLOCK_REALTIME;
                soon = after(clock, 1000 * (i % 100));
                if (recip_mutex_clocklock(&shared->mutex, clock, &soon) == 0)
                    break;
            } while (true);
        }
        use(shared);
        recip_mutex_unlock(&shared->mutex);
    }
    return NULL;
}

static void run(void *(*body)(void *), struct shared *shared)
{
    /* Held until all wait, so that they meet. */
    recip_mutex_lock(&shared->mutex);
    pthread_t threads[THREADS];
    for (int i = 0; i < THREADS; i++) {
        uintptr_t before = arrivals_of(&shared->mutex);
        threads[i] = start(body, shared);
        wait_until_arrivals_change(&shared->mutex, before);
    }
    recip_mutex_unlock(&shared->mutex);
    for (int i = 0; i < THREADS; i++)
        finish(threads[i]);
    assert_int_equal(shared->first, (unsigned long)THREADS * (unsigned long)shared->times);
    assert_int_equal(shared->mutex.state, 0);
    assert_int_equal(shared->mutex.arrivals, 0);
    assert_int_equal(recip_mutex_destroy(&shared->mutex), 0);
}

static void excludes_at_the_default_bound(void **unused)
{
    (void)unused;
    run(lock_many_times, &(struct shared){.mutex = RECIP_MUTEX_INIT, .times = MANY});
}

static void excludes_at_bound_one(void **unused)
{
    (void)unused;
    run(lock_many_times, &(struct shared){.mutex = RECIP_MUTEX_INIT_BOUND(1), .times = SWITCHES});
}

static void excludes_at_bound_zero(void **unused)
{
    (void)unused;
    run(lock_many_times, &(struct shared){.mutex = RECIP_MUTEX_INIT_BOUND(0), .times = SWITCHES});
}

static void excludes_with_calls_of_every_kind(void **unused)
{
    (void)unused;
    run(lock_in_every_way, &(struct shared){.mutex = RECIP_MUTEX_INIT, .times = MANY});
    run(lock_in_every_way, &(struct shared){.mutex = RECIP_MUTEX_INIT_BOUND(3), .times = SWITCHES});
}

static void trylock_says_busy_while_locked(void **unused)
{
    (void)unused;
    recip_mutex_t mutex = RECIP_MUTEX_INIT;
    assert_int_equal(recip_mutex_trylock(&mutex), 0);
    assert_int_equal(recip_mutex_trylock(&mutex), EBUSY);
    assert_int_equal(recip_mutex_destroy(&mutex), EBUSY);
    recip_mutex_unlock(&mutex);
    assert_int_equal(recip_mutex_trylock(&mutex), 0);
    recip_mutex_unlock(&mutex);
}

static void a_guard_unlocks_at_the_end_of_its_block(void **unused)
{
    (void)unused;
    recip_mutex_t mutex = RECIP_MUTEX_INIT;
    for (int i = 0; i < 3; i++) {
        RECIP_MUTEX_GUARD(&mutex);
        assert_int_equal(recip_mutex_trylock(&mutex), EBUSY);
        if (i == 1)
            continue;
    }
    assert_int_equal(mutex.state, 0);
}

static void init_takes_a_bound(void **unused)
{
    (void)unused;
    recip_mutex_t mutex, chosen = RECIP_MUTEX_INIT_BOUND(7);
    assert_int_equal(sizeof mutex, 16);
    recip_mutex_init(&mutex);
    assert_memory_equal(&mutex, &(recip_mutex_t)RECIP_MUTEX_INIT, sizeof mutex);
    assert_int_equal(recip_mutex_init_bound(&mutex, 7), 0);
    assert_memory_equal(&mutex, &chosen, sizeof mutex);
    assert_int_equal(recip_mutex_init_bound(&mutex, RECIP_BOUND_MAX), 0);
    assert_int_equal(recip_mutex_init_bound(&mutex, RECIP_BOUND_MAX + 1), EINVAL);
}

struct paper {
    recip_lock_t lock;
    unsigned long count;
};

static void *acquire_many_times(void *argument)
{
    struct paper *paper = argument;
    for (int i = 0; i < MANY / 4; i++) {
        recip_lock_context_t context;
        recip_lock_acquire(&paper->lock, &context);
        paper->count++;
        recip_lock_release(&paper->lock, &context);
    }
    return NULL;
}

static void the_lock_of_the_paper_excludes(void **unused)
{
    (void)unused;
    struct paper paper = {RECIP_LOCK_INIT, 0};
    pthread_t threads[4];
    for (int i = 0; i < 4; i++)
        threads[i] = start(acquire_many_times, &paper);
    for (int i = 0; i < 4; i++)
        finish(threads[i]);
    assert_int_equal(paper.count, MANY);
    recip_lock_context_t first, second;
    assert_int_equal(recip_lock_try_acquire(&paper.lock, &first), 0);
    assert_int_equal(recip_lock_try_acquire(&paper.lock, &second), EBUSY);
    recip_lock_release(&paper.lock, &first);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(excludes_at_the_default_bound),
        cmocka_unit_test(excludes_at_bound_one),
        cmocka_unit_test(excludes_at_bound_zero),
        cmocka_unit_test(excludes_with_calls_of_every_kind),
        cmocka_unit_test(trylock_says_busy_while_locked),
        cmocka_unit_test(a_guard_unlocks_at_the_end_of_its_block),
        cmocka_unit_test(init_takes_a_bound),
        cmocka_unit_test(the_lock_of_the_paper_excludes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
