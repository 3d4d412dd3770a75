/* SPDX-License-Identifier: MIT */
/* RECIP_DEBUG: each misuse ends the program with the line that names it, and nothing else does. Built twice: with
 * -DRECIP_DEBUG, and without, to be run with RECIP_DEBUG=1. */
#include "common.h"

#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>

static recip_mutex_t mutex, other;
static recip_cond_t cond;
static recip_sem_t sem;
static const struct timespec never = {INT32_MAX, 0};

/* What a call in a child printed; and the child was aborted. */
static void misuse(void (*call)(void), char *line, size_t size)
{
    int ends[2], status;
    size_t length = 0;
    ssize_t more;
    assert_int_equal(pipe(ends), 0);
    pid_t child = fork();
    if (child == 0) {
        dup2(ends[1], STDERR_FILENO);
        signal(SIGABRT, SIG_DFL);
        recip_mutex_init(&mutex);
        recip_mutex_init(&other);
        call();
        _exit(0);
    }
    close(ends[1]);
    while (length < size - 1 && (more = read(ends[0], line + length, size - 1 - length)) > 0)
        length += (size_t)more;
    line[length] = 0;
    close(ends[0]);
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFSIGNALED(status));
    assert_int_equal(WTERMSIG(status), SIGABRT);
}

static void expect(void (*call)(void), const char *name, const char *what, const void *object, const char *says)
{
    char line[400], expected[400];
    misuse(call, line, sizeof line);
    snprintf(expected, sizeof expected, "recip: %s: the %s at %p %s", name, what, object, says);
    if (strncmp(line, expected, strlen(expected)) != 0)
        assert_string_equal(line, expected);
    char *end = strchr(line, '\n');
    assert_non_null(end); /* qemu adds a line of its own about the signal */
}

/* ---- Other threads ---- */

static _Atomic(bool) done;

static void *hold(void *unused)
{
    recip_mutex_lock(&mutex);
    done = true;
    for (;;)
        pause();
    return unused;
}

static void *wait_for_mutex(void *unused)
{
    recip_mutex_lock(&mutex);
    return unused;
}

static void *wait_for_cond(void *unused)
{
    recip_mutex_lock(&mutex);
    recip_cond_wait(&cond, &mutex);
    return unused;
}

static void *wait_for_sem(void *unused)
{
    recip_sem_wait(&sem);
    return unused;
}

static void begin(void *(*body)(void *))
{
    pthread_t thread;
    MUST(pthread_create(&thread, NULL, body, NULL) == 0);
}

static void begin_holder(void)
{
    begin(hold);
    WAIT_UNTIL(done);
}

/* ---- Misuses ---- */

static void unlock_free(void)
{
    recip_mutex_unlock(&mutex);
}

static void unlock_twice(void)
{
    recip_mutex_lock(&mutex);
    recip_mutex_unlock(&mutex);
    recip_mutex_unlock(&mutex);
}

static void unlock_static(void)
{
    static recip_mutex_t fresh = RECIP_MUTEX_INIT;
    memcpy(&other, &fresh, sizeof other);
    recip_mutex_unlock(&other);
}

static void unlock_of_another(void)
{
    begin_holder();
    recip_mutex_unlock(&mutex);
}

static void lock_again(void)
{
    recip_mutex_lock(&mutex);
    recip_mutex_lock(&mutex);
}

static void lock_again_in_time(void)
{
    recip_mutex_lock(&mutex);
    recip_mutex_timedlock(&mutex, &never);
}

static void lock_tried(void)
{
    MUST(recip_mutex_trylock(&mutex) == 0);
    recip_mutex_lock(&mutex);
}

static void *lock_and_leave(void *unused)
{
    recip_mutex_lock(&mutex);
    recip_mutex_unlock(&mutex);
    done = true;
    return unused;
}

/* Taken by waiting, which is another path. */
static void lock_again_after_wait(void)
{
    recip_mutex_init_bound(&mutex, 0);
    recip_mutex_lock(&mutex);
    begin(lock_and_leave);
    WAIT_UNTIL(state_of(&mutex) & RECIP_BARRED_);
    recip_mutex_unlock(&mutex);
    WAIT_UNTIL(done);
    lock_again();
}

static void assert_of_another(void)
{
    begin_holder();
    recip_mutex_assert_held(&mutex);
}

static void destroy_locked(void)
{
    recip_mutex_lock(&mutex);
    recip_mutex_destroy(&mutex);
}

