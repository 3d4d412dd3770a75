/* SPDX-License-Identifier: MIT */
#include "check/clients/mutex/common.h"

struct shared shared;

static void name_words(void)
{
    check_name(&shared.mutex.state, 4, "state");
    check_name(&shared.mutex.passes, 2, "passes");
    check_name(&shared.mutex.arrivals, 8, "arrivals");
    check_name(&shared.cond, sizeof shared.cond, "cond");
    check_name(&shared.sem, sizeof shared.sem, "sem");
    check_name(&shared.deadline, sizeof shared.deadline, "deadline");
}

void start_with(const struct start *with)
{
    check_port_reset();
    recip_check_world.rseq_threads = with->two_step_threads;
    shared.mutex = (recip_mutex_t)RECIP_MUTEX_INIT_BOUND(with->bound);
    shared.cond = (recip_cond_t)RECIP_COND_INIT;
    shared.sem = (recip_sem_t)RECIP_SEM_INIT(0);
    atomic_store_explicit(&shared.deadline.passed, 1, memory_order_relaxed);
    shared.first = shared.second = 0;
    shared.left = with->acquisitions ? with->acquisitions : -1;
    check_max_overtakes(&shared.mutex, -1);
    name_words();
    passes_begin(&shared.mutex, with->bound);
    if (with->counts_passes)
        passes_follow();
    /* Sections are known by the numbers of their threads: those differ in more than their order. With a ghost, threads
     * that are alike differ in who comes first, and in nothing else; with more than two sections, the order in which a
     * barrier comes to the others depends on their numbers. */
    if (with->two_step_threads == 0 || (with->counts_passes && with->two_step_threads <= 2))
        check_alike();
}

void start_used(uint32_t state)
{
    shared.mutex.state = state;
    shared.mutex.passes = (uint16_t)(1 - shared.mutex.bound);
}

static void nobody_is_left(void)
{
    const recip_mutex_t *mutex = &shared.mutex;
    check_assert(arrivals_of_this_epoch(check_last_value(&mutex->arrivals, sizeof mutex->arrivals)) == 0);
    check_assert(recip_check_elements() == 0);
    check_assert(recip_check_wakes_due() == 0);
}

static uint64_t newest_state(void)
{
    return check_last_value(&shared.mutex.state, sizeof shared.mutex.state);
}

void nothing_is_left(void)
{
    nobody_is_left();
    check_assert(newest_state() == 0);
}

void marks_are_left(void)
{
    nobody_is_left();
    check_assert(!(newest_state() & (RECIP_LOCKED_ | RECIP_WAKE_DUE_)));
}

void use_and_unlock(void)
{
    check_owned(&shared.mutex);
    passes_note_using();
    check_assert(shared.first == shared.second);
    shared.first++;
    shared.second++;
    bool last = --shared.left == 0;
    check_leaving(&shared.mutex);
    recip_mutex_unlock(&shared.mutex);
    if (last)
        check_destroyed(&shared.mutex, sizeof shared.mutex);
}

void try_lock(void *times)
{
    for (uintptr_t i = 0; i < (uintptr_t)times; i++)
        if (recip_mutex_trylock(&shared.mutex) == 0)
            use_and_unlock();
}

static void lock(void *times)
{
    for (uintptr_t i = 0; i < (uintptr_t)times; i++) {
        recip_mutex_lock(&shared.mutex);
        use_and_unlock();
    }
}

static void lock_in_time(void *times)
{
    for (uintptr_t i = 0; i < (uintptr_t)times; i++)
        if (recip_take_(&shared.mutex) || recip_mutex_lock_until(&shared.mutex, &shared.deadline) == 0)
            use_and_unlock();
    recip_left_behind_release(port_thread());
}

static void unlock_and_try(void *tries)
{
    use_and_unlock();
    try_lock(tries);
}

static waiter leader;

static void lead_on(void *tries)
{
    recip_mutex_lock_admitted(&shared.mutex, &leader, SEGMENT_EMPTY);
    unlock_and_try(tries);
}

/* Without this thread the deadline is in the past: a waiter that is slow, or one whose time comes, is the same then. */
static void pass_deadline(void *unused)
{
    (void)unused;
    atomic_store_explicit(&shared.deadline.passed, 1, memory_order_relaxed);
}

static waiter outsider;

void start_outside(void)
{
    gate_close(&outsider.gate);
}

void wait_outside(void *unused)
{
    (void)unused;
    passes_note_waiting();
    recip_mutex_lock_admitted(&shared.mutex, &outsider, recip_waiter_await(&outsider, NULL));
    use_and_unlock();
}

void admit_outsider(void *unused)
{
    (void)unused;
    recip_mutex_admit(&shared.mutex, &outsider);
}

static unsigned spawn_number(void (*body)(void *argument), unsigned number)
{
    return check_thread(body, (void *)(uintptr_t)number);
}

void spawn_locker(unsigned times)
{
    spawn_number(lock, times);
}

void spawn_try_locker(unsigned times)
{
    spawn_number(try_lock, times);
}

void spawn_timed_locker(unsigned times)
{
    spawn_number(lock_in_time, times);
}

void spawn_owner(unsigned tries)
{
    start_used(RECIP_LOCKED_);
    spawn_number(unlock_and_try, tries);
}

void spawn_leader(unsigned tries)
{
    start_used(shared.mutex.state);
    leader.successor = shared.mutex.arrivals = SEGMENT_EMPTY;
    passes_expect_leader(spawn_number(lead_on, tries));
}

void spawn_clock(void)
{
    atomic_store_explicit(&shared.deadline.passed, 0, memory_order_relaxed);
    spawn(pass_deadline);
}

void spawn(void (*body)(void *argument))
{
    check_thread(body, NULL);
}

void spawn_with(void (*body)(void *argument), void *argument)
{
    check_thread(body, argument);
}
