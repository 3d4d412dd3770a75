/* SPDX-License-Identifier: MIT */
/* Fork: handlers that lock, a child that uses what its parent's threads were waiting for, and its children. */
#include "common.h"

#include <sys/wait.h>

enum { MUTEXES = 4, THREADS = 4 };
static pthread_mutex_t mutexes[MUTEXES] = {
    PTHREAD_MUTEX_INITIALIZER,
    PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP,
    PTHREAD_ERRORCHECK_MUTEX_INITIALIZER_NP,
    PTHREAD_ADAPTIVE_MUTEX_INITIALIZER_NP,
};
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t cond = PTHREAD_COND_INITIALIZER;
static bool stop, go;
static int waiting; /* of those who wait for go: how many do, or are about to */

static void lock_all(void)
{
    for (int i = 0; i < MUTEXES; i++)
        CHECK_IS(pthread_mutex_lock(&mutexes[i]), 0);
}

static void unlock_all(void)
{
    for (int i = MUTEXES; i-- > 0;)
        CHECK_IS(pthread_mutex_unlock(&mutexes[i]), 0);
}

/* With glibc the child may be refused to unlock an errorcheck or recursive mutex. It can always initialise it again. */
static void make_all(void)
{
    CHECK_IS(pthread_mutex_unlock(&mutexes[0]), 0);
    for (int i = 1; i < MUTEXES; i++) {
        static const int types[] = {0, PTHREAD_MUTEX_RECURSIVE, PTHREAD_MUTEX_ERRORCHECK, PTHREAD_MUTEX_ADAPTIVE_NP};
        init_mutex(&mutexes[i], types[i]);
    }
}

static void *contend(void *of)
{
    (void)of;
    while (!__atomic_load_n(&stop, __ATOMIC_RELAXED)) {
        lock_all();
        usleep(10);
        unlock_all();
    }
    return NULL;
}

static void *wait_for_go(void *of)
{
    (void)of;
    pthread_mutex_lock(&mutex);
    waiting++;
    while (!go)
        pthread_cond_wait(&cond, &mutex);
    pthread_mutex_unlock(&mutex);
    return NULL;
}

/* A child that is made while one of them has the mutex would find it locked for ever, by a thread that it does not
 * have.
 */
static void await_waiters(int number)
{
    for (bool all = false; !all; usleep(100)) {
        pthread_mutex_lock(&mutex);
        all = waiting == number;
        pthread_mutex_unlock(&mutex);
    }
}

/* All that a process does, with threads of its own. */
static void live(void)
{
    pthread_t threads[THREADS];
    for (int i = 0; i < THREADS; i++)
        threads[i] = start(wait_for_go, NULL);
    for (int i = 0; i < 100; i++) {
        lock_all();
        unlock_all();
    }
    usleep(1000);
    pthread_mutex_lock(&mutex);
    go = true;
    pthread_cond_broadcast(&cond);
    pthread_mutex_unlock(&mutex);
    for (int i = 0; i < THREADS; i++)
        finish(threads[i]);
}

static void fork_and_live(int generations)
{
    pid_t child = fork();
    CHECK(child >= 0);
    if (child == 0) {
        alarm(60);
        if (generations > 1)
            fork_and_live(generations - 1);
        live();
        _exit(0);
    }
    int status;
    CHECK_IS(waitpid(child, &status, 0), child);
    CHECK_IS(status, 0);
}

int main(void)
{
    CHECK_IS(pthread_atfork(lock_all, unlock_all, make_all), 0);
    pthread_t contenders[THREADS], waiters[THREADS];
    for (int i = 0; i < THREADS; i++) {
        contenders[i] = start(contend, NULL);
        waiters[i] = start(wait_for_go, NULL);
    }
    await_waiters(THREADS);
    for (int round = 0; round < 20; round++)
        fork_and_live(round % 3 + 1);
    __atomic_store_n(&stop, true, __ATOMIC_RELAXED);
    pthread_mutex_lock(&mutex);
    go = true;
    pthread_cond_broadcast(&cond);
    pthread_mutex_unlock(&mutex);
    for (int i = 0; i < THREADS; i++) {
        finish(contenders[i]);
        finish(waiters[i]);
    }
    return 0;
}