static void destroy_waited_for(void)
{
    recip_mutex_lock(&mutex);
    begin(wait_for_mutex);
    WAIT_UNTIL(arrivals_of(&mutex));
    recip_mutex_destroy(&mutex);
}

static void lock_destroyed(void)
{
    recip_mutex_destroy(&mutex);
    recip_mutex_lock(&mutex);
}

static void try_destroyed(void)
{
    recip_mutex_destroy(&mutex);
    recip_mutex_trylock(&mutex);
}

static void unlock_destroyed(void)
{
    recip_mutex_destroy(&mutex);
    recip_mutex_unlock(&mutex);
}

static void lock_freed(void)
{
    memset(&mutex, 0xa5, sizeof mutex);
    recip_mutex_lock(&mutex);
}

static void unlock_freed(void)
{
    recip_mutex_lock(&mutex);
    memset(&mutex, 0xdf, sizeof mutex);
    recip_mutex_unlock(&mutex);
}

static void wait_without_mutex(void)
{
    recip_cond_wait(&cond, &mutex);
}

static void wait_with_mutex_of_another(void)
{
    begin_holder();
    recip_cond_wait(&cond, &mutex);
}

static void destroy_cond_waited_for(void)
{
    begin(wait_for_cond);
    WAIT_UNTIL(peek(&cond.first));
    recip_cond_destroy(&cond);
}

static void signal_destroyed(void)
{
    recip_cond_destroy(&cond);
    recip_cond_signal(&cond);
}

static void broadcast_freed(void)
{
    memset(&cond, 0xa5, sizeof cond);
    recip_cond_broadcast(&cond);
}

static void destroy_sem_waited_for(void)
{
    begin(wait_for_sem);
    WAIT_UNTIL(peek(&sem.arrivals));
    recip_sem_destroy(&sem);
}

static void post_destroyed(void)
{
    recip_sem_init(&sem, 3);
    recip_sem_destroy(&sem);
    recip_sem_post(&sem);
}

static void wait_destroyed(void)
{
    recip_sem_init(&sem, 3);
    recip_sem_destroy(&sem);
    recip_sem_wait(&sem);
}

static void post_freed(void)
{
    memset(&sem, 0xa5, sizeof sem);
    recip_sem_post(&sem);
}

static void misuses_of_the_mutex(void **state)
{
    (void)state;
    static const char unlocks[] = "recip_mutex_unlock", locks[] = "recip_mutex_lock";
    static const char freed[] = "is memory that was freed or not initialised: state ";
    expect(unlock_free, unlocks, "mutex", &mutex, "is not locked\n");
    expect(unlock_twice, unlocks, "mutex", &mutex, "is not locked\n");
    expect(unlock_static, unlocks, "mutex", &other, "is not locked\n");
    expect(unlock_of_another, unlocks, "mutex", &mutex, "is locked by thread ");
    expect(lock_again, locks, "mutex", &mutex, "is locked by this thread already\n");
    expect(lock_again_in_time, "recip_mutex_clocklock", "mutex", &mutex, "is locked by this thread already\n");
    expect(lock_tried, locks, "mutex", &mutex, "is locked by this thread already\n");
    expect(lock_again_after_wait, locks, "mutex", &mutex, "is locked by this thread already\n");
    expect(assert_of_another, "recip_mutex_assert_held", "mutex", &mutex, "is locked by thread ");
    expect(destroy_locked, "recip_mutex_destroy", "mutex", &mutex, "is locked or waited for\n");
    expect(destroy_waited_for, "recip_mutex_destroy", "mutex", &mutex, "is locked or waited for\n");
    expect(lock_destroyed, locks, "mutex", &mutex, "has been destroyed\n");
    expect(try_destroyed, "recip_mutex_trylock", "mutex", &mutex, "has been destroyed\n");
    expect(unlock_destroyed, unlocks, "mutex", &mutex, "has been destroyed\n");
    expect(lock_freed, locks, "mutex", &mutex, freed);
    expect(unlock_freed, unlocks, "mutex", &mutex, freed);
}

