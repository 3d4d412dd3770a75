/* SPDX-License-Identifier: MIT */
/* A signal handler may lock, at any step of its thread, a mutex that the thread neither holds nor waits for, and try
 * any. Release is atomic here: what a signal does to the one in two steps is seen natively, by
 * tests/mutex/single-step.c. */
#include "check/clients/mutex/common.h"

static recip_mutex_t other; /* of the handler, and of a thread */
static int uses;            /* guarded by it */

static void use_other(void *unused)
{
    (void)unused;
    recip_mutex_lock(&other);
    check_owned(&other);
    uses++;
    check_leaving(&other);
    recip_mutex_unlock(&other);
}

static void try_interrupted(void *unused)
{
    (void)unused;
    try_lock((void *)1);
}

static void lock_and_unlock(void *unused)
{
    (void)unused;
    recip_mutex_lock(&shared.mutex);
    use_and_unlock();
}

static void lock_both_in_turn(void *unused)
{
    lock_and_unlock(unused);
    use_other(unused);
}

/* As the other one: not new, and with a bound at which wake-ups wait for release. */
static void start_handler(unsigned bound)
{
    start(.bound = bound);
    uses = 0;
    other = shared.mutex;
    check_max_overtakes(&other, -1);
    check_name(&other.state, sizeof other.state, "other-state");
    check_name(&other.arrivals, sizeof other.arrivals, "other-arrivals");
}

static void locks_another(void)
{
    start_handler(1);
    check_handler(check_thread(lock_and_unlock, NULL), use_other, NULL);
    spawn(lock_both_in_turn);
}

static void tries_it(void)
{
    start_handler(1);
    check_handler(check_thread(lock_and_unlock, NULL), try_interrupted, NULL);
    spawn(lock_and_unlock);
}

/* One sleeps at its gate for each mutex. The thread admits the one, its handler the other, and each wakes at release
 * whom it has admitted. The second is an element and no thread. */
static waiter gated[2];

static void admit_and_unlock(void *element)
{
    waiter *sleeper = element;
    recip_mutex_t *mutex = sleeper->mutex;
    recip_mutex_admit_by_owner(mutex, sleeper);
    recip_mutex_unlock(mutex);
}

static void wait_at_gate(void *element)
{
    waiter *self = element;
    recip_mutex_t *mutex = self->mutex;
    recip_mutex_lock_admitted(mutex, self, recip_waiter_await(self, NULL));
    recip_mutex_unlock(mutex);
}

static void lock_admit_and_unlock(void *element)
{
    recip_mutex_lock(&other);
    admit_and_unlock(element);
}

static void wakes_another(void)
{
    start_handler(64);
    recip_mutex_t *mutexes[] = {&shared.mutex, &other};
    for (int i = 0; i < 2; i++) {
        atomic_store_explicit(&gated[i].gate, i == 0 ? GATE_CLOSED : GATE_PARKED, memory_order_relaxed);
        gated[i].mutex = mutexes[i];
    }
    start_used(RECIP_LOCKED_);
    other.passes = shared.mutex.passes;
    check_handler(check_thread(admit_and_unlock, &gated[0]), lock_admit_and_unlock, &gated[1]);
    check_thread(wait_at_gate, &gated[0]);
}

static void neither_is_left(void)
{
    nothing_is_left();
    check_assert(check_last_value(&other.state, sizeof other.state) == 0);
    check_assert(arrivals_of_this_epoch(check_last_value(&other.arrivals, sizeof other.arrivals)) == 0);
}

CLIENTS(handler, "the mutex: signal handlers",
        CLIENT("handler-locks", "a thread locks, its signal handler locks another mutex; a second thread locks both",
               locks_another, neither_is_left, SECONDS),
        CLIENT("handler-tries", "a thread locks, its signal handler tries the same mutex; a second thread locks",
               tries_it, marks_are_left, A_MOMENT),
        CLIENT("handler-wakes", "a thread and its signal handler each put off a wake-up until release", wakes_another,
               nothing_is_left, A_MOMENT))
