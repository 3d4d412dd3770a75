/* SPDX-License-Identifier: MIT */
/* A library for LD_PRELOAD in place of ours, with which each program here has to fail. Of the calls of the name that is
 * in BROKEN some do nothing: one of a hundred locks, one of three signals. */
#include <dlfcn.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

static int is_left_out(const char *name, long one_of)
{
    static long calls;
    const char *broken = getenv("BROKEN");
    return broken && strcmp(broken, name) == 0 && __atomic_add_fetch(&calls, 1, __ATOMIC_RELAXED) % one_of == 0;
}

int pthread_mutex_lock(pthread_mutex_t *mutex)
{
    static int (*next)(pthread_mutex_t *);
    if (!next)
        *(void **)&next = dlsym(RTLD_NEXT, "pthread_mutex_lock");
    return is_left_out("lock", 100) ? 0 : next(mutex);
}

int pthread_cond_signal(pthread_cond_t *cond)
{
    static int (*next)(pthread_cond_t *);
    if (!next)
        *(void **)&next = dlvsym(RTLD_NEXT, "pthread_cond_signal", "GLIBC_2.3.2");
    return is_left_out("signal", 3) || !next ? 0 : next(cond);
}
