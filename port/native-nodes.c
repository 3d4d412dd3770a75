/* SPDX-License-Identifier: MIT */
/* The native world's queue nodes: from the heap, back when their thread ends. */
#include "port/port.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#include "port/node.h"

/* Nodes are freed when their thread ends. The key's destructor runs again if a later destructor locks again. */
static pthread_key_t nodes_key;
static pthread_once_t nodes_once = PTHREAD_ONCE_INIT;

static void free_nodes(void *thread_of)
{
    struct thread *thread = thread_of;
    while (thread->nodes)
        free(node_take());
    /* Whatever a later destructor still releases is freed at once. */
    thread->keeps_nodes = false;
}

/* The main thread ends by exit, which runs no destructor of a key. */
static void free_nodes_at_exit(void)
{
    free_nodes(port_thread());
}

static void make_nodes_key(void)
{
    if (pthread_key_create(&nodes_key, free_nodes) != 0) {
        fputs("recip: no thread-specific key left for queue nodes\n", stderr);
        abort();
    }
    atexit(free_nodes_at_exit);
}

struct node *recip_node_new(void)
{
    pthread_once(&nodes_once, make_nodes_key);
    struct thread *thread = port_thread();
    if (!thread->keeps_nodes)
        thread->keeps_nodes = pthread_setspecific(nodes_key, thread) == 0;
    struct node *node = aligned_alloc(RECIP_LINE, sizeof(struct node));
    if (!node) {
        fputs("recip: no memory for a queue node\n", stderr);
        abort();
    }
    return node;
}

void recip_node_delete(struct node *node)
{
    free(node);
}
