/* SPDX-License-Identifier: MIT */
/* Ticket lock. Reed and Kanodia 1979; Mellor-Crummey and Scott 1991. FIFO; all waiters spin on one word.
 *
 * Unlocked when ticket == grant; ticket - grant - 1 threads wait otherwise. 64 bits: neither word ever wraps.
 */
#ifndef RECIP_ZOO_TICKET_H
#define RECIP_ZOO_TICKET_H

#include "zoo/parts/mutex-form.h"
#include "port/port.h"

struct ticket_lock {
    _Atomic(int64_t) ticket; /* the next to be drawn */
    _Atomic(int64_t) grant;  /* the one that is admitted */
};

struct ticket_context {
};

/* relaxed: a ticket is a place in the queue; the grant carries what the lock protects. */
static inline int64_t ticket_draw(struct ticket_lock *lock)
{
    return atomic_fetch_add_explicit(&lock->ticket, 1, memory_order_relaxed);
}

static inline void ticket_await(struct ticket_lock *lock, int64_t ticket)
{
    /* acquire: with the release in ticket_admit. */
    while (atomic_load_explicit(&lock->grant, memory_order_acquire) != ticket)
        port_relax();
}

static inline void ticket_admit(struct ticket_lock *lock, int64_t ticket)
{
    /* release: with the acquire loads of grant. The owner's last access to the lock. */
    atomic_store_explicit(&lock->grant, ticket, memory_order_release);
}

/* relaxed: grant is the owner's to write. */
static inline int64_t ticket_granted(struct ticket_lock *lock)
{
    return atomic_load_explicit(&lock->grant, memory_order_relaxed);
}

static inline void ticket_acquire(struct ticket_lock *lock, struct ticket_context *context)
{
    (void)context;
    ticket_await(lock, ticket_draw(lock));
}

static inline bool ticket_try_acquire(struct ticket_lock *lock, struct ticket_context *context)
{
    (void)context;
    /* acquire: with the release in ticket_admit. If this ticket is still to be drawn, grant has not moved. */
    int64_t granted = atomic_load_explicit(&lock->grant, memory_order_acquire);
    return atomic_compare_exchange_strong_explicit(&lock->ticket, &granted, granted + 1, memory_order_relaxed,
                                                   memory_order_relaxed);
}

static inline void ticket_release(struct ticket_lock *lock, struct ticket_context *context)
{
    (void)context;
    ticket_admit(lock, ticket_granted(lock) + 1);
}

ZERO_IS_UNLOCKED(ticket)
MUTEX_FORM(ticket)

#endif
