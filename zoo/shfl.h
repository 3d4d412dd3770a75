/* SPDX-License-Identifier: MIT */
/* ShflLock. Kashyap, Calciu, Cheng, Min and Kim, SOSP 2019; reconstructed from its description.
 *
 * A test-and-set lock on top of an MCS queue. Only the first of the queue waits for the top. While it waits it
 * shuffles: it moves waiters of its own socket to the front, behind itself, so nobody does that on the way of a
 * handover. (In the paper other waiters may shuffle too.) It bars newcomers, so it has the top next.
 *
 * | top         | meaning                                                        |
 * |-------------|----------------------------------------------------------------|
 * | 0           | free                                                           |
 * | SHFL_HELD   | held                                                           |
 * | SHFL_BARRED | added to either: the first of the queue waits, and it is next  |
 *
 * tail is as in mcs.h. The first counts whom it moves, and a next one of the same socket goes on from there up to
 * SHFL_BATCH; the count of another socket starts at 0. So while a thread waits with n before it in the queue, at most
 * (n + 1) SHFL_BATCH are moved past it. The top is taken after the queue's end is reached and left before the critical
 * section begins: there is no context and any thread may release.
 */
#ifndef RECIP_ZOO_SHFL_H
#define RECIP_ZOO_SHFL_H

#include "zoo/mcs.h"
#include "zoo/parts/seldom.h"

enum { SHFL_HELD = 1, SHFL_BARRED = 2 };

/* The paper's number. */
#define SHFL_BATCH LIMIT(1024, 1)

struct shfl_lock {
    _Atomic(uint32_t) top;
    struct mcs_lock queue;
};

struct shfl_context {
};

static inline bool shfl_try_acquire(struct shfl_lock *lock, struct shfl_context *context)
{
    (void)context;
    uint32_t free = 0;
    /* acquire: with the subtraction of release. */
    return atomic_compare_exchange_strong_explicit(&lock->top, &free, SHFL_HELD, memory_order_acquire,
                                                   memory_order_relaxed);
}

static inline struct node *shfl_behind(struct node *node)
{
    /* acquire: with the linking store. */
    return atomic_load_explicit(&node->next, memory_order_acquire);
}

/* relaxed: the links between waiters that are known belong to the first, and come to the next first by its gate. */
static inline void shfl_link(struct node *node, struct node *behind)
{
    atomic_store_explicit(&node->next, behind, memory_order_relaxed);
}

static inline bool shfl_is_held(struct shfl_lock *lock)
{
    /* acquire: with the subtraction of release. */
    return atomic_load_explicit(&lock->top, memory_order_acquire) & SHFL_HELD;
}

/* The first of the queue looks for its own socket, until it may have the top. The last of the queue stays where it is:
 * an arrival links itself there. */
static inline void shfl_shuffle(struct shfl_lock *lock, struct node *first)
{
    struct node *last = first, *before = first, *node = shfl_behind(first), *behind;
    for (; node && (behind = shfl_behind(node)); node = behind) {
        if (node->socket != first->socket) {
            before = node;
        } else if (before == last) {
            before = last = node;
        } else if (first->handovers++ < SHFL_BATCH) {
            shfl_link(before, behind);
            shfl_link(node, shfl_behind(last));
            shfl_link(last, node);
            last = node;
        } else {
            return;
        }
        if (!shfl_is_held(lock))
            return;
    }
}

/* The first of the queue. */
static inline void shfl_take_top(struct shfl_lock *lock, struct node *first)
{
    /* acquire: with the subtraction of release. */
    if (atomic_fetch_or_explicit(&lock->top, SHFL_BARRED, memory_order_acquire) & SHFL_HELD) {
        shfl_shuffle(lock, first);
        while (shfl_is_held(lock))
            port_relax();
    }
    /* relaxed: others leave the word alone while it is SHFL_BARRED. */
    atomic_store_explicit(&lock->top, SHFL_HELD, memory_order_relaxed);
    struct node *next = shfl_behind(first);
    if (next && next->socket == first->socket)
        next->handovers = first->handovers;
}

static inline void shfl_acquire(struct shfl_lock *lock, struct shfl_context *context)
{
    if (shfl_try_acquire(lock, context))
        return;
    struct mcs_context queue = {node_take()};
    queue.node->socket = port_socket();
    queue.node->handovers = 0;
    mcs_enter(&lock->queue, queue.node);
    shfl_take_top(lock, queue.node);
    mcs_release(&lock->queue, &queue);
}

static inline void shfl_release(struct shfl_lock *lock, struct shfl_context *context)
{
    (void)context;
    /* release: with the loads and the CAS that find it free. */
    atomic_fetch_sub_explicit(&lock->top, SHFL_HELD, memory_order_release);
}

ZERO_IS_UNLOCKED(shfl)
MUTEX_FORM(shfl)

#endif
