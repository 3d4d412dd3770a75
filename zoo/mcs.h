/* SPDX-License-Identifier: MIT */
/* MCS. Mellor-Crummey and Scott 1991. FIFO; each thread waits at its own node.
 *
 * tail is null when unlocked, otherwise the node of the last in the queue. A node is in use until release, so a thread
 * needs one for each lock that it holds: node.h. The context is the owner's node.
 */
#ifndef RECIP_ZOO_MCS_H
#define RECIP_ZOO_MCS_H

#include "zoo/parts/mutex-form.h"
#include "port/node.h"

struct mcs_lock {
    _Atomic(struct node *) tail;
};

struct mcs_context {
    struct node *node;
};

/* The message of its gate; GATE_OPEN if the lock was free. */
static inline uintptr_t mcs_enter(struct mcs_lock *lock, struct node *node)
{
    node_prepare(node);
    /* acq_rel. Acquire: with the unlocking CAS, and the node before is seen as its thread prepared it. Release: this
     * node's fields, to whoever finds it here. */
    struct node *before = atomic_exchange_explicit(&lock->tail, node, memory_order_acq_rel);
    if (!before)
        return GATE_OPEN;
    /* release: this node's closed gate, to the owner that reads next and opens it. */
    atomic_store_explicit(&before->next, node, memory_order_release);
    return gate_await(&node->gate);
}

static inline void mcs_acquire(struct mcs_lock *lock, struct mcs_context *context)
{
    context->node = node_take();
    mcs_enter(lock, context->node);
}

static inline bool mcs_try_acquire(struct mcs_lock *lock, struct mcs_context *context)
{
    struct node *unlocked = NULL;
    struct node *node = context->node = node_take();
    node_prepare(node);
    /* acq_rel: as the exchange of acquire. */
    if (atomic_compare_exchange_strong_explicit(&lock->tail, &unlocked, node, memory_order_acq_rel,
                                                memory_order_relaxed))
        return true;
    node_give(node);
    return false;
}

static inline void mcs_release(struct mcs_lock *lock, struct mcs_context *context)
{
    struct node *node = context->node, *expected = node;
    /* acquire: with the linking store, so that the gate is seen closed before it is opened. */
    struct node *next = atomic_load_explicit(&node->next, memory_order_acquire);
    if (!next) {
        /* release: with the exchange and the CAS that find the lock free. */
        if (atomic_compare_exchange_strong_explicit(&lock->tail, &expected, NULL, memory_order_release,
                                                    memory_order_relaxed)) {
            node_give(node);
            return;
        }
        next = node_await_link(&node->next);
    }
    gate_open(&next->gate, GATE_OPEN);
    node_give(node);
}

ZERO_IS_UNLOCKED(mcs)
MUTEX_FORM(mcs)

#endif
