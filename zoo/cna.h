/* SPDX-License-Identifier: MIT */
/* CNA, compact NUMA-aware lock. Dice and Kogan, EuroSys 2019. One word; each thread waits at its own node.
 *
 * As MCS, but release looks for the first waiter of the owner's socket. Those before it move to a secondary queue,
 * which comes back in front of the others when no waiter of this socket is left, or after CNA_LOCAL handovers within
 * it. (The paper draws a number instead.) The secondary queue is a circle, known by its last node, whose next is the
 * first: its address goes from owner to owner through the gates.
 *
 * | message of a gate | meaning                                   |
 * |-------------------|-------------------------------------------|
 * | GATE_OPEN         | owner, and the secondary queue is empty   |
 * | node              | owner; the last of the secondary queue    |
 *
 * tail is as in mcs.h. A link, the word next of a node, is the address of the node behind plus the socket of its
 * thread. So the owner knows the socket without a look at the other's line, which would be a miss on the way of the
 * handover. Walking past a waiter of another socket happens once for each time that it is moved.
 */
#ifndef RECIP_ZOO_CNA_H
#define RECIP_ZOO_CNA_H

#include "zoo/mcs.h"
#include "zoo/parts/seldom.h"

/* The handovers within a socket before the others have their turn; the paper's odds are of this size. */
#define CNA_LOCAL LIMIT(10000, 2)

struct cna_lock {
    struct mcs_lock queue;
};

struct cna_context {
    struct node *node;
    struct node *secondary; /* its last node, or null */
};

/* A link, and its two parts. */
static inline struct node *cna_link_to(struct node *node, unsigned socket)
{
    return (struct node *)((uintptr_t)node + socket % RECIP_LINE);
}

static inline struct node *cna_node(const struct node *link)
{
    return (struct node *)((uintptr_t)link & -(uintptr_t)RECIP_LINE);
}

static inline unsigned cna_socket(const struct node *link)
{
    return (uintptr_t)link % RECIP_LINE;
}

static inline void cna_acquire(struct cna_lock *lock, struct cna_context *context)
{
    struct node *node = node_take();
    *context = (struct cna_context){node, NULL};
    node_prepare(node);
    node->handovers = 0;
    node->socket = port_socket();
    /* acq_rel, and the linking store release: as in mcs_acquire. */
    struct node *before = atomic_exchange_explicit(&lock->queue.tail, node, memory_order_acq_rel);
    if (!before)
        return;
    atomic_store_explicit(&before->next, cna_link_to(node, node->socket), memory_order_release);
    uintptr_t message = gate_await(&node->gate);
    if (message != GATE_OPEN)
        context->secondary = (struct node *)message;
}

static inline bool cna_try_acquire(struct cna_lock *lock, struct cna_context *context)
{
    struct mcs_context queue;
    if (!mcs_try_acquire(&lock->queue, &queue))
        return false;
    *context = (struct cna_context){queue.node, NULL};
    queue.node->handovers = 0;
    queue.node->socket = port_socket();
    return true;
}

/* relaxed, both: the links between waiters that are known are the owner's, and ownership carries them. */
static inline struct node *cna_first(const struct node *secondary)
{
    return atomic_load_explicit(&secondary->next, memory_order_relaxed);
}

static inline void cna_set_link(struct node *node, struct node *link)
{
    atomic_store_explicit(&node->next, link, memory_order_relaxed);
}

/* Nobody is known behind the owner. Unlocks, or makes the secondary queue the queue: true. False: somebody came. */
static inline bool cna_leave_as_last(struct cna_lock *lock, const struct cna_context *context)
{
    struct node *last = context->secondary, *first = last ? cna_first(last) : NULL, *expected = context->node;
    if (last)
        cna_set_link(last, NULL);
    /* release: with the exchange and the CAS of acquire and try-acquire, which find the lock free, or a last node
     * with nobody behind it. */
    if (atomic_compare_exchange_strong_explicit(&lock->queue.tail, &expected, last, memory_order_release,
                                                memory_order_relaxed)) {
        if (first)
            gate_open(&cna_node(first)->gate, GATE_OPEN);
        return true;
    }
    if (last)
        cna_set_link(last, first);
    return false;
}

/* The first waiter of the owner's socket, from `next` on; those before it join the secondary queue. Null: none. */
static inline struct node *cna_find_local(struct cna_context *context, struct node *next)
{
    unsigned socket = context->node->socket % RECIP_LINE;
    struct node *last = NULL, *link = next;
    while (link && cna_socket(link) != socket) {
        last = cna_node(link);
        /* acquire: with the linking store, which comes after the closed gate. */
        link = atomic_load_explicit(&last->next, memory_order_acquire);
    }
    if (!link || !last)
        return cna_node(link);
    cna_set_link(last, context->secondary ? cna_first(context->secondary) : next);
    if (context->secondary)
        cna_set_link(context->secondary, next);
    context->secondary = last;
    return cna_node(link);
}

static inline void cna_hand_over(struct cna_context *context, struct node *next)
{
    uint32_t handovers = context->node->handovers;
    struct node *local = seldom(&handovers, CNA_LOCAL) ? NULL : cna_find_local(context, next);
    if (local) {
        local->handovers = handovers;
        gate_open(&local->gate, context->secondary ? (uintptr_t)context->secondary : GATE_OPEN);
        return;
    }
    if (context->secondary) {
        struct node *first = cna_first(context->secondary);
        cna_set_link(context->secondary, next);
        next = first;
    }
    gate_open(&cna_node(next)->gate, GATE_OPEN);
}

static inline void cna_release(struct cna_lock *lock, struct cna_context *context)
{
    struct node *node = context->node;
    /* acquire: with the linking store. */
    struct node *next = atomic_load_explicit(&node->next, memory_order_acquire);
    if (!next && !cna_leave_as_last(lock, context))
        next = node_await_link(&node->next);
    if (next)
        cna_hand_over(context, next);
    node_give(node);
}

ZERO_IS_UNLOCKED(cna)
MUTEX_FORM(cna)

#endif
