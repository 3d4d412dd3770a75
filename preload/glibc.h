/* SPDX-License-Identifier: MIT */
/* glibc's own functions, which this library interposes: for the mutexes and condition variables that are left to
 * glibc. */
#ifndef RECIP_PRELOAD_GLIBC_H
#define RECIP_PRELOAD_GLIBC_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <time.h>

/* FUNCTION(name, arguments): int pthread_NAME arguments */
#define GLIBC_FUNCTIONS(FUNCTION)                                                                                      \
    FUNCTION(mutex_init, (pthread_mutex_t *, const pthread_mutexattr_t *))                                             \
    FUNCTION(mutex_destroy, (pthread_mutex_t *))                                                                       \
    FUNCTION(mutex_lock, (pthread_mutex_t *))                                                                          \
    FUNCTION(mutex_trylock, (pthread_mutex_t *))                                                                       \
    FUNCTION(mutex_timedlock, (pthread_mutex_t *, const struct timespec *))                                            \
    FUNCTION(mutex_clocklock, (pthread_mutex_t *, clockid_t, const struct timespec *))                                 \
    FUNCTION(mutex_unlock, (pthread_mutex_t *))                                                                        \
    FUNCTION(cond_init, (pthread_cond_t *, const pthread_condattr_t *))                                                \
    FUNCTION(cond_destroy, (pthread_cond_t *))                                                                         \
    FUNCTION(cond_wait, (pthread_cond_t *, pthread_mutex_t *))                                                         \
    FUNCTION(cond_timedwait, (pthread_cond_t *, pthread_mutex_t *, const struct timespec *))                           \
    FUNCTION(cond_clockwait, (pthread_cond_t *, pthread_mutex_t *, clockid_t, const struct timespec *))                \
    FUNCTION(cond_signal, (pthread_cond_t *))                                                                          \
    FUNCTION(cond_broadcast, (pthread_cond_t *))

struct glibc {
#define FUNCTION(name, arguments) int(*name) arguments;
    GLIBC_FUNCTIONS(FUNCTION)
#undef FUNCTION
};

extern struct glibc glibc_functions;
extern atomic_bool glibc_is_found;
void glibc_find(void);

static inline const struct glibc *glibc(void)
{
    /* acquire: with the release in glibc_find, of the pointers. */
    if (__builtin_expect(!atomic_load_explicit(&glibc_is_found, memory_order_acquire), 0))
        glibc_find();
    return &glibc_functions;
}

#endif
