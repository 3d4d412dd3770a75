/* Who waits on a condition variable, and until when they look at it. Every step but a change of state is under the
 * inner mutex, which `enter` and `leave`, before this file is included, take and release.
 *
 * | state      | set by                                              | meaning                                       |
 * |------------|-----------------------------------------------------|-----------------------------------------------|
 * | WAITING    | the waiter, as it begins                            | listed                                        |
 * | SIGNALLED  | signal or broadcast, from WAITING: unlists it;      | its gate will be opened; the waiter never     |
 * |            | destroy, from OWING: unlists it                     | looks at the condition variable again         |
 * | OWING      | signal, from WAITING, if others may wait: lists it  | its gate will be opened; if it is cancelled   |
 * |            | with those that owe                                 | instead, it passes the signal on              |
 * | LEAVING    | the waiter, from WAITING: out of time or cancelled; | unlists itself; everybody else passes it over |
 * |            | from OWING: awake or cancelled                      |                                               |
 * | DESTROYING | destroy                                             | listed until those that leave have left       |
 *
 * So the condition variable may be destroyed as soon as all waiters are signalled, also by the owner of the mutex that
 * they will lock: destroy lets those off that owe, since nobody is left to pass a signal on to, and waits only for
 * those that leave, who need the inner mutex and nothing else. The last access of anybody is the release of the inner
 * mutex.
 *
 * tests/preload/sleepers.c explores all of it.
 */
#ifndef RECIP_PRELOAD_SLEEPERS_H
#define RECIP_PRELOAD_SLEEPERS_H

#include "preload/cond.h"

enum state { WAITING, SIGNALLED, OWING, LEAVING, DESTROYING };

/* From WAITING; false if somebody was faster. relaxed: what the state decides is done under the inner mutex, or handed
 * over through the gate. */
static bool settle(struct sleeper *sleeper, enum state state)
{
    unsigned waiting = WAITING;
    return atomic_compare_exchange_strong_explicit(&sleeper->state, &waiting, state, memory_order_relaxed,
                                                   memory_order_relaxed);
}

/* relaxed: likewise. */
static enum state state_of(struct sleeper *sleeper)
{
    return atomic_load_explicit(&sleeper->state, memory_order_relaxed);
}

/* ---- Those that wait ---- */

/* relaxed: under the inner mutex, but for is_idle. */
static struct sleeper *first_of(struct cond *cond)
{
    return atomic_load_explicit(&cond->first, memory_order_relaxed);
}

static void set_first(struct cond *cond, struct sleeper *sleeper)
{
    atomic_store_explicit(&cond->first, sleeper, memory_order_relaxed);
}

static void append(struct cond *cond, struct sleeper *sleeper)
{
    sleeper->next = NULL;
    sleeper->previous = cond->last;
    if (cond->last)
        cond->last->next = sleeper;
    else
        set_first(cond, sleeper);
    cond->last = sleeper;
}

static void take_out(struct cond *cond, struct sleeper *sleeper)
{
    if (sleeper->previous)
        sleeper->previous->next = sleeper->next;
    else
        set_first(cond, sleeper->next);
    if (sleeper->next)
        sleeper->next->previous = sleeper->previous;
    else
        cond->last = sleeper->previous;
}

/* Nobody to signal. Whoever waits has listed itself before it released its mutex, and a signal counts for those only
 * whose release happened before it: no order is needed here. */
static bool is_idle(struct cond *cond)
{
    return first_of(cond) == NULL;
}

static bool is_waited_for(struct cond *cond)
{
    for (struct sleeper *each = first_of(cond); each; each = each->next)
        if (state_of(each) == WAITING)
            return true;
    return false;
}

/* ---- Those that owe ---- */

static void list_owing(struct cond *cond, struct sleeper *sleeper)
{
    sleeper->previous = NULL;
    sleeper->next = cond->owing;
    if (cond->owing)
        cond->owing->previous = sleeper;
    cond->owing = sleeper;
}

/* Whoever stands between the two. */
static void strike_off(struct cond *cond, struct sleeper *previous, struct sleeper *next)
{
    *(previous ? &previous->next : &cond->owing) = next;
    if (next)
        next->previous = previous;
}

/* By the waiter: false if it does not owe, or has been let off. acquire when it fails: with the release in let_off;
 * when it succeeds, because C11 allows a failure no stronger order. */
