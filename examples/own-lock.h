/* SPDX-License-Identifier: MIT */
/* A lock of one's own: a ticket lock. own-lock.c uses it, own-lock-client.c has it checked in every execution that C11
 * allows. */
#ifndef OWN_LOCK_H
#define OWN_LOCK_H

#include <stdatomic.h>

/* What a turn of a loop that waits does. */
#ifndef OWN_LOCK_RELAX
#include <sched.h>
#define OWN_LOCK_RELAX() sched_yield()
#endif

/* All zeroes is unlocked. */
struct own_lock {
    _Atomic(unsigned) next, served;
};

static inline void own_lock(struct own_lock *lock)
{
    /* relaxed: who has which number is all that matters. */
    unsigned number = atomic_fetch_add_explicit(&lock->next, 1, memory_order_relaxed);
    /* acquire: with the store of unlock. */
    while (atomic_load_explicit(&lock->served, memory_order_acquire) != number)
        OWN_LOCK_RELAX();
}

static inline void own_unlock(struct own_lock *lock)
{
    unsigned served = atomic_load_explicit(&lock->served, memory_order_relaxed);
    /* release: with the load of lock, by the thread whose number is next. */
    atomic_store_explicit(&lock->served, served + 1, memory_order_release);
}

#endif
