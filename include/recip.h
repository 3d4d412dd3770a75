/* SPDX-License-Identifier: MIT */
/* recip: mutual exclusion that admits waiters in reciprocating order.
 *
 *     static recip_mutex_t mutex = RECIP_MUTEX_INIT;
 *
 *     recip_mutex_lock(&mutex);
 *     ...
 *     recip_mutex_unlock(&mutex);
 *
 * recip_mutex_t    a mutex
 * recip_cond_t     a condition variable for it
 * recip_sem_t      a counting semaphore
 * recip_lock_t     the lock of the paper itself, with an explicit context
 *
 * Link with -lrecip. The calls are named as those of <pthread.h> and <semaphore.h>, and take the same arguments. A call
 * that can fail returns 0 or an error number; a call that returns nothing cannot fail. All objects work within one
 * process, are ready for use when all their bytes are zero, and need not be destroyed.
 *
 * The manual pages (man recip_mutex_lock) and docs/mutex.md have the whole contract; docs/abi.md tells what stays as it
 * is within a version, and how other languages use the library. For C++ there is <recip.hpp>.
 *
 * Define before the header is included, if wanted:
 *
 * RECIP_VALGRIND     tell helgrind and DRD about locks; costs a nanosecond in each call
 * RECIP_NO_RSEQ      unlock by an atomic operation, without a restartable sequence
 * RECIP_UNANNOTATED  do not tell ThreadSanitizer about locks
 * RECIP_DEBUG        misuse ends the program with a line that says what is wrong: docs/debugging.md
 */
#ifndef RECIP_H
#define RECIP_H

#if !defined(__linux__) || !defined(__SIZEOF_POINTER__) || !defined(__BYTE_ORDER__)
#error "recip.h: needs Linux, and GCC or Clang"
#elif __SIZEOF_POINTER__ != 8
#error "recip.h: needs a 64-bit machine"
#elif __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__
#error "recip.h: needs a little-endian machine"
#endif
#ifdef __cplusplus
#if __cplusplus < 201103L
#error "recip.h: needs C++11 or later"
#endif
#elif !defined(__STDC_VERSION__) || __STDC_VERSION__ < 199901L
#error "recip.h: needs C99 or later"
#endif

#include <errno.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>
#include <time.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Not for use: names that end in an underscore are the header's own. */
#ifndef RECIP_INLINE_
#define RECIP_INLINE_ static inline
#endif
#if defined(__cplusplus) && __cplusplus >= 201103L
#define RECIP_CAST_(type, value) static_cast<type>(value)
#define RECIP_BYTES_(address) reinterpret_cast<uint8_t *>(address)
#define RECIP_NULL_ nullptr
#else
#define RECIP_CAST_(type, value) ((type)(value))
#define RECIP_BYTES_(address) ((uint8_t *)(address))
#define RECIP_NULL_ NULL
#endif
#define RECIP_JOIN_(a, b) RECIP_JOIN2_(a, b)
#define RECIP_JOIN2_(a, b) a##b
#define RECIP_STRING_(text) RECIP_STRING2_(text)
#define RECIP_STRING2_(text) #text
struct recip_waiter_;
struct timespec; /* which -std=c99 hides */

/* For clang's -Wthread-safety, which finds data that is used without its mutex, and mutexes that stay locked. Say which
 * mutex guards what: `int count RECIP_GUARDED_BY(mutex);`, and which a function's caller holds: `void add(void)
 * RECIP_REQUIRES(mutex);`. Other compilers see nothing. */
#if defined(__clang__) && defined(__has_attribute)
#if __has_attribute(capability)
#define RECIP_SAFETY_(...) __attribute__((__VA_ARGS__))
#endif
#endif
#ifndef RECIP_SAFETY_
#define RECIP_SAFETY_(...)
#endif
#define RECIP_GUARDED_BY(mutex) RECIP_SAFETY_(guarded_by(mutex))
#define RECIP_PT_GUARDED_BY(mutex) RECIP_SAFETY_(pt_guarded_by(mutex)) /* what the pointer points to */
#define RECIP_REQUIRES(...) RECIP_SAFETY_(requires_capability(__VA_ARGS__))
#define RECIP_EXCLUDES(...) RECIP_SAFETY_(locks_excluded(__VA_ARGS__))
#define RECIP_NOT_ANALYSED RECIP_SAFETY_(no_thread_safety_analysis)
/* The calls' own; what is inside them is not analysed. */
#define RECIP_CAPABILITY_ RECIP_SAFETY_(capability("mutex"))
#define RECIP_ACQUIRES_(...) RECIP_SAFETY_(acquire_capability(__VA_ARGS__), no_thread_safety_analysis)
#define RECIP_TRIES_(...) RECIP_SAFETY_(try_acquire_capability(__VA_ARGS__), no_thread_safety_analysis)
#define RECIP_RELEASES_(...) RECIP_SAFETY_(release_capability(__VA_ARGS__), no_thread_safety_analysis)
#define RECIP_ASSERTS_(...) RECIP_SAFETY_(assert_capability(__VA_ARGS__), no_thread_safety_analysis)
#define RECIP_KEEPS_(...) RECIP_SAFETY_(requires_capability(__VA_ARGS__), no_thread_safety_analysis)

