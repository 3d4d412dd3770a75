/* SPDX-License-Identifier: MIT */
/* In the child of a fork, a mutex that the forking thread held works: it can be unlocked and used by new threads,
 * although the threads that waited for it do not exist there. The same for a condition variable and a semaphore. */
#include "common.h"

#include <sys/wait.h>

enum { ACQUISITIONS = 1000 };

struct shared {
    recip_mutex_t mutex;
    unsigned long count;
    atomic_bool forked;
};

static void *lock_many_times(void *argument)
{
    struct shared *shared = argument;
    for (int i = 0; i < ACQUISITIONS; i++) {
        recip_mutex_lock(&shared->mutex);
        shared->count++;
        if (i % 100 == 0)
            sched_yield();
        recip_mutex_unlock(&shared->mutex);
    }
    /* AddressSanitizer's own locks are not released in a child: no thread may end while another one forks. */
    WAIT_UNTIL(shared->forked);
    return NULL;
}

/* No cmocka in the child: it has one way to fail. */
static void must(bool condition)
{
    if (!condition)
        _exit(1);
}

static void use_in_child(struct shared *shared)
{
    pthread_t threads[4];
    for (int i = 0; i < 4; i++)
        must(pthread_create(&threads[i], NULL, lock_many_times, shared) == 0);
    for (int i = 0; i < 4; i++)
        must(pthread_join(threads[i], NULL) == 0);
    /* Free, and waited for by nobody: what the parent's waiters left in the word stands for nobody. */
    must(recip_mutex_destroy(&shared->mutex) == 0);
}

static void assert_child_succeeds(pid_t child)
{
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

static void held_with_waiters(unsigned bound, bool passed_before)
{
    struct shared shared = {.mutex = RECIP_MUTEX_INIT_BOUND(bound)};
    recip_mutex_lock(&shared.mutex);
    pthread_t threads[3];
    for (int i = 0; i < 3; i++) {
        uintptr_t before = arrivals_of(&shared.mutex);
        threads[i] = start(lock_many_times, &shared);
        wait_until_arrivals_change(&shared.mutex, before);
    }
    wait_until_leader_sleeps(&shared.mutex);
    if (passed_before) {
        /* A leader that has just won, with its wake-up of the next one put off. */
        recip_mutex_unlock(&shared.mutex);
        recip_mutex_lock(&shared.mutex);
    }
    pid_t child = fork();
    shared.forked = true;
    if (child == 0) {
        recip_mutex_unlock(&shared.mutex);
        if (passed_before)
            recip_mutex_lock(&shared.mutex);
        else
            must(recip_mutex_trylock(&shared.mutex) == 0);
        must(recip_mutex_trylock(&shared.mutex) == EBUSY);
        recip_mutex_unlock(&shared.mutex);
        use_in_child(&shared);
        /* And a generation later. */
        recip_mutex_lock(&shared.mutex);
        pid_t grandchild = fork();
        if (grandchild == 0) {
            recip_mutex_unlock(&shared.mutex);
            use_in_child(&shared);
            _exit(0);
        }
        recip_mutex_unlock(&shared.mutex);
        int status;
        must(waitpid(grandchild, &status, 0) == grandchild);
        _exit(status != 0);
    }
    recip_mutex_unlock(&shared.mutex);
    for (int i = 0; i < 3; i++)
        finish(threads[i]);
    assert_child_succeeds(child);
    assert_int_equal(shared.count, 3 * ACQUISITIONS);
}

static void a_held_mutex_works_in_the_child(void **unused)
{
    (void)unused;
    for (int i = 0; i < REPEAT(6); i++) {
        held_with_waiters(RECIP_BOUND_DEFAULT, i % 2);
        held_with_waiters(2, i % 2);
        held_with_waiters(0, i % 2);
    }
}

static void *wait_for_condition(void *argument)
{
    void **both = argument;
    recip_mutex_lock(both[0]);
    recip_cond_wait(both[1], both[0]);
    recip_mutex_unlock(both[0]);
    return NULL;
}

static void *signal_condition(void *argument)
{
    void **both = argument;
    recip_mutex_lock(both[0]);
    recip_cond_signal(both[1]);
    recip_mutex_unlock(both[0]);
    return NULL;
}

static void a_condition_variable_forgets_the_waiters_of_the_parent(void **unused)
{
    (void)unused;
    recip_mutex_t mutex = RECIP_MUTEX_INIT;
    recip_cond_t cond = RECIP_COND_INIT;
    void *both[] = {&mutex, &cond};
    pthread_t waiting = start(wait_for_condition, both);
    WAIT_UNTIL(peek(&cond.first));
    recip_mutex_lock(&mutex);
    pid_t child = fork();
    if (child == 0) {
        recip_cond_broadcast(&cond);
        pthread_t signaller;
        must(pthread_create(&signaller, NULL, signal_condition, both) == 0);
        recip_cond_wait(&cond, &mutex);
        recip_mutex_unlock(&mutex);
        must(pthread_join(signaller, NULL) == 0);
        _exit(0);
    }
    recip_cond_signal(&cond);
    recip_mutex_unlock(&mutex);
    finish(waiting);
    assert_child_succeeds(child);
}

static void *wait_for_permit(void *argument)
{
    recip_sem_wait(argument);
    return NULL;
}

static void a_semaphore_forgets_the_waiters_of_the_parent(void **unused)
{
    (void)unused;
    recip_sem_t sem = RECIP_SEM_INIT(0);
    pthread_t waiting = start(wait_for_permit, &sem);
    WAIT_UNTIL(__atomic_load_n(&sem.value, __ATOMIC_ACQUIRE) == 1);
    pid_t child = fork();
    if (child == 0) {
        must(recip_sem_post(&sem) == 0);
        must(recip_sem_trywait(&sem) == 0);
        must(recip_sem_trywait(&sem) == EAGAIN);
        _exit(0);
    }
    assert_int_equal(recip_sem_post(&sem), 0);
    finish(waiting);
    assert_child_succeeds(child);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_held_mutex_works_in_the_child),
        cmocka_unit_test(a_condition_variable_forgets_the_waiters_of_the_parent),
        cmocka_unit_test(a_semaphore_forgets_the_waiters_of_the_parent),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
