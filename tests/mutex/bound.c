/* SPDX-License-Identifier: MIT */
/* A leader is passed by as often as the bound allows, and not once more. No timing: the leader stands still in a signal
 * handler while the others pass. */
#include "common.h"

#include <signal.h>

static atomic_bool hold, held;

static void stand_still(int signal)
{
    (void)signal;
    held = true;
    while (hold)
        sched_yield();
    held = false;
}

static void stop_thread(pthread_t thread)
{
    hold = true;
    assert_int_equal(pthread_kill(thread, SIGUSR1), 0);
    WAIT_UNTIL(held);
}

static void resume_thread(void)
{
    hold = false;
    WAIT_UNTIL(!held);
}

static void *lock_once(void *argument)
{
    recip_mutex_t *mutex = argument;
    recip_mutex_lock(mutex);
    recip_mutex_unlock(mutex);
    return NULL;
}

/* A leader that sleeps, and stands still from now on. The mutex is the caller's. */
static pthread_t make_leader(recip_mutex_t *mutex)
{
    recip_mutex_lock(mutex);
    pthread_t leader = start(lock_once, mutex);
    wait_until_leader_sleeps(mutex);
    stop_thread(leader);
    return leader;
}

static unsigned long pass_as_often_as_possible(recip_mutex_t *mutex)
{
    unsigned long passed = 0;
    while (recip_mutex_trylock(mutex) == 0) {
        passed++;
        recip_mutex_unlock(mutex);
    }
    return passed;
}

static void passes_exactly(unsigned bound)
{
    recip_mutex_t mutex = RECIP_MUTEX_INIT_BOUND(bound);
    pthread_t leader = make_leader(&mutex);
    recip_mutex_unlock(&mutex);
    assert_int_equal(pass_as_often_as_possible(&mutex), bound);
    /* Free, and the leader's. */
    assert_false(state_of(&mutex) & RECIP_LOCKED_);
    struct timespec soon = after(CLOCK_MONOTONIC, 1000000);
    assert_int_equal(recip_mutex_clocklock(&mutex, CLOCK_MONOTONIC, &soon), ETIMEDOUT);
    assert_int_equal(pass_as_often_as_possible(&mutex), 0);
    resume_thread();
    finish(leader);
    recip_mutex_lock(&mutex);
    recip_mutex_unlock(&mutex);
    assert_int_equal(mutex.state & ~RECIP_CHECKED_, 0);
    assert_int_equal(mutex.arrivals, 0);
}

static void the_bound_is_exact(void **unused)
{
    (void)unused;
    static const unsigned bounds[] = {0, 1, 2, 7, 1000, RECIP_BOUND_DEFAULT};
    for (size_t i = 0; i < sizeof bounds / sizeof *bounds; i++)
        passes_exactly(bounds[i]);
}

static void the_default_bound_is_what_the_header_says(void **unused)
{
    (void)unused;
    recip_mutex_t mutex = RECIP_MUTEX_INIT;
    pthread_t leader = make_leader(&mutex);
    recip_mutex_unlock(&mutex);
    assert_int_equal(pass_as_often_as_possible(&mutex), RECIP_BOUND_DEFAULT);
    resume_thread();
    finish(leader);
}

struct crowd {
    recip_mutex_t mutex;
    unsigned long passed; /* guarded by the mutex */
};

static void *pass_in_a_crowd(void *argument)
{
    struct crowd *crowd = argument;
    for (;;) {
        int error = recip_mutex_trylock(&crowd->mutex);
        if (error == 0) {
            crowd->passed++;
            recip_mutex_unlock(&crowd->mutex);
        } else if (state_of(&crowd->mutex) & RECIP_BARRED_) {
            return NULL;
        }
    }
}

static void the_bound_is_exact_in_a_crowd(void **unused)
{
    (void)unused;
    struct crowd crowd = {.mutex = RECIP_MUTEX_INIT_BOUND(5000)};
    pthread_t leader = make_leader(&crowd.mutex), others[4];
    recip_mutex_unlock(&crowd.mutex);
    for (int i = 0; i < 4; i++)
        others[i] = start(pass_in_a_crowd, &crowd);
    for (int i = 0; i < 4; i++)
        finish(others[i]);
    assert_int_equal(crowd.passed, 5000);
    resume_thread();
    finish(leader);
}

/* Its gate, which is the first word of its element, says so. */
static bool newest_sleeps(recip_mutex_t *mutex)
{
    const void *gate = (const void *)(arrivals_of(mutex) & ((UINT64_C(1) << 48) - 1));
    return (uintptr_t)peek(gate) == 2;
}

