/* SPDX-License-Identifier: MIT */
/* futex.h with a spin before the sleep, as glibc's adaptive mutex has it on x86 since 2.36: a look after one turn,
 * after two more, four more, up to sixteen, each time with up to as many again at random; a hundred turns at most, and
 * no more than ten beyond twice what it took lately. No order, no bound on waiting. A yardstick. */
#ifndef RECIP_ZOO_FUTEX_ADAPTIVE_H
#define RECIP_ZOO_FUTEX_ADAPTIVE_H

#include "zoo/futex.h"
#include "zoo/parts/random.h"
#include "zoo/parts/seldom.h"

enum { FUTEX_ADAPTIVE_TURNS = LIMIT(100, 2), FUTEX_ADAPTIVE_SPARE = LIMIT(10, 2), FUTEX_ADAPTIVE_MOST_AT_ONCE = 16 };

struct futex_adaptive_lock {
    struct futex_lock futex;
    int turns; /* the owner's: what spinning has taken lately, on average */
};

struct futex_adaptive_context {
};

static inline bool futex_adaptive_try_acquire(struct futex_adaptive_lock *lock, struct futex_adaptive_context *context)
{
    (void)context;
    return futex_try_acquire(&lock->futex, &(struct futex_context){});
}

static inline int futex_adaptive_jitter(int below)
{
    struct thread *thread = port_thread();
    return below == 1 ? 0 : (int)random_below(&thread->random, (uint32_t)(uintptr_t)thread, (uint32_t)below);
}

/* As the owner when it returns; the turns that it took, to those for which it did not stay. */
static inline int futex_adaptive_spin(struct futex_lock *lock, int limit)
{
    int turns = 0;
    for (int backoff = 1;; backoff += backoff < FUTEX_ADAPTIVE_MOST_AT_ONCE ? backoff : 0) {
        if (turns + backoff >= limit)
            break;
        int pauses = backoff + futex_adaptive_jitter(backoff);
        turns += pauses;
        if (turns >= limit)
            break;
        while (pauses-- > 0)
            port_relax();
        /* relaxed: a look. */
        if (atomic_load_explicit(&lock->word, memory_order_relaxed) == 0 && futex_try_word(lock))
            return turns;
    }
    futex_wait_for_word(lock);
    return limit;
}

static inline void futex_adaptive_acquire(struct futex_adaptive_lock *lock, struct futex_adaptive_context *context)
{
    (void)context;
    if (!futex_try_word(&lock->futex)) {
        /* As glibc does, without the lock. relaxed: a guess. */
        int lately = __atomic_load_n(&lock->turns, __ATOMIC_RELAXED);
        int limit = 2 * lately + FUTEX_ADAPTIVE_SPARE;
        int turns = futex_adaptive_spin(&lock->futex, limit < FUTEX_ADAPTIVE_TURNS ? limit : FUTEX_ADAPTIVE_TURNS);
        lately = __atomic_load_n(&lock->turns, __ATOMIC_RELAXED);
        __atomic_store_n(&lock->turns, lately + (turns - lately) / 8, __ATOMIC_RELAXED);
    }
    futex_note_owner(&lock->futex);
}

static inline void futex_adaptive_release(struct futex_adaptive_lock *lock, struct futex_adaptive_context *context)
{
    (void)context;
    futex_release(&lock->futex, &(struct futex_context){});
}

ZERO_IS_UNLOCKED(futex_adaptive)
MUTEX_FORM(futex_adaptive)

#endif
