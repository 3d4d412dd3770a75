/* SPDX-License-Identifier: MIT */
/* No signalled waiter is forgotten, and the last thread to return may destroy the condition variable and the mutex. */
#include "check/clients/mutex/common.h"

static bool happened;
static int waiting; /* the last to come back frees the condition variable and the mutex; negative: nobody does */

static void come_back(void)
{
    check_assert(shared.first == shared.second);
    shared.first++;
    shared.second++;
    bool last = --waiting == 0;
    recip_mutex_unlock(&shared.mutex);
    if (last) {
        check_destroyed(&shared.cond, sizeof shared.cond);
        check_destroyed(&shared.mutex, sizeof shared.mutex);
    }
}

static void lock_and_come_back(void *unused)
{
    (void)unused;
    recip_mutex_lock(&shared.mutex);
    come_back();
}

static void wait_when_held(void *unused)
{
    (void)unused;
    while (!happened)
        recip_cond_wait_until(&shared.cond, &shared.mutex, NULL);
    come_back();
}

static void wait_until(const struct deadline *deadline)
{
    recip_mutex_lock(&shared.mutex);
    while (!happened) {
        passes_note_waiting();
        if (recip_cond_wait_until(&shared.cond, &shared.mutex, deadline) != 0)
            break;
    }
    come_back();
}

static void wait_for_it(void *unused)
{
    (void)unused;
    wait_until(NULL);
}

static void wait_in_time(void *unused)
{
    (void)unused;
    wait_until(&shared.deadline);
}

/* `wake` is recip_cond_signal_ or recip_cond_broadcast_. */
static void call(void *wake)
{
    passes_note_admitting();
    ((void (*)(recip_cond_t *))(uintptr_t)wake)(&shared.cond);
    passes_note_admitted();
}

static void make_it_happen(void *wake)
{
    recip_mutex_lock(&shared.mutex);
    happened = true;
    call(wake);
    come_back();
}

/* The signal comes after unlock: the waiter may have come and gone, so it frees nothing. */
static void make_it_happen_outside(void *wake)
{
    recip_mutex_lock(&shared.mutex);
    happened = true;
    recip_mutex_unlock(&shared.mutex);
    call(wake);
}

static void *const signal_one = (void *)(uintptr_t)recip_cond_signal_;
static void *const signal_all = (void *)(uintptr_t)recip_cond_broadcast_;

static void signalled(void)
{
    start(.bound = 1, .counts_passes = true);
    waiting = 2;
    spawn(wait_for_it);
    spawn_with(make_it_happen, signal_one);
}

static void signalled_in_two_steps(void)
{
    start(.two_step_threads = 2, .bound = 1, .counts_passes = true);
    waiting = 2;
    spawn(wait_for_it);
    spawn_with(make_it_happen, signal_one);
}

static void signalled_outside(void)
{
    start(.bound = 1, .counts_passes = true);
    waiting = -1;
    spawn(wait_for_it);
    spawn_with(make_it_happen_outside, signal_one);
}

static void signalled_busy(void)
{
    start(.bound = 1);
    waiting = 3;
    start_used(RECIP_LOCKED_);
    spawn(wait_when_held);
    spawn_with(make_it_happen, signal_one);
    spawn(lock_and_come_back);
}

static void signalled_or_not(void)
{
    start(.bound = 1);
    waiting = 2;
    spawn(wait_in_time);
    spawn_with(make_it_happen, signal_one);
}

static void broadcast(void)
{
    start(.bound = 1);
    waiting = 3;
    spawn(wait_for_it);
    spawn(wait_for_it);
    spawn_with(make_it_happen, signal_all);
}

static void nobody_is_listed(void)
{
    nothing_is_left();
    check_assert(!shared.cond.first && !shared.cond.last);
}

/* Two who wait from the start. */
static waiter listed[2];

static void list_waiters(void)
{
    for (int i = 0; i < 2; i++) {
        gate_close(&listed[i].gate);
        atomic_store_explicit(&listed[i].status, WAITER_LISTED, memory_order_relaxed);
        listed[i].mutex = &shared.mutex;
        listed[i].next = i == 0 ? &listed[1] : NULL;
        listed[i].previous = i == 0 ? NULL : &listed[0];
    }
    shared.cond.first = &listed[0];
    shared.cond.last = &listed[1];
}