/* ---- The version ---- */

/* Of this header. Before 1.0 the minor version changes when compiled programs have to be compiled again. */
#define RECIP_VERSION_MAJOR 0
#define RECIP_VERSION_MINOR 1
#define RECIP_VERSION_PATCH 0
#define RECIP_VERSION_STRING                                                                                           \
    RECIP_STRING_(RECIP_VERSION_MAJOR) "." RECIP_STRING_(RECIP_VERSION_MINOR) "." RECIP_STRING_(RECIP_VERSION_PATCH)

/* Of the library that the program runs with: "0.1.0". */
const char *recip_version(void);

/* ---- The mutex ---- */

/* 16 bytes; RECIP_MUTEX_INIT, or all zeroes, is unlocked. Not recursive; the thread that locked it unlocks it.
 *
 * The bound limits how often others overtake a waiter: while a waiter is the next in line, newcomers may take the mutex
 * before it at most so many times. 0 admits strictly in the paper's order. */
typedef struct RECIP_CAPABILITY_ recip_mutex {
    uint32_t state;     /* RECIP_LOCKED_ and so on; accessed atomically, whole or by its first two bytes */
    uint16_t bound;     /* plus 1, modulo 2^16, so that 0 is the default; never changes */
    uint16_t passes;    /* counts newcomers up to 2^16; written by the owner, read by waiters */
    uintptr_t arrivals; /* the waiters that came since the last detach; accessed atomically */
} recip_mutex_t;

#define RECIP_BOUND_MAX 65535u
#define RECIP_BOUND_DEFAULT 65535u

/* clang-format off */
#define RECIP_MUTEX_INIT {0, 0, 0, 0}
/* n: from 0 to RECIP_BOUND_MAX. */
#define RECIP_MUTEX_INIT_BOUND(n) \
    {0, RECIP_CAST_(uint16_t, (n) + 1), RECIP_CAST_(uint16_t, UINT16_MAX - (n)), 0}
/* clang-format on */

/* The same for memory that may hold anything. EINVAL: the bound is above RECIP_BOUND_MAX. */
void recip_mutex_init(recip_mutex_t *mutex);
int recip_mutex_init_bound(recip_mutex_t *mutex, unsigned bound);

/* Frees nothing. EBUSY: the mutex is locked or waited for. */
int recip_mutex_destroy(recip_mutex_t *mutex);

RECIP_INLINE_ void recip_mutex_lock(recip_mutex_t *mutex) RECIP_ACQUIRES_(mutex);

/* EBUSY: the mutex is locked, or the bound is reached and it goes to the next waiter. */
RECIP_INLINE_ int recip_mutex_trylock(recip_mutex_t *mutex) RECIP_TRIES_(0, mutex);

/* Lock until an absolute time of CLOCK_REALTIME or CLOCK_MONOTONIC. ETIMEDOUT: the deadline passed before the mutex was
 * acquired. EINVAL: another clock, or no time. ENOMEM: no memory for a place in the queue. */
RECIP_INLINE_ int recip_mutex_clocklock(recip_mutex_t *mutex, clockid_t clock, const struct timespec *deadline)
    RECIP_TRIES_(0, mutex);

/* The same with CLOCK_REALTIME. */
RECIP_INLINE_ int recip_mutex_timedlock(recip_mutex_t *mutex, const struct timespec *deadline) RECIP_TRIES_(0, mutex);

/* Called by the thread that locked the mutex. The next owner may free the mutex's memory, even while this call has not
 * returned. */
RECIP_INLINE_ void recip_mutex_unlock(recip_mutex_t *mutex) RECIP_RELEASES_(mutex);

/* Ends the program, with a line on standard error, unless the mutex is locked. By whom, it knows with RECIP_DEBUG only.
 */
