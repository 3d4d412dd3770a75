/* SPDX-License-Identifier: MIT */
/* A timed lock ends at its deadline or with the mutex, and a thread that gave up leaves nothing behind. */
#include "common.h"

#include <signal.h>

#include "port/futex.h"

/* Every element on the heap, counted. */
static atomic_int elements;

void *__real_aligned_alloc(size_t alignment, size_t size);
void __real_free(void *memory);
void *__wrap_aligned_alloc(size_t alignment, size_t size);
void __wrap_free(void *memory);

enum { MOST = 4096 };
static _Atomic(void *) known[MOST];

void *__wrap_aligned_alloc(size_t alignment, size_t size)
{
    void *memory = __real_aligned_alloc(alignment, size);
    for (int i = 0; i < MOST; i++) {
        void *none = NULL;
        if (atomic_compare_exchange_strong(&known[i], &none, memory)) {
            elements++;
            return memory;
        }
    }
    abort();
}

void __wrap_free(void *memory)
{
    for (int i = 0; memory && i < MOST; i++) {
        void *expected = memory;
        if (atomic_compare_exchange_strong(&known[i], &expected, NULL)) {
            elements--;
            break;
        }
    }
    __real_free(memory);
}

/* And naps, counted. */
static atomic_int naps;
bool __real_recip_native_nap(int64_t nanoseconds);
bool __wrap_recip_native_nap(int64_t nanoseconds);

bool __wrap_recip_native_nap(int64_t nanoseconds)
{
    naps++;
    return __real_recip_native_nap(nanoseconds);
}

static int lock_for(recip_mutex_t *mutex, long nanoseconds)
{
    struct timespec soon = after(CLOCK_MONOTONIC, nanoseconds);
    return recip_mutex_clocklock(mutex, CLOCK_MONOTONIC, &soon);
}

static void *lock_and_unlock(void *argument)
{
    recip_mutex_lock(argument);
    recip_mutex_unlock(argument);
    return NULL;
}

static void *give_up(void *argument)
{
    MUST(lock_for(argument, 2000000) == ETIMEDOUT);
    return NULL;
}

static void *give_up_later(void *argument)
{
    MUST(lock_for(argument, 300000000) == ETIMEDOUT);
    return NULL;
}

/* Nothing in the queue, nothing on the heap. */
static void assert_untouched(recip_mutex_t *mutex)
{
    assert_int_equal(mutex->state, 0);
    assert_int_equal(mutex->arrivals, 0);
    assert_int_equal(elements, 0);
}

static void times_out_on_both_clocks_and_refuses_others(void **unused)
{
    (void)unused;
    recip_mutex_t mutex = RECIP_MUTEX_INIT;
    recip_mutex_lock(&mutex);
    struct timespec soon = after(CLOCK_REALTIME, 1000000);
    assert_int_equal(recip_mutex_timedlock(&mutex, &soon), ETIMEDOUT);
    soon = after(CLOCK_MONOTONIC, 1000000);
    assert_int_equal(recip_mutex_clocklock(&mutex, CLOCK_MONOTONIC, &soon), ETIMEDOUT);
    assert_int_equal(recip_mutex_clocklock(&mutex, CLOCK_MONOTONIC, &(struct timespec){0, 0}), ETIMEDOUT);
    assert_int_equal(recip_mutex_clocklock(&mutex, CLOCK_MONOTONIC, &(struct timespec){-1, 0}), ETIMEDOUT);
    assert_int_equal(recip_mutex_clocklock(&mutex, CLOCK_PROCESS_CPUTIME_ID, &soon), EINVAL);
    assert_int_equal(recip_mutex_timedlock(&mutex, &(struct timespec){0, 1000000000}), EINVAL);
    recip_mutex_unlock(&mutex);
    /* As POSIX has it: a time that is not looked at is not checked. */
    assert_int_equal(recip_mutex_timedlock(&mutex, &(struct timespec){0, 0}), 0);
    recip_mutex_unlock(&mutex);
    assert_untouched(&mutex);
}

static atomic_bool gone;

static void *give_up_and_go(void *mutex)
{
    give_up(mutex);
    gone = true;
    return NULL;
}

/* To a leader this looks as if a newcomer had had the mutex; one that sleeps looks at once. */
static bool pass_by(recip_mutex_t *mutex)
{
    /* As the owner counts: nobody else writes it. */
    uint16_t passes = __atomic_load_n(&mutex->passes, __ATOMIC_RELAXED);
    __atomic_store_n(&mutex->passes, (uint16_t)(passes + 1), __ATOMIC_RELAXED);
    futex_call(&mutex->state, FUTEX_WAKES_PRIVATE, 1, NULL);
    return true;
}

static void a_deadline_is_not_slept_through(void **unused)
{
    (void)unused;
    recip_mutex_t mutex = RECIP_MUTEX_INIT;
    recip_mutex_lock(&mutex);
    naps = 0;
    gone = false;
    pthread_t timed = start(give_up_and_go, &mutex);
    WAIT_UNTIL(pass_by(&mutex) && gone);
    finish(timed);
    assert_int_equal(naps, 0);
    pthread_t napper = start(lock_and_unlock, &mutex);
    WAIT_UNTIL(pass_by(&mutex) && naps > 0); /* as those without a deadline do */
    recip_mutex_unlock(&mutex);
    finish(napper);
}