/* Its element is on its stack: it is gone when the wait returns. */
static void wait_listed(void *element)
{
    recip_mutex_lock_admitted(&shared.mutex, element, recip_waiter_await(element, NULL));
    check_destroyed(element, sizeof(waiter));
    use_and_unlock();
}

static void broadcast_when_held(void *unused)
{
    (void)unused;
    call(signal_all);
    check_destroyed(&shared.cond, sizeof shared.cond);
    use_and_unlock();
}

static void broadcast_to_two(void)
{
    start(.bound = 1, .acquisitions = 3);
    list_waiters();
    start_used(RECIP_LOCKED_);
    spawn(broadcast_when_held);
    spawn_with(wait_listed, &listed[0]);
    spawn_with(wait_listed, &listed[1]);
}

/* The mutex is free: a waiter may have come back and gone while the broadcast goes on. */
static void broadcast_outside(void *unused)
{
    (void)unused;
    recip_cond_broadcast_(&shared.cond);
}

static void broadcast_to_two_outside(void)
{
    start(.bound = 1);
    list_waiters();
    spawn(broadcast_outside);
    spawn_with(wait_listed, &listed[0]);
    spawn_with(wait_listed, &listed[1]);
}

/* One signal is for the waiter that came first; the other one is left, alone in the list. */
static void signal_when_held(void *unused)
{
    (void)unused;
    call(signal_one);
    use_and_unlock();
}

static void wait_listed_or_woken(void *element)
{
    uintptr_t message = recip_waiter_await(element, NULL);
    if (((waiter *)element)->mutex)
        recip_mutex_lock_admitted(&shared.mutex, element, message);
    else
        recip_mutex_lock(&shared.mutex);
    check_destroyed(element, sizeof(waiter));
    use_and_unlock();
}

static void signal_to_two(void)
{
    start(.bound = 1);
    list_waiters();
    start_used(RECIP_LOCKED_);
    spawn(signal_when_held);
    spawn_with(wait_listed_or_woken, &listed[0]);
}

static void second_is_left(void)
{
    nothing_is_left();
    check_assert(shared.cond.first == &listed[1] && shared.cond.last == &listed[1]);
    check_assert(!listed[1].previous && !listed[1].next);
    check_assert(atomic_load_explicit(&listed[1].status, memory_order_relaxed) == WAITER_LISTED);
}

/* Two signals are for both, and then the list is empty. */
static void signal_twice_when_held(void *unused)
{
    (void)unused;
    call(signal_one);
    call(signal_one);
    use_and_unlock();
}

static void two_signals_to_two(void)
{
    start(.bound = 1, .acquisitions = 3);
    list_waiters();
    start_used(RECIP_LOCKED_);
    spawn(signal_twice_when_held);
    spawn_with(wait_listed_or_woken, &listed[0]);
    spawn_with(wait_listed_or_woken, &listed[1]);
}

/* Nobody waits after a broadcast: the condition variable may go, even while somebody whose time was over is still about
 * to leave. */
static void make_it_happen_and_destroy(void *unused)
{
    (void)unused;
    recip_mutex_lock(&shared.mutex);
    happened = true;
    recip_cond_broadcast(&shared.cond);
    check_assert(recip_cond_destroy(&shared.cond) == 0);
    check_destroyed(&shared.cond, sizeof shared.cond);
    recip_mutex_unlock(&shared.mutex);
}

static void wait_in_time_when_held(void *unused)
{
    (void)unused;
    recip_cond_wait_until(&shared.cond, &shared.mutex, &shared.deadline);
    recip_mutex_unlock(&shared.mutex);
}

static void destroyed(void)
{
    start(.bound = 1);
    start_used(RECIP_LOCKED_);
    spawn(wait_in_time_when_held);
    spawn(make_it_happen_and_destroy);
}

/* The same in the child of a fork, whose parent has waiters and holds the inner mutex: none of that exists here. */
static void signalled_in_child(void)
{
    static waiter of_parent;
    start(.bound = 1);
    waiting = 2;
    recip_check_world.epoch = 1;
    shared.cond.inner.state = RECIP_LOCKED_;
    shared.cond.first = shared.cond.last = &of_parent;
    spawn(wait_for_it);
    spawn_with(make_it_happen, signal_one);
}