void recip_mutex_assert_held(const recip_mutex_t *mutex) RECIP_ASSERTS_(*mutex);

/* A declaration: locks here, and unlocks when the enclosing block is left. For -Wthread-safety the mutex counts as
 * locked to the end of the function. */
#define RECIP_MUTEX_GUARD(mutex)                                                                                       \
    recip_mutex_t *RECIP_JOIN_(recip_guard_, __LINE__) __attribute__((cleanup(recip_guard_end_), unused)) =            \
        recip_guard_begin_(mutex)

/* ---- The condition variable ---- */

/* 40 bytes; RECIP_COND_INIT, or all zeroes, is ready for use. */
typedef struct recip_cond {
    recip_mutex_t inner; /* guards the rest */
    struct recip_waiter_ *first, *last;
    uintptr_t epoch;
} recip_cond_t;

/* clang-format off */
#define RECIP_COND_INIT {RECIP_MUTEX_INIT, RECIP_NULL_, RECIP_NULL_, 0}
/* clang-format on */

void recip_cond_init(recip_cond_t *cond);

/* EBUSY: a thread waits. After a broadcast it succeeds, and the memory may be freed. */
int recip_cond_destroy(recip_cond_t *cond);

/* Unlock the mutex, wait for a signal, lock the mutex. May return spuriously. Not a cancellation point. */
RECIP_INLINE_ void recip_cond_wait(recip_cond_t *cond, recip_mutex_t *mutex) RECIP_KEEPS_(mutex);

/* The same until an absolute time, as recip_mutex_clocklock takes it. ETIMEDOUT: the deadline passed before a signal;
 * the mutex is locked. EINVAL: another clock, or no time; the mutex was not unlocked. */
RECIP_INLINE_ int recip_cond_clockwait(recip_cond_t *cond, recip_mutex_t *mutex, clockid_t clock,
                                       const struct timespec *deadline) RECIP_KEEPS_(mutex);
RECIP_INLINE_ int recip_cond_timedwait(recip_cond_t *cond, recip_mutex_t *mutex, const struct timespec *deadline)
    RECIP_KEEPS_(mutex);

/* Let one waiter go, the first that came, or all of them. A waiter that is let go usually moves to the queue of its
 * mutex, and is woken when it is the next in line there. */
RECIP_INLINE_ void recip_cond_signal(recip_cond_t *cond);
RECIP_INLINE_ void recip_cond_broadcast(recip_cond_t *cond);

/* ---- The semaphore ---- */

/* 48 bytes; RECIP_SEM_INIT(n) has n permits, all zeroes has none. */
typedef struct recip_sem {
    uintptr_t value; /* permits << 1, plus 1 while threads wait; accessed atomically */
    recip_mutex_t inner;
    struct recip_waiter_ *entry, *arrivals;
    uintptr_t epoch;
} recip_sem_t;

#define RECIP_SEM_VALUE_MAX 0x7fffffffu

/* clang-format off */
/* n: from 0 to RECIP_SEM_VALUE_MAX. */
#define RECIP_SEM_INIT(n) {RECIP_CAST_(uintptr_t, n) << 1, RECIP_MUTEX_INIT, RECIP_NULL_, RECIP_NULL_, 0}
/* clang-format on */

/* EINVAL: more than RECIP_SEM_VALUE_MAX permits. */
int recip_sem_init(recip_sem_t *sem, unsigned permits);

/* Frees nothing. EBUSY: a thread waits. */
int recip_sem_destroy(recip_sem_t *sem);

/* Take a permit, or wait for one. Not a cancellation point, and not ended by signals. */
RECIP_INLINE_ void recip_sem_wait(recip_sem_t *sem);

/* EAGAIN: there is no permit. */
RECIP_INLINE_ int recip_sem_trywait(recip_sem_t *sem);

/* Wait until an absolute time, as recip_mutex_clocklock takes it. ETIMEDOUT, EINVAL. */
RECIP_INLINE_ int recip_sem_clockwait(recip_sem_t *sem, clockid_t clock, const struct timespec *deadline);
RECIP_INLINE_ int recip_sem_timedwait(recip_sem_t *sem, const struct timespec *deadline);

/* Give a permit to a waiter, or to the semaphore; any thread may. EOVERFLOW: it has RECIP_SEM_VALUE_MAX already. */
RECIP_INLINE_ int recip_sem_post(recip_sem_t *sem);

