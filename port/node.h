/* SPDX-License-Identifier: MIT */
/* Queue nodes for the locks that need one for each lock held: a stack of free nodes in each thread, so that an
 * acquisition seldom asks the heap; freed when the thread ends. Nodes may change hands (CLH, or a release by another
 * thread). */
#ifndef RECIP_PORT_NODE_H
#define RECIP_PORT_NODE_H

#include "port/gate.h"

struct node {
    alignas(RECIP_LINE) _Atomic(uintptr_t) gate;
    _Atomic(struct node *) next; /* the queue behind, or the free stack below */
    struct node *newer, *older;  /* in the list of passive threads, the owner's: mcscr */
    unsigned socket;             /* its thread's: cna, shfl */
    uint32_t handovers;          /* within its socket, without a break: cna */
};

/* More than so many free nodes of a thread go back to the heap: the stack does not grow with what it is given. The
 * checker has so few threads and locks that a small number is what they reach. */
#ifdef RECIP_SMALL_LIMITS
enum { MAX_NODES_KEPT = 1 };
#else
enum { MAX_NODES_KEPT = 64 };
#endif

/* From the heap and back; each world has its own (native.c). recip_node_new sets keeps_nodes of the calling thread. */
struct node *recip_node_new(void);
void recip_node_delete(struct node *node);

static inline struct node *node_take(void)
{
    struct thread *thread = port_thread();
    struct node *node = thread->nodes;
    if (!node)
        return recip_node_new();
    thread->nodes_kept--;
    /* relaxed: the stack is private to its thread. */
    thread->nodes = atomic_load_explicit(&node->next, memory_order_relaxed);
    return node;
}

static inline void node_give(struct node *node)
{
    struct thread *thread = port_thread();
    if (!thread->keeps_nodes || thread->nodes_kept == MAX_NODES_KEPT) {
        recip_node_delete(node);
        return;
    }
    thread->nodes_kept++;
    atomic_store_explicit(&node->next, thread->nodes, memory_order_relaxed);
    thread->nodes = node;
}

/* No thread behind it, and closed. relaxed, both: published by the exchange or CAS that puts it into a queue. */
static inline void node_prepare(struct node *node)
{
    atomic_store_explicit(&node->next, NULL, memory_order_relaxed);
    gate_close(&node->gate);
}

/* The node behind, whose thread has entered the queue and is about to say so. */
static inline struct node *node_await_link(_Atomic(struct node *) *next)
{
    struct node *node;
    /* acquire: with the linking store, so that the gate is seen closed before it is opened. */
    while (!(node = atomic_load_explicit(next, memory_order_acquire)))
        port_relax();
    return node;
}

#endif
