/* SPDX-License-Identifier: MIT */
/* Anderson's array-based queue lock. Anderson 1990. FIFO; each thread waits at its own slot of the lock's array.
 *
 * Kept for comparison: the array has to have a slot for each thread that may ever wait, so it costs threads x locks,
 * and the lock has to be made with their number. A thread too many ends the program with a message.
 *
 * Slot i is open when its turn has come; ticket counts the slots handed out.
 */
#ifndef RECIP_ZOO_ANDERSON_H
#define RECIP_ZOO_ANDERSON_H

#include <stdio.h>
#include <stdlib.h>

#include "zoo/parts/mutex-form.h"
#include "port/port.h"

/* The number of slots that anderson_init makes. */
#ifndef ANDERSON_SLOTS
#define ANDERSON_SLOTS 256
#endif

struct anderson_slot {
    alignas(RECIP_LINE) _Atomic(bool) open;
};

struct anderson_lock {
    struct anderson_slot *slots;
    _Atomic(uint64_t) ticket;
    _Atomic(uint64_t) served; /* the tickets that have been released */
    uint64_t size;
};

struct anderson_context {
    uint64_t ticket;
};

static inline void anderson_init_for(struct anderson_lock *lock, uint64_t threads)
{
    struct anderson_slot *slots = threads ? aligned_alloc(RECIP_LINE, threads * sizeof *slots) : NULL;
    if (!slots) {
        fprintf(stderr, "anderson: no memory for a lock of %llu slots\n", (unsigned long long)threads);
        abort();
    }
    for (uint64_t slot = 0; slot < threads; slot++)
        atomic_init(&slots[slot].open, slot == 0);
    lock->slots = slots;
    lock->size = threads;
    atomic_init(&lock->ticket, 0);
    atomic_init(&lock->served, 0);
}

static inline void anderson_init(struct anderson_lock *lock)
{
    anderson_init_for(lock, ANDERSON_SLOTS);
}

static inline void anderson_destroy(struct anderson_lock *lock)
{
    free(lock->slots);
    lock->slots = NULL;
}

static inline _Atomic(bool) *anderson_slot_of(struct anderson_lock *lock, uint64_t ticket)
{
    return &lock->slots[ticket % lock->size].open;
}

static inline void anderson_acquire(struct anderson_lock *lock, struct anderson_context *context)
{
    /* acq_rel: with the other draws, so that the check sees what the earlier drawers knew to be served. Of the last
     * `size` tickets one was drawn by this thread, or two by another: that much has been served. */
    uint64_t ticket = atomic_fetch_add_explicit(&lock->ticket, 1, memory_order_acq_rel);
    if (ticket - atomic_load_explicit(&lock->served, memory_order_relaxed) >= lock->size) {
        fprintf(stderr, "anderson: more than the %llu threads that this lock was made for\n",
                (unsigned long long)lock->size);
        abort();
    }
    _Atomic(bool) *slot = anderson_slot_of(lock, ticket);
    /* acquire: with the store that opens the slot. */
    while (!atomic_load_explicit(slot, memory_order_acquire))
        port_relax();
    /* relaxed: ownership carries it to whoever opens this slot again. */
    atomic_store_explicit(slot, false, memory_order_relaxed);
    context->ticket = ticket;
}

static inline bool anderson_try_acquire(struct anderson_lock *lock, struct anderson_context *context)
{
    /* acquire: with the store of release. Free is the lock whose next ticket is the one that all others were served
     * before; whose slot, if it is open, stays so until the ticket is drawn. */
    uint64_t ticket = atomic_load_explicit(&lock->served, memory_order_acquire);
    _Atomic(bool) *slot = anderson_slot_of(lock, ticket);
    context->ticket = ticket;
    /* The load relaxed: who opened the slot had said before that its ticket is served, and that was acquired above. The
     * CAS release: what this thread knows to be served, to the next drawers; not acquire, because nobody knows of more.
     */
    if (!atomic_load_explicit(slot, memory_order_relaxed) ||
        !atomic_compare_exchange_strong_explicit(&lock->ticket, &ticket, ticket + 1, memory_order_release,
                                                 memory_order_relaxed))
        return false;
    /* relaxed: ownership carries it to whoever opens this slot again. */
    atomic_store_explicit(slot, false, memory_order_relaxed);
    return true;
}

static inline void anderson_release(struct anderson_lock *lock, struct anderson_context *context)
{
    uint64_t next = context->ticket + 1;
    /* release: with the load of try-acquire, which then sees every slot that was closed before. */
    atomic_store_explicit(&lock->served, next, memory_order_release);
    /* release: with the load of acquire. */
    atomic_store_explicit(anderson_slot_of(lock, next), true, memory_order_release);
}

MUTEX_FORM(anderson)

#endif
