/* SPDX-License-Identifier: MIT */
/* Reciprocating lock for several sockets, and for clusters of cores. Ours, on the double-swap formulation of Dice and
 * Kogan, "Reciprocating Locks".
 *
 * CPUs that have a cache in common are a group: a cluster where the machine has such, else a socket. Within a segment
 * the waiters of one group come first, newest first, then those of the next group, and so on: the lock moves between
 * groups once for each group in a segment. The newest arrival's group is the first, which under load is that of the
 * last owner. Nobody leaves its segment, so a later arrival overtakes a waiter at most once, as in the paper, and no
 * count of handovers is needed.
 *
 * Nobody searches. While it waits, each thread finds the nearest waiter of each group below itself, from what the one
 * directly below has found (`struct nearest` of port/thread.h): a chain for each group through one stack. Release
 * detaches a segment and hands over to its newest, in constant time; the newest then leaves the heads of the other
 * groups' chains in the lock.
 *
 * A waiter is known by its element's address with marks in the low bits: which of its thread's two records is in use
 * (NEAREST_SECOND), and in a record also its group. A thread uses its records in turn, and blanks the other one while
 * it waits. To blank one before the push would hold up the exchange, until the thread above has lost its copy of the
 * line, and would keep the lock's line away from the owner: 2 % at 36 threads (`recip sim`).
 *
 * | nearest.ready   | meaning                                                                                |
 * |-----------------|----------------------------------------------------------------------------------------|
 * | 0               | not known yet                                                                          |
 * | NEAREST_ONSET   | no waiter, but an owner that found the lock free as others arrived                     |
 * | NEAREST_KNOWN + | a waiter: its group, and NEAREST_GROUPS times how many waiters are in `of`, the        |
 * | ...             | nearest of each group, by group                                                        |
 *
 * | message of a gate | meaning                                                                                |
 * |-------------------|----------------------------------------------------------------------------------------|
 * | 2 n + 1           | owner; n groups have their turn after this one's, and lock->first has their heads      |
 * | NUMA_START        | owner, the first of a segment                                                          |
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

enum { NEAREST_SECOND = NEAREST_GROUPS }; /* beside the group */
enum { NEAREST_ONSET = 1, NEAREST_KNOWN = 2 };
enum { NUMA_START = 2 * NEAREST_GROUPS + 1 };

struct reciprocating_numa_context {
    struct element *successor;
    uintptr_t message; /* to the successor; without one, 2 n + 1 with the groups that are left */
};

struct reciprocating_numa_lock {
    arrivals_word arrivals;
    struct reciprocating_numa_context kept; /* the mutex form's: in the line that an owner has anyway */
    struct element *first[NEAREST_GROUPS];  /* the heads of the groups whose turn is to come, the next one last */
};

static inline unsigned nearest_group(const struct element *waiter)
{
    return (uintptr_t)waiter % NEAREST_GROUPS;
}

static inline struct element *nearest_marked(struct element *waiter, uintptr_t mark)
{
    return (struct element *)((uintptr_t)waiter + mark);
}

static inline struct thread *nearest_thread(struct element *waiter)
{
    _Static_assert(offsetof(struct thread, element) == 0, "an element is the start of its thread's record");
    return (struct thread *)((uintptr_t)waiter & -(uintptr_t)RECIP_LINE);
}

static inline struct nearest *nearest_of(struct element *waiter)
{
    return &nearest_thread(waiter)->nearest[((uintptr_t)waiter & NEAREST_SECOND) != 0];
}

/* The calling thread, with the record that is blank. */
static inline struct element *nearest_self(void)
{
    struct thread *thread = port_thread();
    thread->nearest_in_use ^= NEAREST_SECOND;
    return nearest_marked(&thread->element, thread->nearest_in_use);
}