static void misuses_of_the_others(void **state)
{
    (void)state;
    static const char freed[] = "is memory that was freed or not initialised: ";
#ifdef RECIP_DEBUG
    static const char signals[] = "recip_cond_signal", broadcasts[] = "recip_cond_broadcast";
    static const char posts[] = "recip_sem_post", waits[] = "recip_sem_clockwait";
#else
    static const char signals[] = "recip_cond", broadcasts[] = "recip_cond";
    static const char posts[] = "recip_sem", waits[] = "recip_sem";
#endif
    expect(wait_without_mutex, "recip_cond_wait", "mutex", &mutex, "is not locked\n");
    expect(wait_with_mutex_of_another, "recip_cond_wait", "mutex", &mutex, "is locked by thread ");
    expect(destroy_cond_waited_for, "recip_cond_destroy", "condition variable", &cond, "is waited for\n");
    expect(signal_destroyed, signals, "condition variable", &cond, "has been destroyed\n");
    expect(broadcast_freed, broadcasts, "condition variable", &cond, freed);
    expect(destroy_sem_waited_for, "recip_sem_destroy", "semaphore", &sem, "is waited for\n");
    expect(post_destroyed, posts, "semaphore", &sem, "has been destroyed\n");
    expect(wait_destroyed, waits, "semaphore", &sem, "has been destroyed\n");
    expect(post_freed, posts, "semaphore", &sem, freed);
}

/* The line has the number of the thread that the kernel knows. */
static _Atomic(int) holder;

static void *hold_and_tell(void *unused)
{
    holder = (int)syscall(SYS_gettid);
    dprintf(STDERR_FILENO, "%d ", holder);
    return hold(unused);
}

static void unlock_of_a_known_one(void)
{
    begin(hold_and_tell);
    WAIT_UNTIL(done);
    recip_mutex_unlock(&mutex);
}

static void owner_is_named(void **state)
{
    (void)state;
    char line[400], expected[100];
    int tid;
    misuse(unlock_of_a_known_one, line, sizeof line);
    assert_int_equal(sscanf(line, "%d", &tid), 1);
    snprintf(expected, sizeof expected, " is locked by thread %d, not by this one (", tid);
    assert_non_null(strstr(line, expected));
}

/* ---- What is right ---- */

enum { THREADS = 4 };

static unsigned long count, turns;

static void *use(void *unused)
{
    for (unsigned i = 0; i < REPEAT(20000); i++) {
        if (i % 3 == 0)
            recip_mutex_lock(&mutex);
        else if (i % 3 == 1)
            WAIT_UNTIL(recip_mutex_trylock(&mutex) == 0);
        else
            MUST(recip_mutex_timedlock(&mutex, &never) == 0);
        recip_mutex_assert_held(&mutex);
        MUST(recip_mutex_trylock(&mutex) == EBUSY);
        count++;
        if (i % 16 == 0)
            recip_cond_broadcast(&cond);
        recip_mutex_unlock(&mutex);
        recip_sem_post(&sem);
        recip_sem_wait(&sem);
    }
    return unused;
}

static void *follow(void *unused)
{
    recip_mutex_lock(&mutex);
    while (count < (unsigned long)THREADS * REPEAT(20000)) {
        struct timespec soon = after(CLOCK_REALTIME, 1000000);
        recip_cond_timedwait(&cond, &mutex, &soon);
        recip_mutex_assert_held(&mutex);
        turns++;
    }
    recip_mutex_unlock(&mutex);
    return unused;
}

static void right_use_is_left_alone(void **state)
{
    (void)state;
    recip_mutex_init(&mutex);
    pthread_t threads[THREADS + 1];
    for (unsigned i = 0; i < THREADS; i++)
        threads[i] = start(use, NULL);
    threads[THREADS] = start(follow, NULL);
    for (unsigned i = 0; i <= THREADS; i++)
        finish(threads[i]);
    assert_int_equal(count, (unsigned long)THREADS * REPEAT(20000));
    assert_int_equal(recip_cond_destroy(&cond), 0);
    assert_int_equal(recip_sem_destroy(&sem), 0);
    assert_int_equal(recip_mutex_destroy(&mutex), 0);
}

/* Memory is a mutex anew when it has the bytes of an initialiser, whatever became of the mutex that was there. */
static void memory_is_used_again(void **state)
{
    (void)state;
    for (int i = 0; i < 3; i++) {
        recip_mutex_t again = RECIP_MUTEX_INIT;
        memcpy(&mutex, &again, sizeof mutex);
        recip_mutex_lock(&mutex);
        recip_mutex_unlock(&mutex);
        recip_mutex_lock(&mutex);
        if (i == 1) {
            recip_mutex_unlock(&mutex);
            assert_int_equal(recip_mutex_destroy(&mutex), 0);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(misuses_of_the_mutex),    cmocka_unit_test(misuses_of_the_others),
        cmocka_unit_test(owner_is_named),          cmocka_unit_test(memory_is_used_again),
        cmocka_unit_test(right_use_is_left_alone),
    };
    return cmocka_run_group_tests_name("RECIP_DEBUG", tests, NULL, NULL);
}
