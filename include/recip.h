/* recip: mutual exclusion that admits waiters in reciprocating order.
 *
 *     static recip_mutex_t mutex = RECIP_MUTEX_INIT;
 *
 *     recip_mutex_lock(&mutex);
 *     ...
 *     recip_mutex_unlock(&mutex);
 *
 * recip_mutex_t    a mutex: 16 bytes, all zeroes is unlocked, nothing to destroy
 * recip_cond_t     a condition variable for it
 * recip_sem_t      a counting semaphore
 * recip_lock_t     the lock of the paper itself, with its context explicit
 *
 * Link with -lrecip. The calls are named as those of <pthread.h> and <semaphore.h>, and take the same arguments. A call
 * that can fail returns 0 or an error number; one that returns nothing cannot fail. What is promised, exactly:
 * docs/mutex.md and the manual pages.
 */
#ifndef RECIP_H
#define RECIP_H

#include <errno.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>
#include <time.h>

#if UINTPTR_MAX != UINT64_MAX
#error "recip needs a 64-bit machine"
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* ---- The mutex ---- */

/* A waiter that leads is passed by at most `bound` acquisitions of others before the mutex is its own. This is the
 * number unless another is chosen, by RECIP_MUTEX_INIT_BOUND(n) or recip_mutex_init_bound. With 0 nobody passes, and
 * waiters are admitted in the paper's own order. */
#define RECIP_BOUND_DEFAULT 65535u
#define RECIP_BOUND_MAX 65535u

typedef struct recip_mutex {
    uint32_t state;     /* bits below; accessed atomically */
    uint16_t bound;     /* + 1, modulo 2^16: 0 is the default; never changes */
    uint16_t passes;    /* newcomers, counted up to 2^16; written by the owner, looked at by waiters */
    uintptr_t arrivals; /* waiters since the last detach; accessed atomically */
} recip_mutex_t;

/* The state word. src/mutex.c says who may change what. */
#define RECIP_LOCKED_ UINT32_C(1)
#define RECIP_LEADER_SLEEPS_ UINT32_C(2) /* at this word: release wakes it */
#define RECIP_WAKE_DUE_ UINT32_C(4)      /* the owner's thread has put off a wake-up until release */
#define RECIP_BARRED_ UINT32_C(8)        /* the leader is next: newcomers are refused */

/* clang-format off */
#define RECIP_MUTEX_INIT {0, 0, 0, 0}
#define RECIP_MUTEX_INIT_BOUND(n) {0, (uint16_t)((n) + 1), (uint16_t)(UINT16_MAX - (n)), 0}
/* clang-format on */

void recip_mutex_init(recip_mutex_t *mutex);
/* EINVAL: above RECIP_BOUND_MAX. */
int recip_mutex_init_bound(recip_mutex_t *mutex, unsigned bound);
/* Nothing to free; EBUSY if it is locked or waited for. */
int recip_mutex_destroy(recip_mutex_t *mutex);

static inline void recip_mutex_lock(recip_mutex_t *mutex);
/* EBUSY: locked, or at the bound and thereby its leader's. */
static inline int recip_mutex_trylock(recip_mutex_t *mutex);
/* By the thread that locked. After it, unless others still use it, the mutex's memory may go at once. */
static inline void recip_mutex_unlock(recip_mutex_t *mutex);
/* ETIMEDOUT at the absolute time, of CLOCK_REALTIME or CLOCK_MONOTONIC; EINVAL: another clock, or no time. */
static inline int recip_mutex_clocklock(recip_mutex_t *mutex, clockid_t clock, const struct timespec *deadline);
/* CLOCK_REALTIME */
static inline int recip_mutex_timedlock(recip_mutex_t *mutex, const struct timespec *deadline);

/* Lock now, unlock when the enclosing block is left. */
#define RECIP_MUTEX_GUARD(mutex)                                                                                       \
    recip_mutex_t *RECIP_JOIN_(recip_guard_, __LINE__) __attribute__((cleanup(recip_guard_end_), unused)) =            \
        recip_guard_begin_(mutex)
#define RECIP_JOIN_(a, b) RECIP_JOIN2_(a, b)
#define RECIP_JOIN2_(a, b) a##b

/* ---- The condition variable ---- */

struct recip_waiter_;

typedef struct recip_cond {
    recip_mutex_t inner; /* guards the rest */
    struct recip_waiter_ *first, *last;
    uintptr_t epoch;
} recip_cond_t;

/* clang-format off */
#define RECIP_COND_INIT {RECIP_MUTEX_INIT, NULL, NULL, 0}
/* clang-format on */

