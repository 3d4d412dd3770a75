/* preload/sleepers.h under `recip check --source`, in all executions: no signal is lost to a waiter that is cancelled
 * or out of time, and nobody looks at a condition variable that is destroyed, nor at a waiter that has returned.
 *
 * The inner mutex is a spin lock here, a gate is opened by whoever lets its waiter go, and there is no mutex to be
 * locked again: nothing in sleepers.h depends on it. */
#include "check/client.h"

#include "preload/cond.h"

static void enter(struct cond *cond)
{
    while (__atomic_exchange_n(&cond->inner.state, 1, __ATOMIC_ACQUIRE))
        check_relax();
}

static void leave(struct cond *cond)
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

#include "preload/sleepers.h"

enum { MOST = 3 };
static struct cond cond;
static struct sleeper sleepers[MOST];
static int waiters, doomed;

/* What may end the wait of those who are doomed, besides a signal. */
static enum { CANCELLED, OUT_OF_TIME } other_end;
static _Atomic(bool) ended[MOST];

static void let_go(struct sleeper *chosen)
{
    if (chosen)
        recip_waiter_open(&chosen->element, SEGMENT_EMPTY);
}

static void broadcast(void)
{
    struct sleeper *next;
    for (struct sleeper *each = take_all(&cond); each; each = next) {
        next = each->next;
        let_go(each);
    }
}

/* Until the gate opens, or the other end comes, which is true. */
static bool sleep_at_gate(struct sleeper *self, _Atomic(bool) *end)
{
    for (;;) {
        if (atomic_load_explicit(end, memory_order_relaxed))
            return true;
        if (is_open(&self->element))
            return false;
        check_relax();
    }
}

/* As in cond.c, up to where it locks its mutex. Whether the signal was used. */
static bool wait_until_end(struct sleeper *self, _Atomic(bool) *end)
{
    bool ends = sleep_at_gate(self, end);
    if (ends && withdraw(self))
        return false;
    bool used = !ends || other_end == OUT_OF_TIME;
    if (used)
        keep_signal(self);
    else
        let_go(pass_signal_on(self));
    recip_waiter_await(&self->element, NULL);
    return used;
}

static bool wait_at(uintptr_t place)
{
    bool used = wait_until_end(&sleepers[place], &ended[place]);
    check_gone(&sleepers[place], sizeof sleepers[place]);
    return used;
}

static void waits(void *place)
{
    wait_at((uintptr_t)place);
}

static void waits_and_signals_the_next(void *place)
{
    if (wait_at((uintptr_t)place))
        let_go(take_one(&cond));
}

static void signals(void *unused)
{
    (void)unused;
    let_go(take_one(&cond));
}

static void destroy(void)
{
    check_assert(see_all_off(&cond));
    check_assert(is_idle(&cond) && !cond.owing);
    check_gone(&cond, sizeof cond);
}

static void signals_each_and_destroys(void *unused)
{
    (void)unused;
    for (int i = 0; i < waiters; i++)
        let_go(take_one(&cond));
    destroy();
}

static void signals_broadcasts_and_destroys(void *unused)
{
    (void)unused;
    let_go(take_one(&cond));
    broadcast();
    destroy();
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
        sleepers[i].cond = &cond;
        append(&cond, &sleepers[i]);
        check_thread(waiter_body, (void *)(uintptr_t)i);
    }
    check_thread(signaller, NULL);
    check_thread(ends_waits, NULL);
}

/* Who is left has the signal meant for it. */
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

static void set_up_broadcast(void)
{
    waiters = doomed = 3;
    set_up(waits, signals_broadcasts_and_destroys);
}

__attribute__((constructor)) static void register_all(void)
{
    static struct check_client clients[] = {
        {.name = "signal, two cancelled", .setup = set_up_survival},
        {.name = "signal, two out of time", .setup = set_up_survival_in_time},
        {.name = "destroy, all cancelled", .setup = set_up_destruction},
        {.name = "destroy, all out of time", .setup = set_up_destruction_in_time},
        {.name = "broadcast and destroy", .setup = set_up_broadcast},
    };
    for (size_t i = 0; i < sizeof clients / sizeof *clients; i++)
        check_register(&clients[i]);
}
