/* SPDX-License-Identifier: MIT */
/* Uses every public name of <recip.h>, in C and in C++: headers.sh compiles it with all warnings. */
#include <recip.h>

struct all {
    recip_mutex_t mutex;
    recip_cond_t cond;
    recip_sem_t sem;
    recip_lock_t lock;
};

static struct all all = {RECIP_MUTEX_INIT, RECIP_COND_INIT, RECIP_SEM_INIT(1), RECIP_LOCK_INIT};
static recip_mutex_t strict = RECIP_MUTEX_INIT_BOUND(0), fair = RECIP_MUTEX_INIT_BOUND(RECIP_BOUND_MAX);

int locks_a_mutex(unsigned bound, int clock, const struct timespec *deadline);
int waits_for_a_condition(int clock, const struct timespec *deadline);
int takes_a_permit(unsigned permits, int clock, const struct timespec *deadline);
int acquires_the_lock(void);
int has_a_version(void);

int locks_a_mutex(unsigned bound, int clock, const struct timespec *deadline)
{
    recip_mutex_t own = RECIP_MUTEX_INIT_BOUND(bound);
    recip_mutex_init(&all.mutex);
    if (bound == RECIP_BOUND_DEFAULT || recip_mutex_init_bound(&all.mutex, bound) != 0)
        return EINVAL;
    {
        RECIP_MUTEX_GUARD(&strict);
        RECIP_MUTEX_GUARD(&fair);
        recip_mutex_lock(&own);
        recip_mutex_assert_held(&own);
        recip_mutex_unlock(&own);
    }
    if (recip_mutex_trylock(&all.mutex) == 0 || recip_mutex_clocklock(&all.mutex, clock, deadline) == 0 ||
        recip_mutex_timedlock(&all.mutex, deadline) == 0)
        recip_mutex_unlock(&all.mutex);
    return recip_mutex_destroy(&own);
}

int waits_for_a_condition(int clock, const struct timespec *deadline)
{
    recip_cond_t own = RECIP_COND_INIT;
    recip_cond_init(&own);
    recip_cond_wait(&all.cond, &all.mutex);
    recip_cond_signal(&all.cond);
    recip_cond_broadcast(&all.cond);
    return recip_cond_clockwait(&own, &all.mutex, clock, deadline) + recip_cond_timedwait(&own, &all.mutex, deadline) +
           recip_cond_destroy(&own);
}

int takes_a_permit(unsigned permits, int clock, const struct timespec *deadline)
{
    recip_sem_t own = RECIP_SEM_INIT(permits);
    int value;
    if (permits > RECIP_SEM_VALUE_MAX || recip_sem_init(&own, permits) != 0)
        return EINVAL;
    recip_sem_wait(&own);
    recip_sem_getvalue(&own, &value);
    return value + recip_sem_trywait(&all.sem) + recip_sem_clockwait(&all.sem, clock, deadline) +
           recip_sem_timedwait(&all.sem, deadline) + recip_sem_post(&all.sem) + recip_sem_destroy(&own);
}

int acquires_the_lock(void)
{
    recip_lock_context_t context;
    recip_lock_acquire(&all.lock, &context);
    recip_lock_release(&all.lock, &context);
    return recip_lock_try_acquire(&all.lock, &context);
}

int has_a_version(void)
{
    return RECIP_VERSION_MAJOR + RECIP_VERSION_MINOR + RECIP_VERSION_PATCH + recip_version()[0] -
           RECIP_VERSION_STRING[0];
}
