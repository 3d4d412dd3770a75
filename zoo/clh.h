/* SPDX-License-Identifier: MIT */
/* CLH with the standard interface. Craig 1993; Magnusson, Landin and Hagersten 1994; Scott, "Shared-Memory
 * Synchronization", figure 4.14. FIFO; each thread waits at the node of the one before it.
 *
 * The last node of the queue is open when the lock is free. An all-zero lock has no node yet, which says the same: its
 * first owner leaves one behind and makes another for itself. After the wait a thread keeps the node before its own and
 * leaves its own behind, so nodes change hands, and destroying the lock frees the last. The context is the owner's
 * node.
 *
 * | gate of a node | meaning                                                                       |
 * |----------------|-------------------------------------------------------------------------------|
 * | GATE_CLOSED    | its thread holds the lock or waits for it                                     |
 * | GATE_OPEN      | its thread has released the lock                                              |
 * | a node         | its thread gave up (try-acquire); wait at that node instead, and keep this one |
 */
#ifndef RECIP_ZOO_CLH_H
#define RECIP_ZOO_CLH_H

#include "zoo/parts/mutex-form.h"
#include "port/node.h"

struct clh_lock {
    _Atomic(struct node *) tail;
};

struct clh_context {
    struct node *node;
};

static inline void clh_init(struct clh_lock *lock)
{
    atomic_init(&lock->tail, NULL);
}

/* Enters the queue behind the node that is returned; null if this is the first use of the lock. */
static inline struct node *clh_enter(struct clh_lock *lock, struct node *node)
{
    gate_close(&node->gate);
    /* acq_rel. Release: the closed gate, to the next thread. Acquire: the gate before, as its thread closed it. */
    return atomic_exchange_explicit(&lock->tail, node, memory_order_acq_rel);
}

/* Steps over the nodes whose threads gave up; the state of the first that did not. No node is an open one. */
static inline uintptr_t clh_skip_abandoned(struct node **before)
{
    uintptr_t state = GATE_OPEN;
    /* acquire: with the release that opens or leaves the node. */
    while (*before && (state = atomic_load_explicit(&(*before)->gate, memory_order_acquire)) > GATE_OPEN) {
        recip_node_delete(*before);
        *before = (struct node *)state;
    }
    return state;
}

static inline void clh_acquire(struct clh_lock *lock, struct clh_context *context)
{
    context->node = node_take();
    struct node *before = clh_enter(lock, context->node);
    while (clh_skip_abandoned(&before) == GATE_CLOSED)
        port_relax();
    if (before)
        node_give(before);
}

/* Enters the queue and, if that does not bring the lock, leaves it again: by taking the node back out if it is still
 * the last, otherwise by leaving it to the next thread with the address of the node before it. */
static inline bool clh_try_acquire(struct clh_lock *lock, struct clh_context *context)
{
    struct node *node = context->node = node_take();
    struct node *before = clh_enter(lock, node), *expected = node;
    if (clh_skip_abandoned(&before) == GATE_OPEN) {
        if (before)
            node_give(before);
        return true;
    }
    /* acq_rel. Release: the node before, as if this thread had not come. Acquire: with the same by a thread that came
     * behind and has looked at this node, which may be freed now. */
    if (atomic_compare_exchange_strong_explicit(&lock->tail, &expected, before, memory_order_acq_rel,
                                                memory_order_relaxed))
        node_give(node);
    else
        /* release: with clh_skip_abandoned; what this thread knows of the node before goes with it. */
        atomic_store_explicit(&node->gate, (uintptr_t)before, memory_order_release);
    return false;
}

static inline void clh_release(struct clh_lock *lock, struct clh_context *context)
{
    (void)lock;
    /* release: with clh_skip_abandoned of the next thread. */
    atomic_store_explicit(&context->node->gate, GATE_OPEN, memory_order_release);
}

static inline void clh_destroy(struct clh_lock *lock)
{
    /* acquire: with the exchange or the CAS that left the node there. */
    struct node *node = atomic_load_explicit(&lock->tail, memory_order_acquire);
    if (!node)
        return;
    clh_skip_abandoned(&node);
    recip_node_delete(node);
}

MUTEX_FORM(clh)

#endif
