/* SPDX-License-Identifier: MIT */
/* No permit of a semaphore is lost or made when waiters time out; a waiter that got one may destroy the semaphore. */
#include "check/clients/mutex/common.h"

enum { PERMIT = 2 }; /* one permit, in sem.value */

static int permits_left(void)
{
    int value;
    recip_sem_getvalue(&shared.sem, &value);
    return value;
}

static void use_permit(const struct deadline *deadline)
{
    if (recip_sem_wait_until(&shared.sem, deadline) != 0)
        return;
    /* There is one permit: the thread that has it is alone. */
    check_assert(shared.first == shared.second);
    shared.first++;
    shared.second++;
    recip_sem_post(&shared.sem);
}

static void use_it(void *unused)
{
    (void)unused;
    use_permit(NULL);
}

static void use_it_in_time(void *unused)
{
    (void)unused;
    use_permit(&shared.deadline);
}

static void permits(void)
{
    start(.bound = 1);
    shared.sem.value = PERMIT;
    spawn(use_it);
    spawn(use_it);
}

static void permits_in_time(void)
{
    start(.bound = 1);
    shared.sem.value = PERMIT;
    spawn(use_it);
    spawn(use_it_in_time);
}

static void all_permits_are_there(void)
{
    nothing_is_left();
    check_assert(permits_left() == 1);
    check_assert(recip_sem_destroy(&shared.sem) == 0);
}

static int posted; /* written before the first post, read after a wait */

static void post(void *times)
{
    posted = 1;
    for (uintptr_t i = 0; i < (uintptr_t)times; i++)
        recip_sem_post(&shared.sem);
}

static void wait_for_post(void *unused)
{
    (void)unused;
    recip_sem_wait_until(&shared.sem, NULL);
    check_assert(posted == 1);
}

static void wait_and_destroy(void *unused)
{
    wait_for_post(unused);
    check_destroyed(&shared.sem, sizeof shared.sem);
}

static void posted_once(void)
{
    start(.bound = 1);
    spawn(wait_and_destroy);
    spawn_with(post, (void *)1);
}

static void posted_twice(void)
{
    start(.bound = 1);
    spawn(wait_for_post);
    spawn(wait_for_post);
    spawn_with(post, (void *)2);
}

static bool timed_out;

static void wait_for_post_in_time(void *unused)
{
    (void)unused;
    timed_out = recip_sem_wait_until(&shared.sem, &shared.deadline) != 0;
}

static void posted_in_time(void)
{
    start(.bound = 1);
    spawn(wait_for_post_in_time);
    spawn_with(post, (void *)1);
}

static void permit_is_there_or_was_given(void)
{
    nothing_is_left();
    check_assert(permits_left() == (timed_out ? 1 : 0));
    check_assert(recip_sem_destroy(&shared.sem) == 0);
}

CLIENTS(sem, "the semaphore: no permit is lost or made",
        CLIENT("posted-once", "a post; who waited destroys the semaphore", posted_once, nothing_is_left, A_MOMENT),
        CLIENT("permits", "two threads, one permit", permits, all_permits_are_there, A_MOMENT),
        CLIENT("posted-in-time", "a timed wait and a post: no permit is lost", posted_in_time,
               permit_is_there_or_was_given, A_MOMENT),
        CLIENT("permits-in-time", "two threads, one permit, one of them in time or not", permits_in_time,
               all_permits_are_there, A_MOMENT),
        CLIENT("posted-twice", "two waiters, two posts", posted_twice, nothing_is_left, MINUTES))