static void *lock_and_tell(void *argument)
{
    struct crowd *crowd = argument;
    recip_mutex_lock(&crowd->mutex);
    __atomic_store_n(&crowd->passed, 1, __ATOMIC_RELEASE);
    /* Until the test says so, with the follower made leader meanwhile. */
    WAIT_UNTIL(__atomic_load_n(&crowd->passed, __ATOMIC_ACQUIRE) != 1);
    recip_mutex_unlock(&crowd->mutex);
    return NULL;
}

/* Each leader has the whole bound before it: the count starts again when leadership passes on. */
static void the_next_leader_counts_from_the_start(void **unused)
{
    (void)unused;
    struct crowd crowd = {.mutex = RECIP_MUTEX_INIT_BOUND(10)};
    recip_mutex_lock(&crowd.mutex);
    pthread_t first = start(lock_and_tell, &crowd);
    wait_until_leader_sleeps(&crowd.mutex);
    uintptr_t before = arrivals_of(&crowd.mutex);
    pthread_t second = start(lock_once, &crowd.mutex);
    wait_until_arrivals_change(&crowd.mutex, before);
    WAIT_UNTIL(newest_sleeps(&crowd.mutex)); /* awake it would be handed the mutex instead of leadership */
    recip_mutex_unlock(&crowd.mutex);
    WAIT_UNTIL(__atomic_load_n(&crowd.passed, __ATOMIC_ACQUIRE) == 1);
    WAIT_UNTIL(state_of(&crowd.mutex) & RECIP_LEADER_SLEEPS_);
    stop_thread(second);
    __atomic_store_n(&crowd.passed, 2, __ATOMIC_RELEASE);
    finish(first);
    assert_int_equal(pass_as_often_as_possible(&crowd.mutex), 10);
    resume_thread();
    finish(second);
}

enum { FEW = 5, CROWD = 40, MAX_REVERSED = 32 };

struct order {
    recip_mutex_t mutex;
    int admitted[CROWD], count;
};

struct member {
    struct order *order;
    int number;
};

static void *note_admission(void *argument)
{
    struct member *member = argument;
    recip_mutex_lock(&member->order->mutex);
    member->order->admitted[member->order->count++] = member->number;
    recip_mutex_unlock(&member->order->mutex);
    return NULL;
}

/* The first to arrive leads; the threads that came meanwhile are one segment. */
static struct order admit_sleepers(recip_mutex_t mutex, int count)
{
    struct order order = {.mutex = mutex};
    struct member members[CROWD];
    pthread_t threads[CROWD];
    recip_mutex_lock(&order.mutex);
    for (int i = 0; i < count; i++) {
        uintptr_t before = arrivals_of(&order.mutex);
        members[i] = (struct member){&order, i};
        threads[i] = start(note_admission, &members[i]);
        wait_until_arrivals_change(&order.mutex, before);
        if (i > 0)
            WAIT_UNTIL(newest_sleeps(&order.mutex));
    }
    recip_mutex_unlock(&order.mutex);
    for (int i = 0; i < count; i++)
        finish(threads[i]);
    return order;
}

static void admission_is_reciprocating_at_bound_zero(void **unused)
{
    (void)unused;
    struct order order = admit_sleepers((recip_mutex_t)RECIP_MUTEX_INIT_BOUND(0), FEW);
    assert_memory_equal(order.admitted, ((int[]){0, 4, 3, 2, 1}), FEW * sizeof(int));
}

static void sleepers_of_a_segment_come_in_the_order_of_arrival(void **unused)
{
    (void)unused;
    struct order order = admit_sleepers((recip_mutex_t)RECIP_MUTEX_INIT, FEW);
    assert_memory_equal(order.admitted, ((int[]){0, 1, 2, 3, 4}), FEW * sizeof(int));
}

/* The newest of them, so many; then the others, from the newest. */
static void a_long_segment_is_reversed_in_part(void **unused)
{
    (void)unused;
    struct order order = admit_sleepers((recip_mutex_t)RECIP_MUTEX_INIT, CROWD);
    int rest = CROWD - MAX_REVERSED;
    assert_int_equal(order.admitted[0], 0);
    for (int i = 1; i < CROWD; i++)
        assert_int_equal(order.admitted[i], i <= MAX_REVERSED ? rest + i - 1 : CROWD - i);
}

static int install(void **unused)
{
    (void)unused;
    struct sigaction action = {.sa_handler = stand_still};
    return sigaction(SIGUSR1, &action, NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_bound_is_exact),
        cmocka_unit_test(the_default_bound_is_what_the_header_says),
        cmocka_unit_test(the_bound_is_exact_in_a_crowd),
        cmocka_unit_test(the_next_leader_counts_from_the_start),
        cmocka_unit_test(admission_is_reciprocating_at_bound_zero),
        cmocka_unit_test(sleepers_of_a_segment_come_in_the_order_of_arrival),
        cmocka_unit_test(a_long_segment_is_reversed_in_part),
    };
    return cmocka_run_group_tests(tests, install, NULL);
}
