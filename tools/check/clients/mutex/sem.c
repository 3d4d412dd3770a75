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

/* Two who wait from the start: in the entry segment, in the arrivals, or one in each. */
static waiter listed[2];

static void list_waiter(waiter *element, waiter **stack)
{
    gate_close(&element->gate);
    atomic_store_explicit(&element->status, WAITER_LISTED, memory_order_relaxed);
    element->previous = NULL;
    element->next = *stack;
    if (*stack)
        (*stack)->previous = element;
    *stack = element;
    shared.sem.value = 1;
}

static void wait_listed(void *element)
{
    recip_waiter_await(element, NULL);
    check_assert(posted == 1);
    check_destroyed(element, sizeof(waiter));
}

static void posted_to_both(void)
{
    start(.bound = 1);
    list_waiter(&listed[0], &shared.sem.entry);
    list_waiter(&listed[1], &shared.sem.arrivals);
    spawn_with(wait_listed, &listed[0]);
    spawn_with(wait_listed, &listed[1]);
    spawn_with(post, (void *)2);
}

static void posted_to_entry_first(void)
{
    start(.bound = 1);
    list_waiter(&listed[0], &shared.sem.entry);
    list_waiter(&listed[1], &shared.sem.arrivals);
    spawn_with(wait_listed, &listed[0]);
    spawn_with(post, (void *)1);
}

static void posted_to_newest(void)
{
    start(.bound = 1);
    list_waiter(&listed[1], &shared.sem.arrivals);
    list_waiter(&listed[0], &shared.sem.arrivals);
    spawn_with(wait_listed, &listed[0]);
    spawn_with(post, (void *)1);
}

static void posted_to_segment(void)
{
    start(.bound = 1);
    list_waiter(&listed[1], &shared.sem.entry);
    list_waiter(&listed[0], &shared.sem.entry);
    spawn_with(wait_listed, &listed[0]);
    spawn_with(wait_listed, &listed[1]);
    spawn_with(post, (void *)2);
}

/* Both have had a permit, or the other one waits still and is marked. */
static void nobody_waits(void)
{
    nothing_is_left();
    check_assert(!shared.sem.entry && !shared.sem.arrivals && shared.sem.value == 0);
}

static void other_waits_in(const waiter *entry, const waiter *arrivals)
{
    nothing_is_left();
    check_assert(shared.sem.entry == entry && shared.sem.arrivals == arrivals && shared.sem.value == 1);
    check_assert(!listed[1].previous && !listed[1].next);
    check_assert(recip_sem_destroy(&shared.sem) == EBUSY);
}

static void other_waits_in_arrivals(void)
{
    other_waits_in(NULL, &listed[1]);
}

static void other_waits_in_entry(void)
{
    other_waits_in(&listed[1], NULL);
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
        CLIENT("posted-to-both", "one waits in the entry segment, one in the arrivals, and two posts", posted_to_both,
               nobody_waits, A_MOMENT),
        CLIENT("posted-to-segment", "two wait in the entry segment, and two posts", posted_to_segment, nobody_waits,
               A_MOMENT),
        CLIENT("posted-entry", "one waits in the entry segment, one in the arrivals: a post is for the first",
               posted_to_entry_first, other_waits_in_arrivals, A_MOMENT),
        CLIENT("posted-newest", "two wait in the arrivals: a post is for the newer", posted_to_newest,
               other_waits_in_entry, A_MOMENT),
        CLIENT("permits", "two threads, one permit", permits, all_permits_are_there, A_MOMENT),
        CLIENT("posted-in-time", "a timed wait and a post: no permit is lost", posted_in_time,
               permit_is_there_or_was_given, A_MOMENT),
        CLIENT("permits-in-time", "two threads, one permit, one of them in time or not", permits_in_time,
               all_permits_are_there, A_MOMENT),
        CLIENT("posted-twice", "two waiters, two posts", posted_twice, nothing_is_left, MINUTES))