/* How many permits are free; 0 while threads wait. */
void recip_sem_getvalue(recip_sem_t *sem, int *value);

/* ---- The lock of the paper (Listing 1) ---- */

/* 8 bytes; RECIP_LOCK_INIT, or all zeroes, is unlocked. Strictly in the paper's order; waiters spin, then sleep. Where
 * threads outnumber cores recip_mutex_t is the better choice. */
typedef struct RECIP_CAPABILITY_ recip_lock {
    void *arrivals;
} recip_lock_t;

/* Belongs to one acquisition: the same thread passes it to acquire and then to release. 16 bytes, of any content. */
typedef struct recip_lock_context {
    void *successor, *end_of_segment;
} recip_lock_context_t;

/* clang-format off */
#define RECIP_LOCK_INIT {RECIP_NULL_}
/* clang-format on */

RECIP_INLINE_ void recip_lock_acquire(recip_lock_t *lock, recip_lock_context_t *context) RECIP_ACQUIRES_(lock);
/* EBUSY: the lock is held. */
RECIP_INLINE_ int recip_lock_try_acquire(recip_lock_t *lock, recip_lock_context_t *context) RECIP_TRIES_(0, lock);
RECIP_INLINE_ void recip_lock_release(recip_lock_t *lock, recip_lock_context_t *context) RECIP_RELEASES_(lock);

/* ---- Not for use: what the inline functions need ---- */

/* Bits of recip_mutex_t's state. src/mutex.c tells which thread may change what. The first byte is the lock: 0 is free
 * for all. The second byte has the marks: release takes the slow path if there are any. */
#define RECIP_LOCKED_ UINT32_C(0x01)
#define RECIP_RESERVED_ UINT32_C(0x02)         /* released, but not for newcomers */
#define RECIP_EXPRESS_ UINT32_C(0x0100)        /* a waiter that has credit asks to be next */
#define RECIP_EXPRESS_SLEEPS_ UINT32_C(0x0200) /* such waiters sleep at this word: release wakes one */
#define RECIP_BARRED_ UINT32_C(0x0400)         /* the leader is next, and no other thread */
#define RECIP_LEADER_SLEEPS_ UINT32_C(0x0800)  /* at this word: release wakes it */
#define RECIP_WAKE_DUE_ UINT32_C(0x1000)       /* the owner's thread has put off a wake-up until release */
#define RECIP_HANDS_OVER_ UINT32_C(0x2000)     /* release hands the mutex to a waiter that is awake */
#define RECIP_CHECKED_ UINT32_C(0x8000)        /* for RECIP_DEBUG: release takes the slow path, always */

void recip_mutex_lock_slow_(recip_mutex_t *mutex);
int recip_mutex_trylock_slow_(recip_mutex_t *mutex);
int recip_mutex_clocklock_slow_(recip_mutex_t *mutex, clockid_t clock, const struct timespec *deadline);
void recip_mutex_unlock_slow_(recip_mutex_t *mutex);
void recip_mutex_bound_reached_(recip_mutex_t *mutex);
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

/* For RECIP_DEBUG: at the start, and before a call of that name. */
void recip_debug_on_(void);
void recip_debug_mutex_(recip_mutex_t *mutex, const char *call);
void recip_debug_cond_(const recip_cond_t *cond, const char *call);
void recip_debug_sem_(const recip_sem_t *sem, const char *call);

/* CLOCK_REALTIME, which -std=c11 hides. */
#define RECIP_REALTIME_ 0

/* The mutex that this thread hands over when it unlocks it, and the waiters behind it. Null: none. */
#ifndef RECIP_RELEASE_BY_
struct recip_leadership_ {
    const void *mutex;
    uintptr_t successor, end;
};
extern __thread struct recip_leadership_ recip_kept_ __attribute__((tls_model("initial-exec")));
/* For debuggers: where that is, from the thread pointer, or 0 where it is not known; and what RECIP_DEBUG knows. */
extern ptrdiff_t recip_kept_offset_;
extern const void *recip_debug_table_;
#endif

/* Where this thread's rseq area is, from the thread pointer; 0 where release has to be atomic. */
extern ptrdiff_t recip_rseq_offset_;

static inline recip_mutex_t *recip_guard_begin_(recip_mutex_t *mutex) RECIP_ASSERTS_(mutex);
static inline void recip_guard_end_(recip_mutex_t **mutex) RECIP_NOT_ANALYSED;

#include "recip-inline.h"

#ifdef __cplusplus
}
#endif

#endif
