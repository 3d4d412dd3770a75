/* SPDX-License-Identifier: MIT */
/* The semaphore never gives more permits than it has, loses none, and gives them in reciprocating order. */
#include "common.h"

enum { PERMITS = 3, THREADS = 8, TIMES = REPEAT(3000) };

struct shared {
    recip_sem_t sem;
    atomic_int inside, most;
};

static void *go_in_and_out(void *argument)
{
    struct shared *shared = argument;
    for (int i = 0; i < TIMES; i++) {
        struct timespec soon = after(CLOCK_MONOTONIC, 1000 * (i % 50));
        int error = 0;
        if (i % 3 == 0)
            recip_sem_wait(&shared->sem);
        else
            error = i % 3 == 1 ? recip_sem_clockwait(&shared->sem, CLOCK_MONOTONIC, &soon)
                               : recip_sem_trywait(&shared->sem);
        if (error)
            continue;
        int inside = ++shared->inside, most = shared->most;
        while (inside > most && !atomic_compare_exchange_weak(&shared->most, &most, inside)) {
        }
        if (i % 16 == 0)
            sched_yield();
        shared->inside--;
        MUST(recip_sem_post(&shared->sem) == 0);
    }
    return NULL;
}

static void gives_no_more_than_it_has(void **unused)
{
    (void)unused;
    struct shared shared = {.sem = RECIP_SEM_INIT(PERMITS)};
    pthread_t threads[THREADS];
    for (int i = 0; i < THREADS; i++)
        threads[i] = start(go_in_and_out, &shared);
    for (int i = 0; i < THREADS; i++)
        finish(threads[i]);
    assert_true(shared.most <= PERMITS);
    int value;
    recip_sem_getvalue(&shared.sem, &value);
    assert_int_equal(value, PERMITS);
    assert_int_equal(shared.sem.value, PERMITS << 1);
    assert_int_equal(recip_sem_destroy(&shared.sem), 0);
}

struct order {
    recip_sem_t sem, turn;
    atomic_int count;
    int admitted[4];
};

struct member {
    struct order *order;
    int number;
};

static void *note_admission(void *argument)
{
    struct member *member = argument;
    recip_sem_wait(&member->order->sem);
    member->order->admitted[member->order->count] = member->number;
    member->order->count++;
    return NULL;
}

static void admits_from_the_newest(void **unused)
{
    (void)unused;
    struct order order = {.sem = RECIP_SEM_INIT(0)};
    struct member members[4];
    pthread_t threads[4];
    for (int i = 0; i < 4; i++) {
        const void *before = peek(&order.sem.arrivals);
        members[i] = (struct member){&order, i};
        threads[i] = start(note_admission, &members[i]);
        WAIT_UNTIL(peek(&order.sem.arrivals) != before);
    }
    for (int i = 0; i < 4; i++) {
        assert_int_equal(recip_sem_post(&order.sem), 0);
        WAIT_UNTIL(order.count == i + 1);
    }
    for (int i = 0; i < 4; i++)
        finish(threads[i]);
    assert_memory_equal(order.admitted, ((int[]){3, 2, 1, 0}), sizeof order.admitted);
}

static void times_out_and_overflows(void **unused)
{
    (void)unused;
    recip_sem_t sem;
    assert_int_equal(recip_sem_init(&sem, RECIP_SEM_VALUE_MAX + 1u), EINVAL);
    assert_int_equal(recip_sem_init(&sem, RECIP_SEM_VALUE_MAX), 0);
    assert_int_equal(recip_sem_post(&sem), EOVERFLOW);
    assert_int_equal(recip_sem_init(&sem, 0), 0);
    struct timespec soon = after(CLOCK_REALTIME, 1000000);
    assert_int_equal(recip_sem_timedwait(&sem, &soon), ETIMEDOUT);
    assert_int_equal(recip_sem_clockwait(&sem, CLOCK_BOOTTIME, &soon), EINVAL);
    assert_int_equal(sem.value, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(gives_no_more_than_it_has),
        cmocka_unit_test(admits_from_the_newest),
        cmocka_unit_test(times_out_and_overflows),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
