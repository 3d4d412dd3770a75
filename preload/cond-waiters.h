/* SPDX-License-Identifier: MIT */
/* The threads that wait on a condition variable, and until when they access it. Included by cond.c, and by its test,
 * which define `lock_inner` and `unlock_inner` before: every step but a change of state is made under the inner mutex.
 *
 * | state      | set by                                              | meaning                                       |
 * |------------|-----------------------------------------------------|-----------------------------------------------|
 * | WAITING    | the waiter, as it begins                            | in the list of waiters                        |
 * | SIGNALLED  | signal or broadcast, from WAITING: takes it out;    | its gate will be opened; the waiter never     |
 * |            | destroy, from OWING: takes it out                   | accesses the condition variable again         |
 * | OWING      | signal, from WAITING, if others may wait: moves it  | its gate will be opened; if it is cancelled   |
 * |            | to the list of those that owe                       | first, it passes the signal on to another     |
 * | LEAVING    | the waiter, from WAITING: deadline or cancelled;    | takes itself out; other threads skip it       |
 * |            | from OWING: awake or cancelled                      |                                               |
 * | DESTROYING | destroy                                             | in the list until those that leave have left  |
 *
 * So the condition variable may be destroyed as soon as all waiters are signalled, also by the owner of the mutex that
 * they will lock. Destroy waives what waiters owe, since there is nobody left to pass a signal on to. It waits only for
 * those that leave, which need the inner mutex and nothing else. The last access of each thread is the release of the
 * inner mutex.
 *
 * tests/preload/cond-waiters.c explores all of it.
 */
#ifndef RECIP_PRELOAD_COND_WAITERS_H
#define RECIP_PRELOAD_COND_WAITERS_H

#include "preload/cond.h"

enum state { WAITING, SIGNALLED, OWING, LEAVING, DESTROYING };

/* False if another thread was faster. relaxed: what the state decides is done under the inner mutex, or handed over
 * through the gate. */
static bool change_from_waiting(struct cond_waiter *entry, enum state state)
{
    unsigned waiting = WAITING;
    return atomic_compare_exchange_strong_explicit(&entry->state, &waiting, state, memory_order_relaxed,
                                                   memory_order_relaxed);
}

/* relaxed: likewise. */
static enum state state_of(struct cond_waiter *entry)
{
    return atomic_load_explicit(&entry->state, memory_order_relaxed);
}

/* ---- The list of waiters ---- */

/* relaxed: under the inner mutex, but for cond_is_idle. */
static struct cond_waiter *first_of(struct cond *cond)
{
    return atomic_load_explicit(&cond->first, memory_order_relaxed);
}

static void set_first(struct cond *cond, struct cond_waiter *entry)
{
    atomic_store_explicit(&cond->first, entry, memory_order_relaxed);
}

static void add_waiter(struct cond *cond, struct cond_waiter *entry)
{
    entry->next = NULL;
    entry->previous = cond->last;
    if (cond->last)
        cond->last->next = entry;
    else
        set_first(cond, entry);
    cond->last = entry;
}

static void remove_waiter(struct cond *cond, struct cond_waiter *entry)
{
    if (entry->previous)
        entry->previous->next = entry->next;
    else
        set_first(cond, entry->next);
    if (entry->next)
        entry->next->previous = entry->previous;
    else
        cond->last = entry->previous;
}

static bool somebody_waits(struct cond *cond)
{
    for (struct cond_waiter *each = first_of(cond); each; each = each->next)
        if (state_of(each) == WAITING)
            return true;
    return false;
}

/* ---- The list of those that owe ---- */

static void add_owing(struct cond *cond, struct cond_waiter *entry)
{
    entry->previous = NULL;
    entry->next = cond->owing;
    if (cond->owing)
        cond->owing->previous = entry;
    cond->owing = entry;
}

/* The entry between these two. */
static void remove_owing(struct cond *cond, struct cond_waiter *previous, struct cond_waiter *next)
{
    *(previous ? &previous->next : &cond->owing) = next;
    if (next)
        next->previous = previous;
}

/* By the waiter: false if it does not owe, or destroy has waived it. acquire on failure: with the release in waive. On
 * success, because C11 allows a failure no stronger order. */
static bool stop_owing(struct cond_waiter *self)
{
    unsigned owing = OWING;
    return atomic_load_explicit(&self->state, memory_order_acquire) == OWING &&
           atomic_compare_exchange_strong_explicit(&self->state, &owing, LEAVING, memory_order_acquire,
                                                   memory_order_acquire);
}

