/* SPDX-License-Identifier: MIT */
/* A signal handler may lock another mutex wherever it interrupts; a cancelled or ended thread leaves the queue whole.
 */
#include "common.h"

#include <errno.h>
#include <signal.h>

static recip_mutex_t outer = RECIP_MUTEX_INIT_BOUND(3), inner = RECIP_MUTEX_INIT_BOUND(3);
static unsigned long outer_count, inner_count;
static atomic_ulong handled;
static atomic_bool stop;

static void lock_the_other(int signal)
{
    (void)signal;
    recip_mutex_lock(&inner);
    inner_count++;
    recip_mutex_unlock(&inner);
    handled++;
}

static void *lock_outer(void *argument)
{
    unsigned long *acquisitions = argument;
    while (!stop) {
        recip_mutex_lock(&outer);
        outer_count++;
        recip_mutex_unlock(&outer);
        ++*acquisitions;
    }
    return NULL;
}

/* Makes inner contended; takes no signals, so that it never interrupts itself while it holds it. */
static void *lock_inner(void *argument)
{
    unsigned long *acquisitions = argument;
    sigset_t all;
    sigfillset(&all);
    pthread_sigmask(SIG_BLOCK, &all, NULL);
    while (!stop) {
        recip_mutex_lock(&inner);
        inner_count++;
        recip_mutex_unlock(&inner);
        ++*acquisitions;
    }
    return NULL;
}

static void a_handler_locks_while_its_thread_waits(void **unused)
{
    (void)unused;
    enum { LOCKERS = 3, SIGNALS = REPEAT(3000) };
    struct sigaction action = {.sa_handler = lock_the_other};
    assert_int_equal(sigaction(SIGUSR1, &action, NULL), 0);
    stop = false;
    unsigned long outers[LOCKERS] = {0}, inners = 0;
    pthread_t threads[LOCKERS], other = start(lock_inner, &inners);
    for (int i = 0; i < LOCKERS; i++)
        threads[i] = start(lock_outer, &outers[i]);
    for (int i = 0; i < SIGNALS; i++) {
        pthread_kill(threads[i % LOCKERS], SIGUSR1);
        if (i % 10 == 0)
            usleep(10);
    }
    stop = true;
    unsigned long total = 0;
    for (int i = 0; i < LOCKERS; i++) {
        finish(threads[i]);
        total += outers[i];
    }
    finish(other);
    assert_int_equal(outer_count, total);
    assert_int_equal(inner_count, inners + handled);
    assert_int_equal(outer.state, 0);
    assert_int_equal(inner.state, 0);
    assert_int_equal(inner.arrivals, 0);
}

static void do_nothing(int signal)
{
    (void)signal;
}

static void *lock_with_errno(void *mutex)
{
    errno = EDOM;
    recip_mutex_lock(mutex);
    recip_mutex_unlock(mutex);
    MUST(errno == EDOM);
    return NULL;
}

/* Signals interrupt the system calls of a waiter, in whichever it is: before it queues, and asleep. */
static void errno_survives_an_interrupted_wait(void **unused)
{
    (void)unused;
    struct sigaction action = {.sa_handler = do_nothing};
    assert_int_equal(sigaction(SIGUSR1, &action, NULL), 0);
    recip_mutex_t mutex = RECIP_MUTEX_INIT;
    for (int round = 0; round < REPEAT(50); round++) {
        recip_mutex_lock(&mutex);
        pthread_t waiting = start(lock_with_errno, &mutex);
        do
            pthread_kill(waiting, SIGUSR1);
        while (!(state_of(&mutex) & RECIP_LEADER_SLEEPS_));
        pthread_kill(waiting, SIGUSR1);
        recip_mutex_unlock(&mutex);
        finish(waiting);
    }
}

static void *lock_then_look(void *argument)
{
    recip_mutex_lock(argument);
    recip_mutex_unlock(argument);
    pthread_testcancel();
    return NULL;
}

static void *lock_and_unlock(void *argument)
{
    recip_mutex_lock(argument);
    recip_mutex_unlock(argument);
    return NULL;
}

static void waiting_is_no_cancellation_point(void **unused)
{
    (void)unused;
    recip_mutex_t mutex = RECIP_MUTEX_INIT;
    for (int round = 0; round < REPEAT(20); round++) {
        recip_mutex_lock(&mutex);
        pthread_t threads[4];
        for (int i = 0; i < 4; i++) {
            uintptr_t before = arrivals_of(&mutex);
            threads[i] = start(i % 2 ? lock_and_unlock : lock_then_look, &mutex);
            wait_until_arrivals_change(&mutex, before);
        }
        pthread_cancel(threads[0]);
        pthread_cancel(threads[2]);
        recip_mutex_unlock(&mutex);
        for (int i = 0; i < 4; i++) {
            void *result;
            assert_int_equal(pthread_join(threads[i], &result), 0);
            assert_ptr_equal(result, i % 2 ? NULL : PTHREAD_CANCELED);
        }
        assert_int_equal(mutex.state, 0);
        assert_int_equal(mutex.arrivals, 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_handler_locks_while_its_thread_waits),
        cmocka_unit_test(errno_survives_an_interrupted_wait),
        cmocka_unit_test(waiting_is_no_cancellation_point),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
