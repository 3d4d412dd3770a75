/* SPDX-License-Identifier: MIT */
/* A waiter that is moved to the arrivals of the mutex, by the owner or by another thread, gets it in the end: what the
 * condition variables do, ours and those of the preload library. */
#include "check/clients/mutex/common.h"

static void admit_itself(void *unused)
{
    admit_outsider(unused);
    wait_outside(unused);
}

static void admitted(void)
{
    start(.bound = 1, .acquisitions = 2);
    start_outside();
    spawn_leader(0);
    spawn(admit_outsider);
    spawn(wait_outside);
}

static void admitted_timed(void)
{
    start(.bound = 1);
    start_outside();
    spawn_owner(0);
    spawn_timed_locker(1);
    spawn(admit_itself);
}

/* Moved by the owner. */
static waiter *moving; /* guarded by the mutex */
static _Atomic(int) to_move;

static void wait_to_be_moved(void *unused)
{
    (void)unused;
    recip_mutex_t *mutex = &shared.mutex;
    waiter self = {.mutex = mutex};
    gate_close(&self.gate);
    recip_mutex_lock(mutex);
    moving = &self;
    atomic_store_explicit(&to_move, 1, memory_order_relaxed);
    check_owned(mutex);
    check_leaving(mutex);
    passes_note_waiting();
    recip_mutex_unlock(mutex);
    recip_mutex_lock_admitted(mutex, &self, recip_waiter_await(&self, NULL));
    use_and_unlock();
}

static void move_and_try(void *tries)
{
    while (!atomic_load_explicit(&to_move, memory_order_relaxed))
        check_relax();
    recip_mutex_lock(&shared.mutex);
    check_owned(&shared.mutex);
    passes_note_admitting();
    recip_mutex_admit_by_owner(&shared.mutex, moving);
    passes_note_admitted_by_owner();
    use_and_unlock();
    try_lock(tries);
}

static void moved(void)
{
    start(.two_step_threads = 2, .bound = 64, .acquisitions = 2, .counts_passes = true);
    spawn(wait_to_be_moved);
    spawn(move_and_try);
}

static void moved_bound_0(void)
{
    start(.two_step_threads = 2, .bound = 0, .counts_passes = true);
    spawn(wait_to_be_moved);
    spawn_with(move_and_try, (void *)1);
}

/* Two who wait at their gates from the start, one for each of two mutexes that a third thread holds. */
static recip_mutex_t other;
static waiter gated[2];

static void move_both(void *unused)
{
    (void)unused;
    recip_mutex_admit_by_owner(&shared.mutex, &gated[0]);
    recip_mutex_admit_by_owner(&other, &gated[1]);
    recip_mutex_unlock(&shared.mutex);
    recip_mutex_unlock(&other);
}

static void wait_at_gate(void *element)
{
    waiter *self = element;
    recip_mutex_lock_admitted(self->mutex, self, recip_waiter_await(self, NULL));
    recip_mutex_unlock(self->mutex);
}

static void two_moved(void)
{
    start(.bound = 64);
    recip_mutex_t *mutexes[] = {&shared.mutex, &other};
    for (int i = 0; i < 2; i++) {
        gate_close(&gated[i].gate);
        gated[i].mutex = mutexes[i];
        spawn_with(wait_at_gate, &gated[i]);
    }
    other = shared.mutex;
    start_used(RECIP_LOCKED_);
    other.state = RECIP_LOCKED_;
    spawn(move_both);
}

CLIENTS(admit, "the mutex: a waiter that is moved to its arrivals gets it",
        CLIENT("admitted", "a thread leads, another moves a third to the arrivals", admitted, nothing_is_left,
               A_MOMENT),
        CLIENT("admitted-timed", "a thread unlocks, one locks in time or not, one moves itself to the arrivals",
               admitted_timed, nothing_is_left, A_MOMENT),
        CLIENT("moved", "the owner moves a waiter to the arrivals, and wakes it at release", moved, nothing_is_left,
               A_MOMENT),
        CLIENT("moved-0", "bound 0: the owner moves a waiter to the arrivals, wakes it at once, unlocks and tries",
               moved_bound_0, nothing_is_left, A_MOMENT),
        CLIENT("two-moved", "the owner of two mutexes moves a waiter to each", two_moved, nothing_is_left, A_MOMENT))
