/* SPDX-License-Identifier: MIT */
/* What RECIP_WATCH asks for: deadlocks, inversions of the order of locks, and long waits, each reported when it is
 * found.
 *
 *     watch.c          what each thread holds and waits for; cycles of waiting threads; long waits
 *     watch-order.c    which locks were taken while which were held
 *     watch-report.c   the reports; suppressions
 */
#ifndef RECIP_PRELOAD_WATCH_H
#define RECIP_PRELOAD_WATCH_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "preload/mutex.h"
#include "preload/statistics.h"

void watch_start(void);
void watch_after_fork(void);

/* ---- What a thread holds and waits for ---- */

enum { WATCH_MAX_HELD = 24, WATCH_KNOWN = 512 };

struct held {
    _Atomic(const struct mutex *) mutex; /* null: none */
    uint32_t record;                     /* its index in the statistics */
    bool by_trylock;
    const void *site;
};

struct watched_thread {
    _Atomic(uint32_t) number; /* as in struct mutex; 0: unused */
    int kernel_number;
    _Atomic(struct mutex *) waits_for; /* null: it does not wait, or not for long */
    _Atomic(uint64_t) waits;           /* counts them */
    uint32_t stack;                    /* of the wait */
    int64_t since;                     /* of the wait; nanoseconds */
    unsigned held_count;               /* with the one that it is about to acquire */
    unsigned epoch;                    /* in which it has held these */
    struct held held[WATCH_MAX_HELD];
    uint64_t
        known[WATCH_KNOWN]; /* pairs of locks whose order is in the graph already; not thread-local: small stacks */
};

/* ---- By mutex.c and cond.c, while watching ---- */

/* A signal moves this thread from a condition variable to that mutex, where it waits from now on. By the thread that
 * signals. */
void watch_moved(uint32_t thread, struct mutex *mutex, const void *site);
/* Locks, and now and then looks whether that is a deadlock or takes long: on the flagship. On a lock of the zoo there
 * is one look, at the start. */
void watch_lock_by_waiting(struct mutex *mutex, const void *site);
/* Most of the work is done before the mutex is acquired and after it is released, so that it is not held for longer. */

/* Before the calling thread tries to acquire the mutex, then one of the next two. */
void watch_acquiring(struct mutex *mutex, const void *site, bool by_trylock);
void watch_acquired(struct mutex *mutex);
void watch_not_acquired(struct mutex *mutex);
/* After it was released; `owner` is the number of the thread that held it. The mutex may be gone. */
void watch_released(const struct mutex *mutex, uint32_t owner);

/* The same for a thread that need not wait, as is usual, and for a release. */

/* The calling thread's; null without memory for it. */
extern _Thread_local struct watched_thread *watch_own __attribute__((tls_model("initial-exec"), visibility("hidden")));
extern _Atomic(unsigned) watch_epoch __attribute__((visibility("hidden")));
struct watched_thread *watch_new_self(void);
/* The last one held was taken while others were. */
void watch_took_in_order(struct watched_thread *thread);

static inline struct watched_thread *watch_self(void)
{
    struct watched_thread *own = watch_own;
    unsigned now = atomic_load_explicit(&watch_epoch, memory_order_relaxed);
    if (__builtin_expect(own && own->epoch == now &&
                             atomic_load_explicit(&own->number, memory_order_relaxed) == mutex_thread_number,
                         1))
        return own;
    return watch_new_self();
}

/* In place of watch_acquiring and watch_acquired. */
static inline void watch_took(struct mutex *mutex, const void *site)
{
    struct watched_thread *thread = watch_self();
    if (!thread || thread->held_count == WATCH_MAX_HELD)
        return;
    struct held *taken = &thread->held[thread->held_count++];
    taken->record = mutex->record & RECORD_INDEX;
    taken->by_trylock = false;
    taken->site = site;
    atomic_store_explicit(&taken->mutex, mutex, memory_order_relaxed);
    if (thread->held_count > 1)
        watch_took_in_order(thread);
}

static inline const struct mutex *watch_held_at(const struct watched_thread *thread, unsigned index)
{
    return atomic_load_explicit(&thread->held[index].mutex, memory_order_relaxed);
}

/* In place of watch_released: the mutex is mostly the last one held. */
static inline void watch_dropped(const struct mutex *mutex, uint32_t owner)
{
    struct watched_thread *thread = watch_self();
    unsigned count = thread ? thread->held_count : 0;
    if (count == 0 || watch_held_at(thread, count - 1) != mutex) {
        watch_released(mutex, owner);
        return;
    }
    atomic_store_explicit(&thread->held[--count].mutex, NULL, memory_order_relaxed);
    while (count && !watch_held_at(thread, count - 1))
        count--;
    thread->held_count = count;
}

/* ---- Between the files above ---- */

/* The thread that owns the mutex; null if nobody does, or it is not known. */
struct watched_thread *watched_owner(struct mutex *mutex);
/* A lock was taken by a call that waits, while another was held. */
void watch_order(struct watched_thread *self, const struct held *before, const struct held *taken);

/* A lock of one class that was taken while one of another was held. */
struct order {
    _Atomic(uint64_t) key;  /* the two classes; 0: unused */
    uint32_t before, taken; /* records of mutexes of these classes */
    uint32_t stack;
    int thread;
    char name[16];
};

enum { WATCH_MAX_CYCLE = 16 };

/* Reports. The caller is between watch_report_begin and _end. The first is false if another thread reports; if the
 * caller is patient, it waits for that before, but not for ever. */
bool watch_report_begin(bool patient);
void watch_report_end(void);
void watch_report_deadlock(struct watched_thread *const *threads, int count);
void watch_report_inversion(const struct order *const *orders, int count);
void watch_report_long_wait(struct watched_thread *thread, struct mutex *mutex);
void watch_read_suppressions(void);

#endif
