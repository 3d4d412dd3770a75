/* SPDX-License-Identifier: MIT */
/* What this library makes of a pthread_mutex_t.
 *
 * | bytes  | field     | meaning                                                                                  |
 * |--------|-----------|------------------------------------------------------------------------------------------|
 * | 0..15  | lock      | the lock; all zeroes is unlocked                                                         |
 * | 16..19 | kind      | glibc's: static initialisers and attributes set it                                       |
 * | 20..23 | depth     | recursive: acquisitions beyond the first                                                 |
 * | 24..27 | owner     | the owner's thread number; 0 for none                                                    |
 * | 28..31 | record    | statistics: the index of this mutex's record and a count (statistics.h), 0 for none yet  |
 * | 32..37 | lock data | the flagship: the gate to wake when the mutex is released, or where its owner keeps      |
 * |        |           | leadership (<recip.h>), or 0                                                             |
 * |        |           | the zoo: the number of forks before it was locked                                        |
 * | 38..39 | users     | waiters of condition variables that will lock it again: it must not be destroyed         |
 *
 * depth, owner, lock data and users are written by the owner only; all but depth are read by any thread.
 *
 * A robust, priority-inheriting, priority-protecting or process-shared mutex is glibc's own in every byte, and so is a
 * destroyed one (its kind is -1, which glibc refuses).
 */
#ifndef RECIP_PRELOAD_MUTEX_H
#define RECIP_PRELOAD_MUTEX_H

#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Declared before recip.h does, as hidden: code in this library then finds it without the global offset table. */
extern ptrdiff_t recip_rseq_offset_ __attribute__((visibility("hidden")));
#include <recip.h>
#include "port/port.h"
#include "preload/select-lock.h"
#include "zoo/pthread-fit.h"

struct mutex {
    union {
        recip_mutex_t flagship;
        unsigned char zoo[PTHREAD_LOCK_SIZE];
    } lock;
    int kind;
    uint32_t depth;
    _Atomic(uint32_t) owner;
    uint32_t record;
    _Atomic(uint64_t) lock_data_and_users;
};

_Static_assert(sizeof(struct mutex) <= sizeof(pthread_mutex_t), "it has to fit");
_Static_assert(offsetof(struct mutex, kind) == offsetof(pthread_mutex_t, __data.__kind), "glibc's field");

/* The bits of glibc's kind that make a mutex glibc's own: robust, PI, PP, process-shared. */
#define KIND_LEFT_TO_GLIBC 0xf0
#define KIND_TYPE 3
#define KIND_DESTROYED (-1)

static inline struct mutex *mutex_of(pthread_mutex_t *mutex)
{
    return (struct mutex *)mutex;
}

/* The fast path: the flagship, no owner to be kept, no statistics. One comparison: both are 0 only then. */
static inline bool mutex_is_plain(const struct mutex *mutex)
{
    return __builtin_expect(((unsigned)mutex->kind | preload_mode) == 0, 1);
}

/* The same but for its type: recursive, error-checking, or adaptive by a static initialiser. */
static inline bool mutex_is_typed(const struct mutex *mutex)
{
    return __builtin_expect(((unsigned)mutex->kind | preload_mode) <= KIND_TYPE, 1);
}

/* All its calls go to glibc. If this is the first call of all, the lock is selected here. */
static inline bool mutex_is_left_to_glibc(const struct mutex *mutex)
{
    return (mutex->kind & KIND_LEFT_TO_GLIBC) || (preload_mode_decided() & MODE_GLIBC);
}

/* ---- Owners ---- */

/* Every mutex that is not glibc's knows its owner, so that `recip who` can tell it of a process that hangs. Threads are
 * numbered from 1 in the order in which they first lock. No number is used twice, so a thread that ended as owner is
 * not mistaken for another. In a child of fork the thread keeps its number. */
extern _Thread_local uint32_t mutex_thread_number __attribute__((tls_model("initial-exec"), visibility("hidden")));
uint32_t mutex_number_thread(void);
/* In a child of fork: its thread has another number of the kernel's. */
void mutex_after_fork(void);