static void a_leader_that_gives_up_leaves_nothing(void **unused)
{
    (void)unused;
    recip_mutex_t mutex = RECIP_MUTEX_INIT;
    recip_mutex_lock(&mutex);
    for (int i = 0; i < 20; i++)
        finish(start(give_up, &mutex));
    assert_int_equal(mutex.state, RECIP_LOCKED_);
    assert_int_equal(mutex.arrivals, 0);
    assert_int_equal(elements, 0);
    recip_mutex_unlock(&mutex);
    assert_untouched(&mutex);
}

static void pass_leadership_on(unsigned bound, void *(*give_up_leading)(void *))
{
    recip_mutex_t mutex = RECIP_MUTEX_INIT_BOUND(bound);
    recip_mutex_lock(&mutex);
    pthread_t leader = start(give_up_leading, &mutex);
    wait_until_arrivals_change(&mutex, 0);
    pthread_t follower = start(lock_and_unlock, &mutex);
    finish(leader);
    recip_mutex_unlock(&mutex);
    finish(follower);
    assert_untouched(&mutex);
}

static void a_leader_that_gives_up_passes_leadership_on(void **unused)
{
    (void)unused;
    pass_leadership_on(RECIP_BOUND_DEFAULT, give_up_later);
}

static void *give_up_barred(void *argument)
{
    give_up_later(argument);
    MUST(state_of(argument) & RECIP_BARRED_);
    return NULL;
}

/* The follower sleeps when it is made leader, and would bar newcomers too late. */
static void with_bound_0_nobody_passes_a_leader_that_has_just_become_one(void **unused)
{
    (void)unused;
    pass_leadership_on(0, give_up_barred);
}

static void followers_leave_nothing(unsigned bound, bool all_give_up)
{
    recip_mutex_t mutex = RECIP_MUTEX_INIT_BOUND(bound);
    recip_mutex_lock(&mutex);
    pthread_t leader = start(lock_and_unlock, &mutex), others[6];
    wait_until_arrivals_change(&mutex, 0);
    for (int i = 0; i < 6; i++)
        others[i] = start(all_give_up || i % 3 ? give_up : lock_and_unlock, &mutex);
    /* These threads end while their elements are in the queue. */
    for (int i = 0; i < 6; i++)
        if (all_give_up || i % 3)
            finish(others[i]);
    recip_mutex_unlock(&mutex);
    for (int i = 0; !all_give_up && i < 6; i += 3)
        finish(others[i]);
    finish(leader);
    assert_untouched(&mutex);
}

static void followers_that_give_up_are_skipped_and_freed(void **unused)
{
    (void)unused;
    followers_leave_nothing(RECIP_BOUND_DEFAULT, false);
    followers_leave_nothing(RECIP_BOUND_DEFAULT, true);
    followers_leave_nothing(0, false);
    followers_leave_nothing(0, true);
}

static atomic_bool polled;

static void *poll_many_times(void *argument)
{
    for (int i = 0; i < 200; i++)
        MUST(lock_for(argument, 10000) == ETIMEDOUT);
    MUST(elements == 1);
    polled = true;
    MUST(lock_for(argument, 100000000000) == 0);
    recip_mutex_unlock(argument);
    return NULL;
}

static void polling_keeps_one_place(void **unused)
{
    (void)unused;
    recip_mutex_t mutex = RECIP_MUTEX_INIT;
    recip_mutex_lock(&mutex);
    pthread_t leader = start(lock_and_unlock, &mutex);
    wait_until_leader_sleeps(&mutex);
    pthread_t poller = start(poll_many_times, &mutex);
    WAIT_UNTIL(polled);
    recip_mutex_unlock(&mutex);
    finish(leader);
    finish(poller);
    assert_untouched(&mutex);
}

struct shared {
    recip_mutex_t mutex;
    unsigned long count;
    atomic_ulong successes;
};

static void *try_with_short_patience(void *argument)
{
    struct shared *shared = argument;
    for (int i = 0; i < REPEAT(3000); i++) {
        if (lock_for(&shared->mutex, i % 7 * 3000) != 0)
            continue;
        shared->count++;
        if (i % 64 == 0)
            sched_yield();
        recip_mutex_unlock(&shared->mutex);
        shared->successes++;
    }
    return NULL;
}

static void a_crowd_with_short_patience(void **unused)
{
    (void)unused;
    static const unsigned bounds[] = {0, 1, 100, RECIP_BOUND_DEFAULT};
    for (int round = 0; round < 4; round++) {
        struct shared shared = {.mutex = RECIP_MUTEX_INIT_BOUND(bounds[round])};
        pthread_t threads[6];
        for (int i = 0; i < 6; i++)
            threads[i] = start(try_with_short_patience, &shared);
        for (int i = 0; i < 6; i++)
            finish(threads[i]);
        assert_int_equal(shared.count, shared.successes);
        /* A mark that was set for one who left just then goes with the next owner. */
        recip_mutex_lock(&shared.mutex);
        recip_mutex_unlock(&shared.mutex);
        assert_untouched(&shared.mutex);
    }
}

int main(void)
{
    /* Whatever keys a program takes, none is missing here. */
    pthread_key_t key;
    while (pthread_key_create(&key, NULL) == 0) {
    }
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(times_out_on_both_clocks_and_refuses_others),
        cmocka_unit_test(a_deadline_is_not_slept_through),
        cmocka_unit_test(a_leader_that_gives_up_leaves_nothing),
        cmocka_unit_test(a_leader_that_gives_up_passes_leadership_on),
        cmocka_unit_test(with_bound_0_nobody_passes_a_leader_that_has_just_become_one),
        cmocka_unit_test(followers_that_give_up_are_skipped_and_freed),
        cmocka_unit_test(polling_keeps_one_place),
        cmocka_unit_test(a_crowd_with_short_patience),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
