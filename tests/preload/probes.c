/* SPDX-License-Identifier: MIT */
/* Known numbers of calls, for probes.sh to count: see there. */
#include "common.h"

pthread_mutex_t traced_mutex, traced_recursive;
pthread_cond_t traced_cond;

int main(void)
{
    struct timespec past = {1, 0}, later = from_now(CLOCK_REALTIME, 1000000 * MILLISECOND);
    pthread_condattr_t attributes;
    pthread_condattr_init(&attributes);
    CHECK_IS(pthread_mutex_init(&traced_mutex, NULL), 0);
    init_mutex(&traced_recursive, PTHREAD_MUTEX_RECURSIVE);
    CHECK_IS(pthread_cond_init(&traced_cond, &attributes), 0);
    for (int i = 0; i < 10; i++) {
        CHECK_IS(pthread_mutex_lock(&traced_mutex), 0);
        CHECK_IS(pthread_mutex_unlock(&traced_mutex), 0);
    }
    CHECK_IS(pthread_mutex_timedlock(&traced_mutex, &later), 0);
    CHECK_IS(pthread_mutex_unlock(&traced_mutex), 0);
    CHECK_IS(pthread_mutex_clocklock(&traced_mutex, CLOCK_MONOTONIC, &later), 0);
    /* Gives the mutex up and locks it again. */
    CHECK_IS(pthread_cond_timedwait(&traced_cond, &traced_mutex, &past), ETIMEDOUT);
    CHECK_IS(pthread_mutex_unlock(&traced_mutex), 0);
    /* One acquisition, one release. */
    CHECK_IS(pthread_mutex_lock(&traced_recursive), 0);
    CHECK_IS(pthread_mutex_lock(&traced_recursive), 0);
    CHECK_IS(pthread_mutex_unlock(&traced_recursive), 0);
    CHECK_IS(pthread_mutex_unlock(&traced_recursive), 0);
    CHECK_IS(pthread_mutex_unlock(&traced_recursive), EPERM);
    for (int i = 0; i < 3; i++)
        CHECK_IS(pthread_cond_signal(&traced_cond), 0);
    for (int i = 0; i < 2; i++)
        CHECK_IS(pthread_cond_broadcast(&traced_cond), 0);
    CHECK_IS(pthread_cond_destroy(&traced_cond), 0);
    CHECK_IS(pthread_mutex_destroy(&traced_mutex), 0);
    CHECK_IS(pthread_mutex_destroy(&traced_recursive), 0);
    return 0;
}
