/* SPDX-License-Identifier: MIT */
/* A program that has used up its memory before it locks for the first time, and the child of one that locked before:
 * locking needs none. */
#include "common.h"

#include <semaphore.h>
#include <sys/resource.h>
#include <sys/wait.h>

enum { MUTEXES = 64 };
static pthread_mutex_t mutexes[MUTEXES];
static pthread_mutex_t held = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t cond = PTHREAD_COND_INITIALIZER;
static sem_t begin;

static void lock_and_unlock_all(void)
{
    for (int i = 0; i < MUTEXES; i++)
        CHECK_IS(pthread_mutex_lock(&mutexes[i]), 0);
    for (int i = 0; i < MUTEXES; i++)
        CHECK_IS(pthread_mutex_unlock(&mutexes[i]), 0);
}

static void *lock_in_vain(void *of)
{
    (void)of;
    while (sem_wait(&begin) != 0) {
    }
    struct timespec soon = from_now(CLOCK_REALTIME, MILLISECOND);
    CHECK_IS(pthread_mutex_timedlock(&held, &soon), ETIMEDOUT);
    return NULL;
}

/* The stack that is in use may not grow either. */
__attribute__((noinline)) static void touch_stack(void)
{
    volatile char used[256 << 10];
    for (size_t i = 0; i < sizeof used; i += 1024)
        used[i] = 1;
}

static void *no_more(void)
{
    static const struct rlimit none = {0, 0};
    touch_stack();
    CHECK_IS(setrlimit(RLIMIT_AS, &none), 0);
    void *volatile memory = malloc(16 << 20); /* a compiler may take it that malloc succeeds */
    return memory;
}

static void live(void)
{
    CHECK_IS(sem_init(&begin, 0, 0), 0);
    pthread_t other = start(lock_in_vain, NULL);
    CHECK(no_more() == NULL);
    lock_and_unlock_all();
    CHECK_IS(pthread_mutex_lock(&held), 0);
    CHECK_IS(sem_post(&begin), 0);
    finish(other);
    struct timespec soon = from_now(CLOCK_REALTIME, MILLISECOND);
    CHECK_IS(pthread_cond_timedwait(&cond, &held, &soon), ETIMEDOUT);
    CHECK_IS(pthread_mutex_unlock(&held), 0);
}

static void check_in_child(void)
{
    pid_t child = fork();
    CHECK(child >= 0);
    if (child == 0) {
        live();
        _exit(0);
    }
    int status;
    CHECK_IS(waitpid(child, &status, 0), child);
    CHECK_IS(status, 0);
}

int main(void)
{
    check_in_child();
    lock_and_unlock_all();
    check_in_child();
    return 0;
}
