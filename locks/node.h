/* Queue nodes for the locks that need one for each lock held: a stack of free nodes in each thread, as deep as the most
 * locks that it ever held at once; freed when the thread ends. Nodes may change hands (CLH, or a release by another
 * thread): who gets more than it has out frees them at once, so that no stack grows without end. */
#ifndef RECIP_LOCKS_NODE_H
#define RECIP_LOCKS_NODE_H

#include "gate.h"

struct node {
    alignas(RECIP_LINE) _Atomic(uintptr_t) gate;
    _Atomic(struct node *) next; /* the queue behind, or the free stack below */
};

/* From the heap and back; each world has its own (native.c). */
struct node *recip_node_new(void);
void recip_node_delete(struct node *node);

static inline struct node *node_take(void)
{
    struct thread *thread = port_thread();
    struct node *node = thread->nodes;
    thread->nodes_out++;
    if (!node)
        return recip_node_new();
    /* relaxed: the stack is private to its thread. */
    thread->nodes = atomic_load_explicit(&node->next, memory_order_relaxed);
    return node;
}

static inline void node_give(struct node *node)
{
    struct thread *thread = port_thread();
    if (thread->nodes_out == 0) {
        recip_node_delete(node);
        return;
    }
    thread->nodes_out--;
    atomic_store_explicit(&node->next, thread->nodes, memory_order_relaxed);
    thread->nodes = node;
}

#endif
