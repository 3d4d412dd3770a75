/* SPDX-License-Identifier: MIT */
/* What this library makes of a pthread_cond_t. A process-shared one is glibc's own in every byte. From glibc 2.41 on
 * its field is in another place, and ours with it:
 *
 * | bytes  | from 2.41      | field       | meaning                                                           |
 * |--------|----------------|-------------|-------------------------------------------------------------------|
 * | 0..15  | 0..15          | inner       | guards the lists                                                  |
 * | 16..31 | 16..23, 32..39 | first, last | the waiters, in the order in which they came                      |
 * | 32..35 | 24..27         | epoch       | the number of forks before the waiters came (port_epoch)          |
 * | 36..39 | 28..31         | flags       | glibc's __wrefs: 1 process-shared, 2 its clock is CLOCK_MONOTONIC |
 * | 40..47 | 40..47         | owing       | signalled waiters that pass the signal on if they are cancelled   |
 */
#ifndef RECIP_PRELOAD_COND_H
#define RECIP_PRELOAD_COND_H

#include <pthread.h>

#include "src/waiter.h"

struct mutex;
struct cond;

/* A thread in pthread_cond_wait; on its stack. cond-waiters.h explains the states and lists. */
struct cond_waiter {
    waiter element; /* element.mutex is the flagship to move to, or null */
    _Atomic(unsigned) state;
    struct cond_waiter *next, *previous;
    struct cond *cond;
    struct mutex *mutex;
    const void *site; /* where the program called from */
    uint32_t thread;  /* its number, or 0 */
    int64_t moved_at; /* statistics: when it was moved to its mutex, in ticks; until then 0 */
};

struct cond {
    recip_mutex_t inner;
    _Atomic(struct cond_waiter *) first;
#if __GLIBC_PREREQ(2, 41) /* which has left out a field before __wrefs */
    _Atomic(uint32_t) epoch;
    uint32_t flags;
    struct cond_waiter *last;
#else
    struct cond_waiter *last;
    _Atomic(uint32_t) epoch;
    uint32_t flags;
#endif
    struct cond_waiter *owing;
};

#define COND_SHARED 1u
#define COND_MONOTONIC 2u

_Static_assert(sizeof(struct cond) <= sizeof(pthread_cond_t), "it has to fit");
_Static_assert(offsetof(struct cond, flags) == offsetof(pthread_cond_t, __data.__wrefs),
               "glibc's field: has it moved once more?");

static inline struct cond *cond_of(pthread_cond_t *cond)
{
    return (struct cond *)cond;
}

/* Nobody to signal. relaxed: a waiter is in the list before it releases its mutex, and a signal counts only for waiters
 * whose release happened before it. */
static inline bool cond_is_idle(struct cond *cond)
{
    return atomic_load_explicit(&cond->first, memory_order_relaxed) == NULL;
}

/* ---- cond.c ---- */

/* Without a deadline the wait has no end. */
int cond_wait(struct cond *cond, struct mutex *mutex, const struct deadline *deadline, const void *site);
void cond_signal(struct cond *cond);
void cond_broadcast(struct cond *cond);
/* EBUSY while somebody waits. */
int cond_destroy(struct cond *cond);

/* ---- cond-glibc.c: condition variables that are left to glibc ---- */

/* Without a time the wait has no end; without a clock, the clock is the condition variable's. */
#define COND_NO_CLOCK ((clockid_t)-1)
int cond_glibc_wait(pthread_cond_t *cond, pthread_mutex_t *mutex, clockid_t clock, const struct timespec *time);
/* `call` is glibc's signal or broadcast. */
int cond_glibc_signal(pthread_cond_t *cond, int (*call)(pthread_cond_t *));

#endif