/* By that number, modulo the size: the kernel's number of the thread. For the trace, and kept with one only. */
enum { MUTEX_KERNEL_NUMBERS = 1 << 14 };
extern uint32_t mutex_kernel_numbers[MUTEX_KERNEL_NUMBERS];

static inline uint32_t mutex_self(void)
{
    uint32_t number = mutex_thread_number;
    return __builtin_expect(number != 0, 1) ? number : mutex_number_thread();
}

static inline bool mutex_has_owner(const struct mutex *mutex)
{
    int type = mutex->kind & KIND_TYPE;
    return type == PTHREAD_MUTEX_RECURSIVE || type == PTHREAD_MUTEX_ERRORCHECK;
}

/* relaxed, both: a thread finds its own number only where it wrote it itself. */
static inline uint32_t mutex_owner_of(struct mutex *mutex)
{
    return atomic_load_explicit(&mutex->owner, memory_order_relaxed);
}

static inline void mutex_set_owner(struct mutex *mutex, uint32_t number)
{
    atomic_store_explicit(&mutex->owner, number, memory_order_relaxed);
}

/* By the owner that locks again; `error` if the mutex is not recursive. */
static inline int mutex_lock_again(struct mutex *mutex, int error)
{
    if ((mutex->kind & KIND_TYPE) != PTHREAD_MUTEX_RECURSIVE)
        return error;
    if (mutex->depth == UINT32_MAX)
        return EAGAIN;
    mutex->depth++;
    return 0;
}

/* ---- The calls ---- */

/* The rest of the fast path, under contention. Both return the mutex, so that the fast path need not save it. */
struct mutex *mutex_lock_contended(struct mutex *mutex);
struct mutex *mutex_unlock_contended(struct mutex *mutex);
/* By the owner: gives the thread its number, and notes it. */
struct mutex *mutex_number_owner(struct mutex *mutex);

/* The calls, which return error numbers. `site` is where the program called from. */
int mutex_lock(struct mutex *mutex, const void *site);
int mutex_lock_until(struct mutex *mutex, clockid_t clock, const struct timespec *time, const void *site);
int mutex_trylock(struct mutex *mutex, const void *site);
int mutex_unlock(struct mutex *mutex);
int mutex_init(struct mutex *mutex, int kind, const void *site);
int mutex_destroy(struct mutex *mutex);
/* pthread_mutex_init, called from `site`. */
int mutex_init_from(pthread_mutex_t *mutex, const pthread_mutexattr_t *attributes, const void *site);

/* Between these two calls, both by the owner, the mutex is in use although nobody holds it. */
void mutex_use_begins(struct mutex *mutex);
void mutex_use_ends(struct mutex *mutex);

/* Held more than once, so that unlocking does not release it. By its owner. */
static inline bool mutex_is_nested(const struct mutex *mutex)
{
    return mutex->kind & KIND_LEFT_TO_GLIBC ? ((const pthread_mutex_t *)mutex)->__data.__count > 1 : mutex->depth > 0;
}

/* EPERM if the type has an owner and the caller is not that. */
int mutex_check_owner(struct mutex *mutex);
/* The flagship, if the next unlock will really release it; otherwise null. */
recip_mutex_t *mutex_flagship_to_release(struct mutex *mutex);
/* Whether this thread holds it. Also false if the thread had no number yet when it locked. */
bool mutex_is_held(struct mutex *mutex);
/* By a signal: moves a waiter of the condition variable to the mutex. */
void mutex_admit_to_flagship(struct mutex *mutex, struct recip_waiter_ *element);
/* By a thread that is to acquire the flagship by other means than the calls above: when its wait begins, and as the
 * owner. `since` is what the first returned; 0 if no statistics are kept. */
int64_t mutex_wait_begins(const void *site);
void mutex_acquired_as_flagship(struct mutex *mutex, const void *site, int64_t since);

#endif
