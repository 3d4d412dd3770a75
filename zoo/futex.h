/* SPDX-License-Identifier: MIT */
/* The mutex that most Linux programs have: one word and a futex, as glibc's normal mutex works and as Drepper describes
 * in "Futexes Are Tricky" (2011), third mutex. Newcomers barge; nobody waits awake; no order, no bound on waiting. A
 * yardstick: what is compared with it in a simulation is compared with the algorithm of pthread_mutex_t.
 *
 * | word | meaning                                             |
 * |------|-----------------------------------------------------|
 * | 0    | unlocked                                            |
 * | 1    | locked                                              |
 * | 2    | locked, and somebody may sleep: release wakes one   |
 *
 * Owner and users are kept because glibc keeps them: two stores each way, in the same line.
 */
#ifndef RECIP_ZOO_FUTEX_H
#define RECIP_ZOO_FUTEX_H

#include "port/port.h"
#include "zoo/parts/mutex-form.h"

struct futex_lock {
    _Atomic(uint32_t) word;
    uint32_t owner, users; /* the owner's */
};

struct futex_context {
};

static inline void futex_note_owner(struct futex_lock *lock)
{
    lock->owner = (uint32_t)(uintptr_t)port_thread();
    lock->users++;
}

static inline bool futex_try_word(struct futex_lock *lock)
{
    uint32_t unlocked = 0;
    /* acquire: with the exchange of release. */
    return atomic_compare_exchange_strong_explicit(&lock->word, &unlocked, 1, memory_order_acquire,
                                                   memory_order_relaxed);
}

/* By one who has found it locked. It owns the word as 2, because others may sleep still. The look before the exchange
 * is not glibc's: it spares an exchange of 2 for 2, and `recip check` executions without end. */
static inline void futex_wait_for_word(struct futex_lock *lock)
{
    do
        /* relaxed: a look. */
        while (atomic_load_explicit(&lock->word, memory_order_relaxed) == 2)
            port_park32(&lock->word, 2);
    /* acquire: with the exchange of release. */
    while (atomic_exchange_explicit(&lock->word, 2, memory_order_acquire) != 0);
}

static inline bool futex_try_acquire(struct futex_lock *lock, struct futex_context *context)
{
    (void)context;
    bool acquired = futex_try_word(lock);
    if (acquired)
        futex_note_owner(lock);
    return acquired;
}

static inline void futex_acquire(struct futex_lock *lock, struct futex_context *context)
{
    (void)context;
    if (!futex_try_word(lock))
        futex_wait_for_word(lock);
    futex_note_owner(lock);
}

static inline void futex_release(struct futex_lock *lock, struct futex_context *context)
{
    (void)context;
    lock->owner = 0;
    lock->users--;
    /* release: with the acquiring operations above. The last access: a wake-up names the address only. */
    if (atomic_exchange_explicit(&lock->word, 0, memory_order_release) == 2)
        port_wake32(&lock->word);
}

ZERO_IS_UNLOCKED(futex)
MUTEX_FORM(futex)

#endif
