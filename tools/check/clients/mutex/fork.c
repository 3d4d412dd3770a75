/* SPDX-License-Identifier: MIT */
/* In the child of a fork, what the forking thread held can be unlocked and used, even if threads of the parent wait for
 * it.
 */
#include "check/clients/mutex/common.h"

/* An element of the parent's: nobody follows this address. */
#define PARENTS_WAITER 0x1000

/* The child of a thread that held the mutex, or had it free, while others waited: one leads, asleep or not, one
 * follows. None of them exists here. */
static void start_in_child(uint32_t state)
{
    start(.two_step_threads = 2, .bound = 1);
    recip_check_world.epoch = 1;
    start_used(state);
    shared.mutex.arrivals = PARENTS_WAITER;
}

/* The same for what has a mutex inside: held and waited for by threads that do not exist. */
static void start_in_child_waited_for(void)
{
    start(.two_step_threads = 2, .bound = 1);
    recip_check_world.epoch = 1;
    shared.cond.inner.state = shared.sem.inner.state = RECIP_LOCKED_;
    shared.cond.first = shared.cond.last = shared.sem.arrivals = (waiter *)PARENTS_WAITER;
    shared.sem.value = 1;
}

static void unlock_inherited(void *unused)
{
    (void)unused;
    shared.first++;
    shared.second++;
    recip_mutex_unlock(&shared.mutex);
}

static void signal_nobody(void *unused)
{
    (void)unused;
    recip_cond_signal(&shared.cond);
}

static void post_to_nobody(void *unused)
{
    (void)unused;
    recip_sem_post(&shared.sem);
}

static void forked(void)
{
    start_in_child(RECIP_LOCKED_ | RECIP_LEADER_SLEEPS_ | RECIP_BARRED_);
    spawn(unlock_inherited);
    spawn_locker(1);
}

static void forked_awake(void)
{
    start_in_child(RECIP_LOCKED_);
    spawn(unlock_inherited);
    spawn_locker(1);
}

static void forked_free(void)
{
    start_in_child(RECIP_RESERVED_ | RECIP_BARRED_);
    spawn_locker(1);
    spawn_locker(1);
}

static void forked_try(void)
{
    start_in_child(RECIP_RESERVED_ | RECIP_BARRED_);
    spawn_try_locker(1);
    spawn_try_locker(1);
}

static void forked_reserved(void)
{
    start_in_child(RECIP_RESERVED_ | RECIP_EXPRESS_ | RECIP_EXPRESS_SLEEPS_ | UINT32_C(0x10000));
    spawn_locker(1);
    spawn_locker(1);
}

static void forked_cond(void)
{
    start_in_child_waited_for();
    spawn(signal_nobody);
    spawn(signal_nobody);
}

static void forked_sem(void)
{
    start_in_child_waited_for();
    spawn(post_to_nobody);
    spawn(post_to_nobody);
}

static void two_permits_are_there(void)
{
    int value;
    recip_sem_getvalue(&shared.sem, &value);
    check_assert(value == 2);
    check_assert(recip_sem_destroy(&shared.sem) == 0);
}

CLIENTS(fork, "after fork: the child unlocks and uses what the forking thread held",
        CLIENT("forked", "child of the owner, a leader asleep: unlock and lock", forked, marks_are_left, A_MOMENT),
        CLIENT("forked-awake", "the same, a leader awake", forked_awake, marks_are_left, A_MOMENT),
        CLIENT("forked-free", "the same, the mutex free and at the bound", forked_free, marks_are_left, A_MOMENT),
        CLIENT("forked-try", "the same; two try", forked_try, marks_are_left, A_MOMENT),
        CLIENT("forked-reserved", "the same, the mutex reserved for an express waiter", forked_reserved,
               nothing_is_left, A_MOMENT),
        CLIENT("forked-cond", "the same, a condition variable that was waited for", forked_cond, nothing_is_left,
               A_MOMENT),
        CLIENT("forked-sem", "the same, a semaphore that was waited for", forked_sem, two_permits_are_there, A_MOMENT))
