/* SPDX-License-Identifier: MIT */
/* preload/cond-waiters.h under `recip check --source`, in all executions: no signal is lost to a waiter that is
 * cancelled or whose deadline passes, and no thread accesses a destroyed condition variable or the entry of a waiter
 * that has returned.
 *
 * The inner mutex is a spin lock here, a signal opens the gate of its waiter, and no mutex is locked again: nothing in
 * cond-waiters.h depends on that. */
#include <recip-check.h>

#include "preload/cond.h"

static void lock_inner(struct cond *cond)
{
    while (__atomic_exchange_n(&cond->inner.state, 1, __ATOMIC_ACQUIRE))
        check_relax();
}

static void unlock_inner(struct cond *cond)
{
    __atomic_store_n(&cond->inner.state, 0, __ATOMIC_RELEASE);
}

void recip_waiter_open(waiter *element, uintptr_t message)
{
    atomic_store_explicit(&element->gate, message, memory_order_release);
}

static bool is_open(waiter *element)
{
    return !gate_is_shut(atomic_load_explicit(&element->gate, memory_order_acquire));
}

uintptr_t recip_waiter_await(waiter *self, const struct deadline *deadline)
{
    (void)deadline;
    while (!is_open(self))
        check_relax();
    return SEGMENT_EMPTY;
}

#include "preload/cond-waiters.h"

enum { MAX_WAITERS = 3 };
static struct cond cond;
static struct cond_waiter entries[MAX_WAITERS];
static int waiters, doomed;

/* What may end the waits of the first `doomed` waiters, besides a signal. */
static enum { CANCELLED, OUT_OF_TIME } other_end;
static _Atomic(bool) ended[MAX_WAITERS];

static void wake(struct cond_waiter *chosen)
{
    if (chosen)
        recip_waiter_open(&chosen->element, SEGMENT_EMPTY);
}

static void broadcast(void)
{
    struct cond_waiter *next;
    for (struct cond_waiter *each = choose_all(&cond); each; each = next) {
        next = each->next;
        wake(each);
    }
}

/* Until the gate opens (false) or the other end comes (true). */
static bool sleep_at_gate(struct cond_waiter *self, _Atomic(bool) *end)
{
    for (;;) {
        if (atomic_load_explicit(end, memory_order_relaxed))
            return true;
        if (is_open(&self->element))
            return false;
        check_relax();
    }
}

/* As in cond.c, up to where it locks its mutex. Returns whether the signal was used. */
static bool wait_until_end(struct cond_waiter *self, _Atomic(bool) *end)
{
    bool ends = sleep_at_gate(self, end);
    if (ends && withdraw(self))
        return false;
    bool used = !ends || other_end == OUT_OF_TIME;
    if (used)
        use_signal(self);
    else
        wake(pass_signal_on(self));
    recip_waiter_await(&self->element, NULL);
    return used;
}

static bool wait_at(uintptr_t place)
{
    bool used = wait_until_end(&entries[place], &ended[place]);
    check_destroyed(&entries[place], sizeof entries[place]);
    return used;
}

static void waits(void *place)
{
    wait_at((uintptr_t)place);
}

static void waits_and_signals_the_next(void *place)
{
    if (wait_at((uintptr_t)place))
        wake(choose_one(&cond));
}

static void signals(void *unused)
{
    (void)unused;
    wake(choose_one(&cond));
}

static void destroy(void)
{
    check_assert(wait_for_leavers(&cond));
    check_assert(cond_is_idle(&cond) && !cond.owing);
    check_destroyed(&cond, sizeof cond);
}

static void signals_each_and_destroys(void *unused)
{
    (void)unused;
    for (int i = 0; i < waiters; i++)
        wake(choose_one(&cond));
    destroy();
}

static void signals_broadcasts_and_destroys(void *unused)
{
    (void)unused;
    wake(choose_one(&cond));
    broadcast();
    destroy();
}

/* As the owner of the mutex that the waiters have been moved to: they wake when it is released. */
static void destroys_before_they_wake(void *unused)
{
    (void)unused;
    struct cond_waiter *chosen[MAX_WAITERS];
    for (int i = 0; i < waiters; i++)
        chosen[i] = choose_one(&cond);
    destroy();
    for (int i = 0; i < waiters; i++)
        wake(chosen[i]);
}

/* The last one waits, whatever the others do: nothing is destroyed. Then everybody is let go. */
static void is_refused(void *unused)
{
    (void)unused;
    check_assert(!wait_for_leavers(&cond));
    broadcast();
}

static void ends_waits(void *unused)
{
    (void)unused;
    for (int i = 0; i < doomed; i++)
        atomic_store_explicit(&ended[i], true, memory_order_relaxed);
}

static void set_up(void (*waiter_body)(void *), void (*signaller)(void *))
{
    for (int i = 0; i < waiters; i++) {
        entries[i].cond = &cond;
        entries[i].next = entries[i].previous = &entries[i]; /* as on a stack: anything */
        add_waiter(&cond, &entries[i]);
        check_thread(waiter_body, (void *)(uintptr_t)i);
    }
    check_thread(signaller, NULL);
    check_thread(ends_waits, NULL);
}

/* The third waiter, which is not doomed, gets a signal. */
static void set_up_survival(void)
{
    waiters = 3;
    doomed = 2;
    set_up(waits_and_signals_the_next, signals);
}

static void set_up_survival_in_time(void)
{
    other_end = OUT_OF_TIME;
    set_up_survival();
}

static void set_up_destruction(void)
{
    waiters = doomed = 3;
    set_up(waits, signals_each_and_destroys);
}

static void set_up_destruction_in_time(void)
{
    other_end = OUT_OF_TIME;
    set_up_destruction();
}

static void set_up_destruction_before_they_wake(void)
{
    waiters = 3;
    doomed = 1; /* who can come to an end otherwise need not wake */
    set_up(waits, destroys_before_they_wake);
}

static void set_up_broadcast(void)
{
    waiters = doomed = 3;
    set_up(waits, signals_broadcasts_and_destroys);
}

static void set_up_refusal(void)
{
    waiters = 2;
    doomed = 1;
    set_up(waits, is_refused);
}

/* Nobody is in a list that nobody waits in. */
static void nobody_is_left(void)
{
    check_assert(cond_is_idle(&cond) && !cond.last && !cond.owing);
}

CHECK_CLIENT("signal, two cancelled", set_up_survival, NULL)
CHECK_CLIENT("signal, two out of time", set_up_survival_in_time, NULL)
CHECK_CLIENT("destroy, all cancelled", set_up_destruction, NULL)
CHECK_CLIENT("destroy, all out of time", set_up_destruction_in_time, NULL)
CHECK_CLIENT("destroy before they wake", set_up_destruction_before_they_wake, NULL)
CHECK_CLIENT("broadcast and destroy", set_up_broadcast, NULL)
CHECK_CLIENT("destroy is refused", set_up_refusal, nobody_is_left)
