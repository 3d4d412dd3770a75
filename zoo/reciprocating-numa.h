/* SPDX-License-Identifier: MIT */
/* Reciprocating lock for several sockets. Ours, on the double-swap formulation of Dice and Kogan, "Reciprocating
 * Locks".
 *
 * Within a segment the waiters of one socket come first, newest first, then those of the next socket, and so on: the
 * lock moves between sockets once for each socket in a segment. The newest arrival's socket is the first, which under
 * load is that of the last owner. Nobody leaves its segment, so a later arrival overtakes a waiter at most once, as in
 * the paper, and no count of handovers is needed.
 *
 * Nobody searches. While it waits, each thread finds the nearest waiter of each socket below itself, from what the one
 * directly below has found (`struct nearest` of port/thread.h): a chain for each socket through one stack. Release
 * detaches a segment and hands over to its newest, in constant time; the newest then leaves the heads of the other
 * sockets' chains in the lock.
 *
 * | nearest.ready    | meaning                                                                   |
 * |------------------|---------------------------------------------------------------------------|
 * | 0                | not known yet                                                             |
 * | NEAREST_ONSET    | no waiter, but an owner that found the lock free as others arrived        |
 * | NEAREST + socket | a waiter of that socket; `of` has who is below it, or null                |
 *
 * | message of a gate | meaning                                                                  |
 * |-------------------|--------------------------------------------------------------------------|
 * | GATE_OPEN         | owner; of this segment only waiters of one's own socket are left         |
 * | NUMA_OTHERS       | owner; lock->first has waiters of other sockets                          |
 * | NUMA_START        | owner, the first of a segment                                            |
 *
 * The newest of a segment has read the one below, which had read the one below it, before the newest is admitted, and
 * that is before all others: nobody's element is read after its thread has been admitted, and any thread may release.
 * arrivals.h has the arrivals word; threads wait by exchanges, as in reciprocating-ctr.h.
 */
#ifndef RECIP_ZOO_RECIPROCATING_NUMA_H
#define RECIP_ZOO_RECIPROCATING_NUMA_H

#include "zoo/parts/arrivals.h"
#include "zoo/parts/gate-reset.h"
#include "zoo/parts/mutex-form.h"

enum { NEAREST_ONSET = 1, NEAREST = 2, NUMA_OTHERS = 3, NUMA_START = 5 };

struct reciprocating_numa_lock {
    arrivals_word arrivals;
    struct element
        *first[NEAREST_SOCKETS]; /* of the entry segment, in each socket whose turn is to come; the owner's */
};

struct reciprocating_numa_context {
    struct element *successor;
    uintptr_t message; /* to the successor; without one, NUMA_OTHERS if lock->first is not empty */
};

static inline struct nearest *nearest_of(struct element *element)
{
    _Static_assert(offsetof(struct thread, element) == 0, "an element is the start of its thread's record");
    return &((struct thread *)element)->nearest;
}

static inline uintptr_t nearest_await(struct nearest *nearest)
{
    uintptr_t ready;
    /* acquire: with the release in nearest_publish. */
    while (!(ready = atomic_load_explicit(&nearest->ready, memory_order_acquire)))
        port_relax();
    return ready;
}

static inline void nearest_publish(struct nearest *nearest, uintptr_t ready)
{
    /* release: what `of` has, to the thread above. */
    atomic_store_explicit(&nearest->ready, ready, memory_order_release);
}

/* Finds, for each socket, the nearest element below one that was pushed on `tail`. */
static inline void nearest_find(struct nearest *nearest, struct element *tail)
{
    memset(nearest->of, 0, sizeof nearest->of);
    if (tail == LOCKED_EMPTY)
        return;
    uintptr_t ready = nearest_await(nearest_of(tail));
    if (ready == NEAREST_ONSET)
        return;
    memcpy(nearest->of, nearest_of(tail)->of, sizeof nearest->of);
    nearest->of[ready - NEAREST] = tail;
}

/* The first of a segment: its socket's turn is now, that of the others is to come. */
static inline uintptr_t reciprocating_numa_start(struct reciprocating_numa_lock *lock, const struct nearest *nearest,
                                                 unsigned socket)
{
    uintptr_t message = GATE_OPEN;
    for (unsigned i = 0; i < NEAREST_SOCKETS; i++)
        if (i != socket && nearest->of[i]) {
            lock->first[i] = nearest->of[i];
            message = NUMA_OTHERS;
        }
    return message;
}

/* The turn of another socket: its first waiter. */
static inline struct element *reciprocating_numa_turn(struct reciprocating_numa_lock *lock, uintptr_t *message)
{
    struct element *next = NULL;
    *message = GATE_OPEN;
    for (unsigned i = 0; i < NEAREST_SOCKETS; i++) {
        if (next && lock->first[i])
            *message = NUMA_OTHERS;
        if (!next && lock->first[i]) {
            next = lock->first[i];
            lock->first[i] = NULL;
        }
    }
    return next;
}

static inline void reciprocating_numa_wait(struct reciprocating_numa_lock *lock, struct element *self,
                                           struct element *tail, struct reciprocating_numa_context *context)
{
    struct nearest *nearest = nearest_of(self);
    unsigned socket = port_socket() % NEAREST_SOCKETS;
    nearest_find(nearest, tail);
    nearest_publish(nearest, NEAREST + socket);
    context->message = gate_await_and_close(&self->reset_gate);
    context->successor = nearest->of[socket];
    if (context->message == NUMA_START)
        context->message = reciprocating_numa_start(lock, nearest, socket);
}

static inline void reciprocating_numa_acquire(struct reciprocating_numa_lock *lock,
                                              struct reciprocating_numa_context *context)
{
    *context = (struct reciprocating_numa_context){NULL, GATE_OPEN};
    if (arrivals_try_lock(&lock->arrivals))
        return;
    struct element *self = element_self();
    /* relaxed: published by the push. */
    atomic_store_explicit(&nearest_of(self)->ready, 0, memory_order_relaxed);
    struct element *tail = arrivals_push(&lock->arrivals, self);
    if (tail) {
        reciprocating_numa_wait(lock, self, tail, context);
        return;
    }
    nearest_publish(nearest_of(self), NEAREST_ONSET);
    struct element *newest = arrivals_detach(&lock->arrivals);
    if (newest != self) {
        /* Until the one above has read that: then this thread may wait elsewhere. */
        nearest_await(nearest_of(newest));
        *context = (struct reciprocating_numa_context){newest, NUMA_START};
    }
}

static inline bool reciprocating_numa_try_acquire(struct reciprocating_numa_lock *lock,
                                                  struct reciprocating_numa_context *context)
{
    *context = (struct reciprocating_numa_context){NULL, GATE_OPEN};
    return arrivals_try_lock(&lock->arrivals);
}

static inline void reciprocating_numa_release(struct reciprocating_numa_lock *lock,
                                              struct reciprocating_numa_context *context)
{
    struct element *next = context->successor;
    uintptr_t message = context->message;
    if (!next && message == NUMA_OTHERS)
        next = reciprocating_numa_turn(lock, &message);
    if (!next) {
        next = arrivals_unlock_or_detach(&lock->arrivals, LOCKED_EMPTY);
        message = NUMA_START;
    }
    if (next)
        gate_open(&next->reset_gate, message);
}

ZERO_IS_UNLOCKED(reciprocating_numa)
MUTEX_FORM(reciprocating_numa)

#endif
