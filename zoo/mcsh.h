/* SPDX-License-Identifier: MIT */
/* MCSH. Hesselink and Buhr, "MCSH, a Lock with the Standard Interface", 2023. FIFO.
 *
 * As MCS, but the owner takes its node out of the queue before acquire returns, so that nodes are on the stack; what
 * stands behind it, if anything, is left in the lock. With nobody behind, the next thread finds an empty queue and
 * waits for the lock to be put down.
 *
 * `held` is a latch (latch.h), closed while the lock is held. `behind` belongs to the owner.
 */
#ifndef RECIP_ZOO_MCSH_H
#define RECIP_ZOO_MCSH_H

#include "zoo/parts/latch.h"
#include "zoo/parts/mutex-form.h"
#include "port/node.h"

struct mcsh_lock {
    _Atomic(struct node *) tail;
    _Atomic(uintptr_t) held;
    struct node *behind;
};

struct mcsh_context {
};

/* Takes the owner's node out of the queue; the one behind it, or null. */
static inline struct node *mcsh_leave(struct mcsh_lock *lock, struct node *node)
{
    struct node *expected = node;
    /* acquire: with the linking store, so that the gate is seen closed before it is opened. */
    struct node *next = atomic_load_explicit(&node->next, memory_order_acquire);
    /* relaxed: nothing is handed over by an empty queue; `held` does that. */
    if (next || atomic_compare_exchange_strong_explicit(&lock->tail, &expected, NULL, memory_order_relaxed,
                                                        memory_order_relaxed))
        return next;
    return node_await_link(&node->next);
}

static inline void mcsh_acquire(struct mcsh_lock *lock, struct mcsh_context *context)
{
    (void)context;
    struct node node;
    node_prepare(&node);
    /* acq_rel. Acquire: the fields of the node before, as its thread prepared them. Release: this node's. */
    struct node *before = atomic_exchange_explicit(&lock->tail, &node, memory_order_acq_rel);
    if (before) {
        /* release: this node's closed gate, to the owner that opens it. */
        atomic_store_explicit(&before->next, &node, memory_order_release);
        gate_await(&node.gate);
    } else {
        latch_close(&lock->held);
    }
    lock->behind = mcsh_leave(lock, &node);
}

static inline bool mcsh_try_acquire(struct mcsh_lock *lock, struct mcsh_context *context)
{
    (void)context;
    /* relaxed: a look, so as not to pass by those who wait. */
    if (atomic_load_explicit(&lock->tail, memory_order_relaxed) || !latch_try_close(&lock->held))
        return false;
    lock->behind = NULL;
    return true;
}

static inline void mcsh_release(struct mcsh_lock *lock, struct mcsh_context *context)
{
    (void)context;
    if (lock->behind)
        gate_open(&lock->behind->gate, GATE_OPEN);
    else
        latch_open(&lock->held);
}

ZERO_IS_UNLOCKED(mcsh)
MUTEX_FORM(mcsh)

#endif
