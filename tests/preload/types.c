/* SPDX-License-Identifier: MIT */
/* Every type of mutex answers as POSIX says, whether made by an initialiser or by attributes. */
#include "common.h"

/* normal, default, adaptive */
static void check_plain(pthread_mutex_t *mutex)
{
    for (int round = 0; round < 3; round++) {
        CHECK_IS(pthread_mutex_lock(mutex), 0);
        CHECK_IS(pthread_mutex_trylock(mutex), EBUSY);
        CHECK_IS(elsewhere(call_trylock, mutex), EBUSY);
        CHECK_IS(pthread_mutex_destroy(mutex), EBUSY);
        struct timespec soon = from_now(CLOCK_REALTIME, 5 * MILLISECOND);
        CHECK_IS(pthread_mutex_timedlock(mutex, &soon), ETIMEDOUT);
        CHECK_IS(pthread_mutex_unlock(mutex), 0);
        CHECK_IS(pthread_mutex_trylock(mutex), 0);
        CHECK_IS(pthread_mutex_unlock(mutex), 0);
    }
    CHECK_IS(pthread_mutex_destroy(mutex), 0);
    CHECK_IS(pthread_mutex_init(mutex, NULL), 0);
    CHECK_IS(pthread_mutex_lock(mutex), 0);
    CHECK_IS(pthread_mutex_unlock(mutex), 0);
    CHECK_IS(pthread_mutex_destroy(mutex), 0);
}

static void check_recursive(pthread_mutex_t *mutex)
{
    struct timespec soon = from_now(CLOCK_REALTIME, 5 * MILLISECOND);
    CHECK_IS(pthread_mutex_unlock(mutex), EPERM);
    CHECK_IS(pthread_mutex_lock(mutex), 0);
    CHECK_IS(pthread_mutex_lock(mutex), 0);
    CHECK_IS(pthread_mutex_trylock(mutex), 0);
    CHECK_IS(pthread_mutex_timedlock(mutex, &soon), 0);
    CHECK_IS(pthread_mutex_clocklock(mutex, CLOCK_MONOTONIC, &soon), 0);
    for (int held = 5; held > 0; held--) {
        CHECK_IS(elsewhere(call_trylock, mutex), EBUSY);
        CHECK_IS(elsewhere(call_unlock, mutex), EPERM);
        CHECK_IS(pthread_mutex_destroy(mutex), EBUSY);
        CHECK_IS(pthread_mutex_unlock(mutex), 0);
    }
    CHECK_IS(pthread_mutex_unlock(mutex), EPERM);
    CHECK_IS(pthread_mutex_destroy(mutex), 0);
}

static void check_errorcheck(pthread_mutex_t *mutex)
{
    struct timespec soon = from_now(CLOCK_REALTIME, 5 * MILLISECOND);
    CHECK_IS(pthread_mutex_unlock(mutex), EPERM);
    CHECK_IS(pthread_mutex_lock(mutex), 0);
    CHECK_IS(pthread_mutex_lock(mutex), EDEADLK);
    CHECK_IS(pthread_mutex_timedlock(mutex, &soon), EDEADLK);
    CHECK_IS(pthread_mutex_trylock(mutex), EBUSY);
    CHECK_IS(elsewhere(call_trylock, mutex), EBUSY);
    CHECK_IS(elsewhere(call_unlock, mutex), EPERM);
    CHECK_IS(pthread_mutex_destroy(mutex), EBUSY);
    CHECK_IS(pthread_mutex_unlock(mutex), 0);
    CHECK_IS(pthread_mutex_unlock(mutex), EPERM);
    CHECK_IS(pthread_mutex_destroy(mutex), 0);
}

static void *lock_and_end(void *mutex)
{
    return (void *)(long)pthread_mutex_lock(mutex);
}

/* The owner has ended. The next thread, even if it gets the same memory, is not the owner. */
static void check_orphan(int type)
{
    pthread_mutex_t mutex;
    init_mutex(&mutex, type);
    CHECK_IS(elsewhere(lock_and_end, &mutex), 0);
    CHECK_IS(elsewhere(call_trylock, &mutex), EBUSY);
    CHECK_IS(elsewhere(call_unlock, &mutex), EPERM);
}

/* A failed call of the program stays the last error, whatever a lock does in between. */
static void check_errno(void)
{
    pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
    struct timespec soon = from_now(CLOCK_REALTIME, 5 * MILLISECOND);
    CHECK_IS(pthread_mutex_lock(&mutex), 0);
    errno = ENOTTY;
    CHECK_IS(pthread_mutex_timedlock(&mutex, &soon), ETIMEDOUT);
    CHECK_IS(pthread_mutex_unlock(&mutex), 0);
    CHECK_IS(errno, ENOTTY);
}

int main(void)
{
    static const int plain[] = {PTHREAD_MUTEX_NORMAL, PTHREAD_MUTEX_DEFAULT, PTHREAD_MUTEX_ADAPTIVE_NP};
    pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
    check_plain(&mutex);
    mutex = (pthread_mutex_t)PTHREAD_ADAPTIVE_MUTEX_INITIALIZER_NP;
    check_plain(&mutex);
    mutex = (pthread_mutex_t)PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;
    check_recursive(&mutex);
    mutex = (pthread_mutex_t)PTHREAD_ERRORCHECK_MUTEX_INITIALIZER_NP;
    check_errorcheck(&mutex);
    for (size_t i = 0; i < sizeof plain / sizeof *plain; i++) {
        memset(&mutex, 0xa5, sizeof mutex);
        init_mutex(&mutex, plain[i]);
        check_plain(&mutex);
    }
    memset(&mutex, 0xa5, sizeof mutex);
    init_mutex(&mutex, PTHREAD_MUTEX_RECURSIVE);
    check_recursive(&mutex);
    memset(&mutex, 0xa5, sizeof mutex);
    init_mutex(&mutex, PTHREAD_MUTEX_ERRORCHECK);
    check_errorcheck(&mutex);
    check_orphan(PTHREAD_MUTEX_RECURSIVE);
    check_orphan(PTHREAD_MUTEX_ERRORCHECK);
    check_errno();
    return 0;
}
