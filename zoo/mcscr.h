/* SPDX-License-Identifier: MIT */
/* MCSCR, MCS with concurrency restriction. Dice, "Malthusian Locks", EuroSys 2017.
 *
 * As MCS, but while two threads or more wait, release sets the first of them aside, on a list of passive threads that
 * only the owner touches, and hands over to the second. So few threads circulate, their data stays in the caches, and
 * with more threads than CPUs the others can sleep. If nobody waits the newest passive thread comes back, so nothing is
 * lost while there is work; in every MCSCR_PERIOD-th release the oldest does, so nobody starves: with T threads at most
 * MCSCR_PERIOD (T - 1) admissions pass before a passive thread's own. (The paper draws a number instead, and promises
 * that on average.)
 *
 * | tail | passive list | meaning                                        |
 * |------|--------------|------------------------------------------------|
 * | null | empty        | unlocked                                       |
 * | node | any          | locked; the last of the queue, as in mcs.h     |
 */
#ifndef RECIP_ZOO_MCSCR_H
#define RECIP_ZOO_MCSCR_H

#include "zoo/mcs.h"
#include "zoo/parts/seldom.h"

/* The paper's odds. */
#define MCSCR_PERIOD LIMIT(1024, 2)

struct mcscr_lock {
    struct mcs_lock queue;
    struct node *newest, *oldest; /* the passive threads; the owner's, like all below */
    uint32_t releases;            /* since the oldest was last let in, or there was none */
};

struct mcscr_context {
    struct mcs_context queue;
};

static inline void mcscr_acquire(struct mcscr_lock *lock, struct mcscr_context *context)
{
    mcs_acquire(&lock->queue, &context->queue);
}

static inline bool mcscr_try_acquire(struct mcscr_lock *lock, struct mcscr_context *context)
{
    return mcs_try_acquire(&lock->queue, &context->queue);
}

static inline void mcscr_set_aside(struct mcscr_lock *lock, struct node *node)
{
    node->newer = NULL;
    node->older = lock->newest;
    if (lock->newest)
        lock->newest->newer = node;
    else
        lock->oldest = node;
    lock->newest = node;
}

static inline struct node *mcscr_take_newest(struct mcscr_lock *lock)
{
    struct node *node = lock->newest;
    lock->newest = node->older;
    if (lock->newest)
        lock->newest->newer = NULL;
    else
        lock->oldest = NULL;
    return node;
}

static inline struct node *mcscr_take_oldest(struct mcscr_lock *lock)
{
    struct node *node = lock->oldest;
    lock->oldest = node->newer;
    if (lock->oldest)
        lock->oldest->older = NULL;
    else
        lock->newest = NULL;
    return node;
}

/* Puts `heir` in the place of `node`, which is the owner's and has nobody behind it that is known; a null heir unlocks.
 * Null: done. Otherwise the node behind, whose thread came meanwhile. */
static inline struct node *mcscr_replace_last(struct mcscr_lock *lock, struct node *node, struct node *heir)
{
    struct node *expected = node;
    /* release: with the exchange and the CAS that find the lock free, or the heir's node with nobody behind it. */
    if (atomic_compare_exchange_strong_explicit(&lock->queue.tail, &expected, heir, memory_order_release,
                                                memory_order_relaxed))
        return NULL;
    return node_await_link(&node->next);
}

/* A passive thread is next, before `next`, which may be null. */
static inline struct node *mcscr_let_in(struct mcscr_lock *lock, struct node *node, struct node *heir,
                                        struct node *next)
{
    /* relaxed, both: published by the CAS, or by the opening of the heir's gate. */
    atomic_store_explicit(&heir->next, NULL, memory_order_relaxed);
    if (!next)
        next = mcscr_replace_last(lock, node, heir);
    if (next)
        atomic_store_explicit(&heir->next, next, memory_order_relaxed);
    return heir;
}

/* The next owner. Null: nobody waits, and the lock is free now. */
static inline struct node *mcscr_choose(struct mcscr_lock *lock, struct node *node)
{
    /* acquire, here and below: with the linking store of mcs_acquire, so that the gate is seen closed before it is
     * opened. */
    struct node *next = atomic_load_explicit(&node->next, memory_order_acquire);
    if (lock->oldest && seldom(&lock->releases, MCSCR_PERIOD))
        return mcscr_let_in(lock, node, mcscr_take_oldest(lock), next);
    if (!next)
        return lock->newest ? mcscr_let_in(lock, node, mcscr_take_newest(lock), NULL)
                            : mcscr_replace_last(lock, node, NULL);
    struct node *second = atomic_load_explicit(&next->next, memory_order_acquire);
    if (!second)
        return next;
    mcscr_set_aside(lock, next);
    return second;
}

static inline void mcscr_release(struct mcscr_lock *lock, struct mcscr_context *context)
{
    struct node *node = context->queue.node;
    struct node *next = mcscr_choose(lock, node);
    if (next)
        gate_open(&next->gate, GATE_OPEN);
    node_give(node);
}

ZERO_IS_UNLOCKED(mcscr)
MUTEX_FORM(mcscr)

#endif