/* By destroy: false if the waiter is leaving. release, with the acquire in stop_owing: destroy has read the entry
 * before the waiter returns. */
static bool waive(struct cond_waiter *entry)
{
    unsigned owing = OWING;
    return atomic_compare_exchange_strong_explicit(&entry->state, &owing, SIGNALLED, memory_order_release,
                                                   memory_order_relaxed);
}

static void waive_all(struct cond *cond)
{
    struct cond_waiter *next;
    for (struct cond_waiter *each = cond->owing; each; each = next) {
        /* Read before waive: afterwards the entry may be gone. */
        struct cond_waiter *previous = each->previous;
        next = each->next;
        if (waive(each))
            remove_owing(cond, previous, next);
    }
}

/* ---- Signal and broadcast: the caller opens the gates of those that are chosen ---- */

static struct cond_waiter *choose(struct cond *cond)
{
    for (struct cond_waiter *each = first_of(cond); each; each = each->next) {
        /* Those before it do not wait. */
        bool owes = each->next;
        if (!change_from_waiting(each, owes ? OWING : SIGNALLED))
            continue;
        remove_waiter(cond, each);
        if (owes)
            add_owing(cond, each);
        return each;
    }
    return NULL;
}

/* For a signal; null if nobody waits. */
static struct cond_waiter *choose_one(struct cond *cond)
{
    lock_inner(cond);
    struct cond_waiter *chosen = choose(cond);
    unlock_inner(cond);
    return chosen;
}

/* For a broadcast, linked by `next`, in the order in which they came. */
static struct cond_waiter *choose_all(struct cond *cond)
{
    struct cond_waiter *chosen = NULL, **end = &chosen, *next;
    lock_inner(cond);
    for (struct cond_waiter *each = first_of(cond); each; each = next) {
        next = each->next;
        if (!change_from_waiting(each, SIGNALLED))
            continue;
        remove_waiter(cond, each);
        *end = each;
        end = &each->next;
    }
    *end = NULL;
    unlock_inner(cond);
    return chosen;
}

/* ---- The end of a wait ---- */

/* By a thread that was leaving and is in no list any more: if it was the last, destroy goes on. */
static void unlock_after_leaving(struct cond *cond)
{
    struct cond_waiter *first = first_of(cond);
    bool destroyed = first && state_of(first) == DESTROYING && !cond->owing;
    if (destroyed)
        remove_waiter(cond, first);
    unlock_inner(cond);
    if (destroyed)
        recip_waiter_open(&first->element, SEGMENT_EMPTY);
}

/* Stop waiting; false if a signal was faster. */
static bool withdraw(struct cond_waiter *self)
{
    if (!change_from_waiting(self, LEAVING))
        return false;
    lock_inner(self->cond);
    remove_waiter(self->cond, self);
    unlock_after_leaving(self->cond);
    return true;
}

/* By a signalled waiter that can no longer be cancelled: it uses the signal. */
static void use_signal(struct cond_waiter *self)
{
    if (!stop_owing(self))
        return;
    lock_inner(self->cond);
    remove_owing(self->cond, self->previous, self->next);
    unlock_after_leaving(self->cond);
}

/* By a signalled waiter that is cancelled. The waiter that is signalled instead, or null. */
static struct cond_waiter *pass_signal_on(struct cond_waiter *self)
{
    if (!stop_owing(self))
        return NULL;
    lock_inner(self->cond);
    remove_owing(self->cond, self->previous, self->next);
    struct cond_waiter *chosen = choose(self->cond);
    unlock_after_leaving(self->cond);
    return chosen;
}

/* ---- Destroy ---- */

/* Returns true once nobody accesses the condition variable any more; false, at once, if somebody waits. */
static bool wait_for_leavers(struct cond *cond)
{
    struct cond_waiter self = {.cond = cond};
    lock_inner(cond);
    bool waited_for = somebody_waits(cond);
    if (!waited_for)
        waive_all(cond);
    bool left = !waited_for && (!cond_is_idle(cond) || cond->owing);
    if (left) {
        gate_close(&self.element.gate);
        atomic_store_explicit(&self.state, DESTROYING, memory_order_relaxed);
        add_waiter(cond, &self);
    }
    unlock_inner(cond);
    if (left)
        recip_waiter_await(&self.element, NULL);
    return !waited_for;
}

#endif
