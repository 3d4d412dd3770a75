/* SPDX-License-Identifier: MIT */
/* A library of the kind of libfaketime: it sets the clock a year ahead, and stands in front of the timed calls to set
 * their times back. It finds the next in line by the version that programs ask for. */
#include <dlfcn.h>
#include <pthread.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define YEAR (365 * 24 * 3600)

int clock_gettime(clockid_t clock, struct timespec *time)
{
    long answer = syscall(SYS_clock_gettime, clock, time);
    time->tv_sec += YEAR;
    return (int)answer;
}

int pthread_cond_timedwait(pthread_cond_t *cond, pthread_mutex_t *mutex, const struct timespec *time)
{
    int (*next)(pthread_cond_t *, pthread_mutex_t *, const struct timespec *);
    *(void **)&next = dlvsym(RTLD_NEXT, "pthread_cond_timedwait", "GLIBC_2.3.2");
    return next(cond, mutex, &(struct timespec){time->tv_sec - YEAR, time->tv_nsec});
}

int pthread_cond_clockwait(pthread_cond_t *cond, pthread_mutex_t *mutex, clockid_t clock, const struct timespec *time)
{
    int (*next)(pthread_cond_t *, pthread_mutex_t *, clockid_t, const struct timespec *);
    *(void **)&next = dlvsym(RTLD_NEXT, "pthread_cond_clockwait", "GLIBC_2.30");
    return next(cond, mutex, clock, &(struct timespec){time->tv_sec - YEAR, time->tv_nsec});
}

/* Of these there is one version that matters. */
int pthread_mutex_timedlock(pthread_mutex_t *mutex, const struct timespec *time)
{
    int (*next)(pthread_mutex_t *, const struct timespec *);
    *(void **)&next = dlsym(RTLD_NEXT, "pthread_mutex_timedlock");
    return next(mutex, &(struct timespec){time->tv_sec - YEAR, time->tv_nsec});
}