void recip_cond_init(recip_cond_t *cond);
/* EBUSY: waited for. After a broadcast it succeeds, and its memory may go. */
int recip_cond_destroy(recip_cond_t *cond);
/* As pthread_cond_wait, but no cancellation point. Spurious returns are possible in law, none is known. */
static inline void recip_cond_wait(recip_cond_t *cond, recip_mutex_t *mutex);
static inline int recip_cond_clockwait(recip_cond_t *cond, recip_mutex_t *mutex, clockid_t clock,
                                       const struct timespec *deadline);
/* CLOCK_REALTIME */
static inline int recip_cond_timedwait(recip_cond_t *cond, recip_mutex_t *mutex, const struct timespec *deadline);
/* The waiter moves to the mutex's arrivals; it is woken when it leads them, which is at once if nobody else does. A
 * single one is also woken at once if others wait for the mutex and their leader is awake or naps. */
static inline void recip_cond_signal(recip_cond_t *cond);
static inline void recip_cond_broadcast(recip_cond_t *cond);

/* ---- The semaphore ---- */

typedef struct recip_sem {
    uintptr_t value; /* permits << 1 | somebody waits; accessed atomically */
    recip_mutex_t inner;
    struct recip_waiter_ *entry, *arrivals;
    uintptr_t epoch;
} recip_sem_t;

/* clang-format off */
#define RECIP_SEM_INIT(n) {(uintptr_t)(n) << 1, RECIP_MUTEX_INIT, NULL, NULL, 0}
/* clang-format on */
#define RECIP_SEM_VALUE_MAX 0x7fffffffu

/* EINVAL: more than RECIP_SEM_VALUE_MAX. */
int recip_sem_init(recip_sem_t *sem, unsigned permits);
int recip_sem_destroy(recip_sem_t *sem);
static inline void recip_sem_wait(recip_sem_t *sem);
/* EAGAIN: no permit. */
static inline int recip_sem_trywait(recip_sem_t *sem);
static inline int recip_sem_clockwait(recip_sem_t *sem, clockid_t clock, const struct timespec *deadline);
static inline int recip_sem_timedwait(recip_sem_t *sem, const struct timespec *deadline);
/* EOVERFLOW: RECIP_SEM_VALUE_MAX permits already. */
static inline int recip_sem_post(recip_sem_t *sem);
void recip_sem_getvalue(recip_sem_t *sem, int *value);

/* ---- The paper's lock, Listing 1; waiters spin, then sleep ---- */

typedef struct recip_lock {
    void *arrivals;
} recip_lock_t;

/* From acquire to release, by the same thread; the caller keeps it. */
typedef struct recip_lock_context {
    void *successor, *end_of_segment;
} recip_lock_context_t;

/* clang-format off */
#define RECIP_LOCK_INIT {NULL}
/* clang-format on */

static inline void recip_lock_acquire(recip_lock_t *lock, recip_lock_context_t *context);
/* 0, or EBUSY. */
static inline int recip_lock_try_acquire(recip_lock_t *lock, recip_lock_context_t *context);
static inline void recip_lock_release(recip_lock_t *lock, recip_lock_context_t *context);

/* ---- Not for use: what the inline functions need ---- */

void recip_mutex_lock_slow_(recip_mutex_t *mutex);
int recip_mutex_trylock_slow_(recip_mutex_t *mutex);
int recip_mutex_clocklock_slow_(recip_mutex_t *mutex, clockid_t clock, const struct timespec *deadline);
/* A null deadline never passes. */
int recip_cond_wait_(recip_cond_t *cond, recip_mutex_t *mutex, clockid_t clock, const struct timespec *deadline);
void recip_cond_signal_(recip_cond_t *cond);
void recip_cond_broadcast_(recip_cond_t *cond);
int recip_sem_wait_(recip_sem_t *sem, clockid_t clock, const struct timespec *deadline);
int recip_sem_trywait_(recip_sem_t *sem);
int recip_sem_post_(recip_sem_t *sem);
void recip_lock_acquire_(recip_lock_t *lock, recip_lock_context_t *context);
int recip_lock_try_acquire_(recip_lock_t *lock, recip_lock_context_t *context);
void recip_lock_release_(recip_lock_t *lock, recip_lock_context_t *context);
void recip_mutex_unlock_slow_(recip_mutex_t *mutex);
void recip_mutex_bound_reached_(recip_mutex_t *mutex);

/* CLOCK_REALTIME, which -std=c11 hides. */
#define RECIP_REALTIME_ 0

/* Where this thread's rseq area is, from the thread pointer; 0 where release has to be atomic. */
extern ptrdiff_t recip_rseq_offset_;

#include "recip-inline.h"

#ifdef __cplusplus
}
#endif

#endif
