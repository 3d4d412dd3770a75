/* SPDX-License-Identifier: MIT */
/* The calls that take a clock and a time: both are checked here. */
#define RECIP_UNANNOTATED
#include "port/port.h"

#include "src/diagnosis.h"
#include "src/waiter.h"

static int deadline_make(struct deadline *deadline, clockid_t clock, const struct timespec *time)
{
    if (clock != CLOCK_REALTIME && clock != CLOCK_MONOTONIC)
        return EINVAL;
    if (time->tv_nsec < 0 || time->tv_nsec > 999999999)
        return EINVAL;
    *deadline = (struct deadline){clock, *time};
    /* The kernel refuses times before the clock's zero; they have passed. */
    if (deadline->time.tv_sec < 0)
        deadline->time = (struct timespec){0, 0};
    return 0;
}

int recip_mutex_clocklock_slow_(recip_mutex_t *mutex, clockid_t clock, const struct timespec *time)
{
    struct deadline deadline;
    int error = deadline_make(&deadline, clock, time);
    if (error)
        return error;
    diagnose_locking_until(mutex, clock, time);
    error = recip_mutex_lock_until(mutex, &deadline);
    if (!error)
        diagnose_locked_in_time(mutex);
    return error;
}

int recip_cond_wait_(recip_cond_t *cond, recip_mutex_t *mutex, clockid_t clock, const struct timespec *time)
{
    struct deadline deadline;
    diagnose_cond_waiting(cond, mutex);
    if (!time)
        return recip_cond_wait_until(cond, mutex, NULL);
    int error = deadline_make(&deadline, clock, time);
    return error ? error : recip_cond_wait_until(cond, mutex, &deadline);
}

int recip_sem_wait_(recip_sem_t *sem, clockid_t clock, const struct timespec *time)
{
    struct deadline deadline;
    if (!time)
        return recip_sem_wait_until(sem, NULL);
    int error = deadline_make(&deadline, clock, time);
    return error ? error : recip_sem_wait_until(sem, &deadline);
}
