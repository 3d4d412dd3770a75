/* SPDX-License-Identifier: MIT */
/* The library as another language sees it: symbols, sizes and alignments, without the header. Its calls and the inline
 * ones of a program in C work on the same objects at the same time (foreign-inline.c). */
#include "foreign.h"

#include <errno.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define MUST(condition)                                                                                                \
    do {                                                                                                               \
        if (!(condition)) {                                                                                            \
            fprintf(stderr, "%s:%d: %s does not hold\n", __FILE__, __LINE__, #condition);                              \
            abort();                                                                                                   \
        }                                                                                                              \
    } while (0)

enum { THREADS = 4, TIMES = 20000 / TEST_SCALE + 1 };

/* As a binding would write it down from docs/abi.md. */
const char *recip_version(void);
void recip_mutex_init(void *mutex);
int recip_mutex_init_bound(void *mutex, unsigned bound);
int recip_mutex_destroy(void *mutex);
void recip_mutex_lock(void *mutex);
int recip_mutex_trylock(void *mutex);
int recip_mutex_clocklock(void *mutex, int clock, const void *deadline);
int recip_mutex_timedlock(void *mutex, const void *deadline);
void recip_mutex_unlock(void *mutex);
void recip_cond_init(void *cond);
int recip_cond_destroy(void *cond);
void recip_cond_wait(void *cond, void *mutex);
int recip_cond_clockwait(void *cond, void *mutex, int clock, const void *deadline);
int recip_cond_timedwait(void *cond, void *mutex, const void *deadline);
void recip_cond_signal(void *cond);
void recip_cond_broadcast(void *cond);
int recip_sem_init(void *sem, unsigned permits);
int recip_sem_destroy(void *sem);
void recip_sem_wait(void *sem);
int recip_sem_trywait(void *sem);
int recip_sem_clockwait(void *sem, int clock, const void *deadline);
int recip_sem_timedwait(void *sem, const void *deadline);
int recip_sem_post(void *sem);
void recip_sem_getvalue(void *sem, int *value);
void recip_lock_acquire(void *lock, void *context);
int recip_lock_try_acquire(void *lock, void *context);
void recip_lock_release(void *lock, void *context);

static struct foreign shared;

static struct timespec soon(clockid_t clock)
{
    struct timespec time;
    MUST(clock_gettime(clock, &time) == 0);
    time.tv_nsec += 1000000;
    time.tv_sec += time.tv_nsec / 1000000000;
    time.tv_nsec %= 1000000000;
    return time;
}

static void lock_in_some_way(unsigned way)
{
    struct timespec deadline = {INT32_MAX, 0};
    switch (way % 4) {
    case 0:
        recip_mutex_lock(shared.mutex);
        return;
    case 1:
        if (recip_mutex_trylock(shared.mutex) != 0)
            recip_mutex_lock(shared.mutex);
        return;
    case 2:
        MUST(recip_mutex_clocklock(shared.mutex, CLOCK_MONOTONIC, &deadline) == 0);
        return;
    default:
        MUST(recip_mutex_timedlock(shared.mutex, &deadline) == 0);
    }
}

static void *use_foreign(void *unused)
{
    (void)unused;
    for (unsigned i = 0; i < TIMES; i++) {
        uint64_t context[2];
        recip_sem_wait(shared.sem);
        lock_in_some_way(i);
        shared.count++;
        recip_mutex_unlock(shared.mutex);
        recip_lock_acquire(shared.lock, context);
        shared.locked++;
        recip_lock_release(shared.lock, context);
        MUST(recip_sem_post(shared.sem) == 0);
    }
    return NULL;
}

static void *use_inline(void *unused)
{
    (void)unused;
    for (unsigned i = 0; i < TIMES; i++)
        foreign_inline_use(&shared);
    return NULL;
}

static void *pass_the_turn(void *number)
{
    int own = *(int *)number;
    for (int i = 0; i < 500; i++) {
        if (own) {
            foreign_inline_turn(&shared);
            continue;
        }
        recip_mutex_lock(shared.mutex);
        while (shared.turn != 0)
            recip_cond_wait(shared.cond, shared.mutex);
        shared.turn = 1;
        if (i % 2)
            recip_cond_signal(shared.cond);
        else
            recip_cond_broadcast(shared.cond);
        recip_mutex_unlock(shared.mutex);
    }
    return NULL;
}

static void run(void *(*first)(void *), void *(*second)(void *), int threads)
{
    pthread_t all[THREADS];
    static int numbers[] = {0, 1};
    for (int i = 0; i < threads; i++)
        MUST(pthread_create(&all[i], NULL, i % 2 ? second : first, &numbers[i % 2]) == 0);
    for (int i = 0; i < threads; i++)
        MUST(pthread_join(all[i], NULL) == 0);
}

/* Each call once, for what it returns. */
static void calls_return_what_they_say(void)
{
    struct timespec real = soon(CLOCK_REALTIME), monotonic = soon(CLOCK_MONOTONIC);
    uint64_t context[2];
    int value;
    MUST(strcmp(recip_version(), foreign_inline_version()) == 0);
    MUST(recip_mutex_init_bound(shared.mutex, 70000) == EINVAL && recip_mutex_init_bound(shared.mutex, 3) == 0);
    recip_mutex_lock(shared.mutex);
    MUST(recip_mutex_trylock(shared.mutex) == EBUSY && recip_mutex_destroy(shared.mutex) == EBUSY);
    MUST(recip_mutex_timedlock(shared.mutex, &real) == ETIMEDOUT);
    MUST(recip_mutex_clocklock(shared.mutex, CLOCK_MONOTONIC, &monotonic) == ETIMEDOUT);
    MUST(recip_cond_timedwait(shared.cond, shared.mutex, &real) == ETIMEDOUT);
    MUST(recip_cond_clockwait(shared.cond, shared.mutex, CLOCK_MONOTONIC, &monotonic) == ETIMEDOUT);
    recip_mutex_unlock(shared.mutex);
    MUST(recip_mutex_destroy(shared.mutex) == 0 && recip_cond_destroy(shared.cond) == 0);
    MUST(recip_sem_init(shared.sem, 1) == 0 && recip_sem_trywait(shared.sem) == 0);
    MUST(recip_sem_trywait(shared.sem) == EAGAIN && recip_sem_timedwait(shared.sem, &real) == ETIMEDOUT);
    MUST(recip_sem_clockwait(shared.sem, CLOCK_MONOTONIC, &monotonic) == ETIMEDOUT);
    MUST(recip_sem_post(shared.sem) == 0);
    recip_sem_getvalue(shared.sem, &value);
    MUST(value == 1 && recip_sem_destroy(shared.sem) == 0);
    MUST(recip_lock_try_acquire(shared.lock, context) == 0);
    MUST(recip_lock_try_acquire(shared.lock, (uint64_t[2]){0}) == EBUSY);
    recip_lock_release(shared.lock, context);
}

int main(void)
{
    memset(shared.mutex, 0xff, sizeof shared.mutex);
    memset(shared.cond, 0xff, sizeof shared.cond);
    recip_mutex_init(shared.mutex);
    recip_cond_init(shared.cond);
    calls_return_what_they_say();
    recip_mutex_init(shared.mutex);
    MUST(recip_sem_init(shared.sem, 3) == 0);
    run(use_foreign, use_inline, THREADS);
    MUST(shared.count == THREADS * TIMES && shared.locked == THREADS * TIMES);
    run(pass_the_turn, pass_the_turn, 2);
    MUST(shared.turn == 0);
}
