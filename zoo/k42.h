/* SPDX-License-Identifier: MIT */
/* K42's variant of MCS. Auslander and others 2003; Scott, "Shared-Memory Synchronization", figure 4.10. FIFO.
 *
 * As MCS, but the owner's node is part of the lock, so that only threads that wait need one, and it is on their stack.
 * No context.
 *
 * | tail   | meaning                                        |
 * |--------|------------------------------------------------|
 * | null   | unlocked                                       |
 * | K42_NOBODY | locked, nobody waits: the lock itself is last  |
 * | a node | locked; the last thread that waits             |
 *
 * next is the first thread that waits, once it has linked itself; it belongs to the owner.
 */
#ifndef RECIP_ZOO_K42_H
#define RECIP_ZOO_K42_H

#include "zoo/parts/mutex-form.h"
#include "port/node.h"

#define K42_NOBODY ((struct node *)(uintptr_t)1)

struct k42_lock {
    _Atomic(struct node *) tail;
    _Atomic(struct node *) next;
};

struct k42_context {
};

static inline bool k42_try_acquire(struct k42_lock *lock, struct k42_context *context)
{
    (void)context;
    struct node *unlocked = NULL;
    /* acquire: with the unlocking CAS. */
    return atomic_compare_exchange_strong_explicit(&lock->tail, &unlocked, K42_NOBODY, memory_order_acquire,
                                                   memory_order_relaxed);
}

/* The owner's node leaves the queue: what stands behind it moves into the lock. */
static inline void k42_move_into_lock(struct k42_lock *lock, struct node *node)
{
    struct node *expected = node;
    /* acquire: with the linking store, as in node_await_link; kept for release. */
    struct node *next = atomic_load_explicit(&node->next, memory_order_acquire);
    if (!next) {
        /* relaxed: published by the CAS, or overwritten below. */
        atomic_store_explicit(&lock->next, NULL, memory_order_relaxed);
        /* release: the null above, to the thread that links itself there. */
        if (atomic_compare_exchange_strong_explicit(&lock->tail, &expected, K42_NOBODY, memory_order_release,
                                                    memory_order_relaxed))
            return;
        next = node_await_link(&node->next);
    }
    /* relaxed: read back by this owner. */
    atomic_store_explicit(&lock->next, next, memory_order_relaxed);
}

/* Finds the lock free and takes it, or enters the queue behind the node that is returned. */
static inline struct node *k42_enter(struct k42_lock *lock, struct node *node)
{
    struct node *before = NULL;
    for (;;) {
        struct node *mine = before ? node : K42_NOBODY;
        /* acq_rel. Acquire: with the unlocking CAS, and the node before is seen as its thread prepared it. Release:
         * this node's fields. */
        if (atomic_compare_exchange_strong_explicit(&lock->tail, &before, mine, memory_order_acq_rel,
                                                    memory_order_relaxed))
            return before;
    }
}

static inline void k42_acquire(struct k42_lock *lock, struct k42_context *context)
{
    (void)context;
    struct node node;
    node_prepare(&node);
    struct node *before = k42_enter(lock, &node);
    if (!before)
        return;
    /* release: this node's closed gate, to the owner that opens it. */
    atomic_store_explicit(before == K42_NOBODY ? &lock->next : &before->next, &node, memory_order_release);
    gate_await(&node.gate);
    k42_move_into_lock(lock, &node);
}

static inline void k42_release(struct k42_lock *lock, struct k42_context *context)
{
    (void)context;
    /* acquire: with the linking store. */
    struct node *next = atomic_load_explicit(&lock->next, memory_order_acquire), *expected = K42_NOBODY;
    if (!next) {
        /* release: with the CASes of try-acquire and k42_enter. */
        if (atomic_compare_exchange_strong_explicit(&lock->tail, &expected, NULL, memory_order_release,
                                                    memory_order_relaxed))
            return;
        next = node_await_link(&lock->next);
    }
    gate_open(&next->gate, GATE_OPEN);
}

ZERO_IS_UNLOCKED(k42)
MUTEX_FORM(k42)

#endif