static bool stop_owing(struct sleeper *self)
{
    unsigned owing = OWING;
    return atomic_load_explicit(&self->state, memory_order_acquire) == OWING &&
           atomic_compare_exchange_strong_explicit(&self->state, &owing, LEAVING, memory_order_acquire,
                                                   memory_order_acquire);
}

/* By destroy: false if the waiter is leaving. release, with the acquire in stop_owing: what destroy read of the sleeper
 * it read before the waiter returns. */
static bool let_off(struct sleeper *sleeper)
{
    unsigned owing = OWING;
    return atomic_compare_exchange_strong_explicit(&sleeper->state, &owing, SIGNALLED, memory_order_release,
                                                   memory_order_relaxed);
}

static void let_all_off(struct cond *cond)
{
    struct sleeper *next;
    for (struct sleeper *each = cond->owing; each; each = next) {
        /* Before it is let off: afterwards it may be gone. */
        struct sleeper *previous = each->previous;
        next = each->next;
        if (let_off(each))
            strike_off(cond, previous, next);
    }
}

/* ---- Signal and broadcast: who is taken has to be let go ---- */

static struct sleeper *choose(struct cond *cond)
{
    for (struct sleeper *each = first_of(cond); each; each = each->next) {
        /* Those before it do not wait. */
        bool owes = each->next;
        if (!settle(each, owes ? OWING : SIGNALLED))
            continue;
        take_out(cond, each);
        if (owes)
            list_owing(cond, each);
        return each;
    }
    return NULL;
}

/* Whom a signal falls on, or null. */
static struct sleeper *take_one(struct cond *cond)
{
    enter(cond);
    struct sleeper *chosen = choose(cond);
    leave(cond);
    return chosen;
}

/* Whom a broadcast falls on, in their order. */
static struct sleeper *take_all(struct cond *cond)
{
    struct sleeper *chosen = NULL, **end = &chosen, *next;
    enter(cond);
    for (struct sleeper *each = first_of(cond); each; each = next) {
        next = each->next;
        if (!settle(each, SIGNALLED))
            continue;
        take_out(cond, each);
        *end = each;
        end = &each->next;
    }
    *end = NULL;
    leave(cond);
    return chosen;
}

/* ---- The waiter's end ---- */

/* By one that was leaving, and is unlisted: if it was the last, destroy goes on. */
static void leave_for_good(struct cond *cond)
{
    struct sleeper *first = first_of(cond);
    bool destroyed = first && state_of(first) == DESTROYING && !cond->owing;
    if (destroyed)
        take_out(cond, first);
    leave(cond);
    if (destroyed)
        recip_waiter_open(&first->element, SEGMENT_EMPTY);
}

/* Stop waiting: true if that was in time, false if a signal was faster. */
static bool withdraw(struct sleeper *self)
{
    if (!settle(self, LEAVING))
        return false;
    enter(self->cond);
    take_out(self->cond, self);
    leave_for_good(self->cond);
    return true;
}

/* Signalled, and can be cancelled no more: the signal is used. */
static void keep_signal(struct sleeper *self)
{
    if (!stop_owing(self))
        return;
    enter(self->cond);
    strike_off(self->cond, self->previous, self->next);
    leave_for_good(self->cond);
}

/* Signalled and cancelled: whom the signal falls on instead, or null. */
static struct sleeper *pass_signal_on(struct sleeper *self)
{
    if (!stop_owing(self))
        return NULL;
    enter(self->cond);
    strike_off(self->cond, self->previous, self->next);
    struct sleeper *chosen = choose(self->cond);
    leave_for_good(self->cond);
    return chosen;
}

/* ---- Destroy ---- */

/* True when nobody looks at the condition variable any more; false if somebody waits. */
static bool see_all_off(struct cond *cond)
{
    struct sleeper self = {.cond = cond};
    enter(cond);
    bool waited_for = is_waited_for(cond);
    if (!waited_for)
        let_all_off(cond);
    bool left = !waited_for && (!is_idle(cond) || cond->owing);
    if (left) {
        gate_close(&self.element.gate);
        atomic_store_explicit(&self.state, DESTROYING, memory_order_relaxed);
        append(cond, &self);
    }
    leave(cond);
    if (left)
        recip_waiter_await(&self.element, NULL);
    return !waited_for;
}

#endif