/* Nobody reads the record of the last time any more. */
static inline void nearest_blank_other(struct element *self)
{
    struct nearest *other = &nearest_thread(self)->nearest[((uintptr_t)self & NEAREST_SECOND) == 0];
    /* relaxed: published by the push that has it in use. */
    atomic_store_explicit(&other->ready, 0, memory_order_relaxed);
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

/* Finds, for each group, the nearest element below one that was pushed on `tail`; how many there are. */
static inline unsigned nearest_find(struct nearest *nearest, struct element *tail)
{
    if (tail == LOCKED_EMPTY)
        return 0;
    const struct nearest *below = nearest_of(tail);
    uintptr_t ready = nearest_await(nearest_of(tail));
    if (ready == NEAREST_ONSET)
        return 0;
    unsigned group = (ready - NEAREST_KNOWN) % NEAREST_GROUPS, known = (ready - NEAREST_KNOWN) / NEAREST_GROUPS;
    unsigned count = 0, i = 0;
    while (i < known && nearest_group(below->of[i]) < group)
        nearest->of[count++] = below->of[i++];
    nearest->of[count++] = nearest_marked(tail, group);
    i += i < known && nearest_group(below->of[i]) == group;
    while (i < known)
        nearest->of[count++] = below->of[i++];
    return count;
}

/* The next of one's own group in the segment, or null. */
static inline struct element *nearest_own(const struct nearest *nearest, unsigned count, unsigned group)
{
    for (unsigned i = 0; i < count; i++)
        if (nearest_group(nearest->of[i]) == group)
            return nearest->of[i];
    return NULL;
}

/* The first of a segment: its group's turn is now, then that of the next higher one, and so on, around. */
static inline uintptr_t reciprocating_numa_start(struct reciprocating_numa_lock *lock, const struct nearest *nearest,
                                                 unsigned count, unsigned group)
{
    unsigned others = 0, lower = 0;
    while (lower < count && nearest_group(nearest->of[lower]) < group)
        lower++;
    for (unsigned i = lower; i-- > 0;)
        lock->first[others++] = nearest->of[i];
    for (unsigned i = count; i-- > lower && nearest_group(nearest->of[i]) != group;)
        lock->first[others++] = nearest->of[i];
    return 2 * others + 1;
}

static inline void reciprocating_numa_wait(struct reciprocating_numa_lock *lock, struct element *self,
                                           struct element *tail, struct reciprocating_numa_context *context)
{
    struct nearest *nearest = nearest_of(self);
    unsigned group = port_cluster() % NEAREST_GROUPS, count = nearest_find(nearest, tail);
    nearest_publish(nearest, NEAREST_KNOWN + group + count * NEAREST_GROUPS);
    nearest_blank_other(self);
    context->message = gate_await_and_close(&nearest_thread(self)->element.reset_gate);
    context->successor = nearest_own(nearest, count, group);
    if (context->message == NUMA_START)
        context->message = reciprocating_numa_start(lock, nearest, count, group);
}

static inline void reciprocating_numa_acquire(struct reciprocating_numa_lock *lock,
                                              struct reciprocating_numa_context *context)
{
    *context = (struct reciprocating_numa_context){NULL, GATE_OPEN};
    if (arrivals_try_lock(&lock->arrivals))
        return;
    struct element *self = nearest_self();
    struct element *tail = arrivals_push(&lock->arrivals, self);
    if (tail) {
        reciprocating_numa_wait(lock, self, tail, context);
        return;
    }
    nearest_publish(nearest_of(self), NEAREST_ONSET);
    nearest_blank_other(self);
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
    if (!next && message != GATE_OPEN) {
        message -= 2;
        next = lock->first[message / 2];
    }
    if (!next) {
        next = arrivals_unlock_or_detach(&lock->arrivals, LOCKED_EMPTY);
        message = NUMA_START;
    }
    if (next)
        gate_open(&nearest_thread(next)->element.reset_gate, message);
}

ZERO_IS_UNLOCKED(reciprocating_numa)
MUTEX_FORM_INSIDE(reciprocating_numa)

#endif