/* Two wait, the second after the first, each with a mutex of its own that nobody else wants. Each says that it is
 * listed by unlocking. */
static recip_mutex_t own[2];

static void start_in_line(void)
{
    start(.bound = 1);
    for (int i = 0; i < 2; i++) {
        own[i] = shared.mutex;
        own[i].state = RECIP_LOCKED_;
    }
}

static void await_listed(int number)
{
    while (__atomic_load_n(&own[number].state, __ATOMIC_ACQUIRE) & RECIP_LOCKED_)
        check_relax();
}

static int wait_in_line(int number, const struct deadline *deadline)
{
    if (number > 0)
        await_listed(number - 1);
    int error = recip_cond_wait_until(&shared.cond, &own[number], deadline);
    recip_mutex_unlock(&own[number]);
    return error;
}

/* A signal that this one has had was for it; the other waits still. */
static void leave_first(void *unused)
{
    (void)unused;
    if (wait_in_line(0, &shared.deadline) == 0)
        recip_cond_signal_(&shared.cond);
}

static void wait_second(void *unused)
{
    (void)unused;
    check_assert(wait_in_line(1, NULL) == 0);
}

static void signal_when_listed(void *unused)
{
    (void)unused;
    await_listed(0);
    await_listed(1);
    recip_cond_signal_(&shared.cond);
}

static void first_leaves(void)
{
    start_in_line();
    spawn(leave_first);
    spawn(wait_second);
    spawn(signal_when_listed);
}

/* Two whose time is over are about to leave as the condition variable is destroyed. */
static void wait_at_place(void *number)
{
    wait_in_line((int)(uintptr_t)number, &shared.deadline);
}

static void broadcast_and_destroy(void *unused)
{
    (void)unused;
    await_listed(1);
    recip_cond_broadcast_(&shared.cond);
    check_assert(recip_cond_destroy(&shared.cond) == 0);
    check_assert(!shared.cond.first || shared.cond.first == shared.cond.last);
    check_destroyed(&shared.cond, sizeof shared.cond);
}

static void two_leave(void)
{
    start_in_line();
    spawn_with(wait_at_place, (void *)0);
    spawn_with(wait_at_place, (void *)1);
    spawn(broadcast_and_destroy);
}

CLIENTS(cond, "the condition variable: nobody who is signalled is forgotten",
        CLIENT("signalled", "a waiter and a signal; the last back destroys", signalled, nothing_is_left, A_MOMENT),
        CLIENT("signalled-outside", "the signal comes after unlock", signalled_outside, nothing_is_left, A_MOMENT),
        CLIENT("broadcast-to-two", "two who wait already, and a broadcast", broadcast_to_two, nothing_is_left,
               A_MOMENT),
        CLIENT("signal-to-two", "two who wait already, and a signal: the first is called", signal_to_two,
               second_is_left, A_MOMENT),
        CLIENT("broadcast-outside", "two who wait already, and a broadcast by a thread without the mutex",
               broadcast_to_two_outside, nobody_is_listed, A_MOMENT),
        CLIENT("two-signals", "two who wait already, and two signals", two_signals_to_two, nobody_is_listed, A_MOMENT),
        CLIENT("signalled-rseq", "a waiter and a signal, release in two steps", signalled_in_two_steps, nothing_is_left,
               A_MOMENT),
        CLIENT("signalled-in-child", "child of a fork: a waiter and a signal at what the parent's threads wait for",
               signalled_in_child, marks_are_left, A_MOMENT),
        CLIENT("first-leaves", "two who wait, the first of them leaves in time or not, and a signal", first_leaves,
               nobody_is_listed, SECONDS),
        CLIENT("two-leave", "two who wait leave in time or not; who broadcasts destroys", two_leave, nothing_is_left,
               MINUTES),
        CLIENT("cond-destroyed", "a timed waiter; who broadcasts destroys the condition variable", destroyed,
               nothing_is_left, SECONDS),
        CLIENT("signalled-or-not", "a timed waiter and a signal", signalled_or_not, nothing_is_left, SECONDS),
        CLIENT("signalled-busy", "a waiter and a signal, and a third who locks; the last back destroys", signalled_busy,
               nothing_is_left, SECONDS),
        CLIENT("broadcast", "two waiters and a broadcast; the last back destroys", broadcast, nothing_is_left, SECONDS))
