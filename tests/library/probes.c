/* SPDX-License-Identifier: MIT */
/* Known numbers of calls and waits, for probes.sh to count: see there. The mutex has the bound 0, so a waiter marks it
 * until it has it, and each release with a waiter takes the slow path. */
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include <recip.h>

recip_mutex_t traced_mutex;
recip_cond_t traced_cond;

#define MUST_BE(expression, value)                                                                                     \
    do {                                                                                                               \
        if ((expression) != (value)) {                                                                                 \
            fprintf(stderr, "%s:%d: %s is not %s\n", __FILE__, __LINE__, #expression, #value);                         \
            exit(1);                                                                                                   \
        }                                                                                                              \
    } while (0)

static const struct timespec never = {INT32_MAX, 0}, past = {1, 0};

static void *lock(void *unused)
{
    recip_mutex_lock(&traced_mutex);
    recip_mutex_unlock(&traced_mutex);
    return unused;
}

static void *lock_by_monotonic(void *unused)
{
    MUST_BE(recip_mutex_clocklock(&traced_mutex, CLOCK_MONOTONIC, &never), 0);
    recip_mutex_unlock(&traced_mutex);
    return unused;
}

static void *lock_in_time(void *unused)
{
    struct timespec in_a_year;
    clock_gettime(CLOCK_REALTIME, &in_a_year);
    in_a_year.tv_sec += 365 * 86400;
    MUST_BE(recip_mutex_timedlock(&traced_mutex, &in_a_year), 0);
    recip_mutex_unlock(&traced_mutex);
    return unused;
}

/* While this thread has the mutex. */
static void let_wait(void *(*body)(void *))
{
    pthread_t thread;
    recip_mutex_lock(&traced_mutex);
    MUST_BE(pthread_create(&thread, NULL, body, NULL), 0);
    while (!(__atomic_load_n(&traced_mutex.state, __ATOMIC_RELAXED) & RECIP_BARRED_))
        sched_yield();
    recip_mutex_unlock(&traced_mutex);
    MUST_BE(pthread_join(thread, NULL), 0);
}

int main(void)
{
    MUST_BE(recip_mutex_init_bound(&traced_mutex, 0), 0);
    recip_cond_init(&traced_cond);
    for (int i = 0; i < 10; i++) {
        recip_mutex_lock(&traced_mutex);
        recip_mutex_unlock(&traced_mutex);
    }
    let_wait(lock);
    let_wait(lock_by_monotonic);
    let_wait(lock_in_time);
    recip_mutex_lock(&traced_mutex);
    MUST_BE(recip_cond_timedwait(&traced_cond, &traced_mutex, &past), ETIMEDOUT);
    recip_mutex_unlock(&traced_mutex);
    for (int i = 0; i < 3; i++)
        recip_cond_signal(&traced_cond);
    for (int i = 0; i < 2; i++)
        recip_cond_broadcast(&traced_cond);
    MUST_BE(recip_cond_destroy(&traced_cond), 0);
    MUST_BE(recip_mutex_destroy(&traced_mutex), 0);
    return 0;
}
