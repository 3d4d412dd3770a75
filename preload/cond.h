/* What this library makes of a pthread_cond_t. A process-shared one is glibc's own in every byte.
 *
 * | bytes  | field | meaning                                                                    |
 * |--------|-------|----------------------------------------------------------------------------|
 * | 0..15  | inner | guards the list                                                            |
 * | 16..31 | first, last | the waiters, in the order in which they came                         |
 * | 32..35 | epoch | the generation of forks in which the waiters came                          |
 * | 36..39 | flags | glibc's __wrefs: 1 process-shared, 2 its clock is CLOCK_MONOTONIC          |
 * | 40..47 | owing | who would pass a signal on, if cancelled                                   |
 */
#ifndef RECIP_PRELOAD_COND_H
#define RECIP_PRELOAD_COND_H

#include <pthread.h>

#include "src/waiter.h"

struct mutex;
struct cond;

/* A thread in pthread_cond_wait; on its stack. */
struct sleeper {
    waiter element; /* element.mutex is the flagship to move to, or null */
    _Atomic(unsigned) state;
    struct sleeper *next, *previous; /* waiting, or owing */
    struct cond *cond;
    struct mutex *mutex;
    const void *site;
};

struct cond {
    recip_mutex_t inner;
    _Atomic(struct sleeper *) first;
    struct sleeper *last;
    _Atomic(uint32_t) epoch;
    uint32_t flags;
    struct sleeper *owing;
};

#define COND_SHARED 1u
#define COND_MONOTONIC 2u

_Static_assert(sizeof(struct cond) <= sizeof(pthread_cond_t), "it has to fit");
_Static_assert(offsetof(struct cond, flags) == offsetof(pthread_cond_t, __data.__wrefs), "glibc's field");

static inline struct cond *cond_of(pthread_cond_t *cond)
{
    return (struct cond *)cond;
}

/* Handed through. Without a time the wait has no end; without a clock it is the condition variable's. */
#define COND_NO_CLOCK ((clockid_t)-1)
int shared_wait(pthread_cond_t *cond, pthread_mutex_t *mutex, clockid_t clock, const struct timespec *time);
int shared_signal(pthread_cond_t *cond, int (*call)(pthread_cond_t *));

#endif
