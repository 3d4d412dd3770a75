/* SPDX-License-Identifier: MIT */
/* No permit of a semaphore is lost or made when waiters time out; a waiter that got one may destroy the semaphore. */
#include <errno.h>

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

/* Neither in a list nor at the inner mutex. */
static void nobody_is_in_it(void)
{
    nothing_is_left();
    check_assert(!shared.sem.entry && !shared.sem.arrivals);
    check_assert(check_last_value(&shared.sem.inner.state, sizeof shared.sem.inner.state) == 0);
}

static void all_permits_are_there(void)
{
    nobody_is_in_it();
    check_assert(permits_left() == 1);
    check_assert(recip_sem_destroy(&shared.sem) == 0);
}

static int posted; /* written before the first post, read after a wait */

static void post(void *times)
{
    posted = 1;
    for (uintptr_t i = 0; i < (uintptr_t)times; i++)
        check_assert(recip_sem_post(&shared.sem) == 0);
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

/* What the stack had is overwritten: nobody may still have an element there. */
__attribute__((noinline)) static void use_stack(void)
{
    char used[512];
    memset(used, 0x5a, sizeof used);
    __asm__ volatile("" : : "r"(used) : "memory");
}

static bool wait_in_time(void)
{
    bool had = recip_sem_wait_until(&shared.sem, &shared.deadline) == 0;
    use_stack();
    return had;
}

static void wait_for_post_in_time(void *unused)
{
    (void)unused;
    timed_out = !wait_in_time();
}

static void posted_in_time(void)
{
    start(.bound = 1);
    spawn(wait_for_post_in_time);
    spawn_with(post, (void *)1);
}

static void permit_is_there_or_was_given(void)
{
    nobody_is_in_it();
    check_assert(permits_left() == (timed_out ? 1 : 0));
    check_assert(recip_sem_destroy(&shared.sem) == 0);
}

/* Two in time or not: one leaves while the other is above or below it. */
static bool had_it[2];

static void wait_and_note(void *had)
{
    *(bool *)had = wait_in_time();
}

static void in_time_together(void)
{
    start(.bound = 1);
    spawn_with(wait_and_note, &had_it[0]);
    spawn_with(wait_and_note, &had_it[1]);
}

/* The second time its element is where it was, with what it had then. */
static void wait_in_time_again(void *unused)
{
    (void)unused;
    bool had = recip_sem_wait_until(&shared.sem, &shared.deadline) == 0;
    had |= recip_sem_wait_until(&shared.sem, &shared.deadline) == 0;
    had_it[0] = had;
}

static void in_time_again(void)
{
    start(.bound = 1);
    spawn(wait_in_time_again);
    spawn_with(wait_and_note, &had_it[1]);
}

/* One in time or not above one that waits: who is left is listed, and nobody else. */
static void posted_to_either(void)
{
    start(.bound = 1);
    list_waiter(&listed[1], &shared.sem.arrivals);
    spawn(wait_for_post_in_time);
    spawn_with(post, (void *)1);
}

static void either_had_it(void)
{
    bool given = check_last_value(&listed[1].gate, sizeof listed[1].gate) != GATE_CLOSED;
    check_assert(given == timed_out);
    if (given)
        nobody_waits();
    else
        other_waits_in(shared.sem.entry ? &listed[1] : NULL, shared.sem.entry ? NULL : &listed[1]);
}

static void nobody_had_it(void)
{
    nobody_is_in_it();
    check_assert(!had_it[0] && !had_it[1] && permits_left() == 0);
}

/* One that gives up, comes back and waits however long. */
static void wait_again_however_long(void *unused)
{
    (void)unused;
    if (!wait_in_time())
        recip_sem_wait_until(&shared.sem, NULL);
}

static void posted_late(void)
{
    start(.bound = 1);
    spawn(wait_again_however_long);
    spawn_with(post, (void *)1);
}

static void it_was_taken(void)
{
    nobody_is_in_it();
    check_assert(permits_left() == 0);
}

/* What each call returns where nobody else is. */
static void use_alone(void *unused)
{
    recip_sem_t *sem = &shared.sem;
    (void)unused;
    check_assert(recip_sem_trywait(sem) == 0 && permits_left() == 1);
    check_assert(recip_sem_trywait(sem) == 0 && permits_left() == 0);
    check_assert(recip_sem_trywait(sem) == EAGAIN);
    check_assert(recip_sem_wait_until(sem, &shared.deadline) == ETIMEDOUT);
    check_assert(recip_sem_post(sem) == 0 && permits_left() == 1);
    check_assert(recip_sem_wait_until(sem, &shared.deadline) == 0 && permits_left() == 0);
    check_assert(recip_sem_destroy(sem) == 0);
}

static void alone_with_two(void)
{
    start(.bound = 1);
    check_assert(recip_sem_init(&shared.sem, 2) == 0 && permits_left() == 2);
    spawn(use_alone);
}

static void fill(void *unused)
{
    recip_sem_t *sem = &shared.sem;
    (void)unused;
    check_assert(recip_sem_post(sem) == 0 && permits_left() == RECIP_SEM_VALUE_MAX);
    check_assert(recip_sem_post(sem) == EOVERFLOW && permits_left() == RECIP_SEM_VALUE_MAX);
}

static void one_less_than_full(void)
{
    start(.bound = 1);
    check_assert(recip_sem_init(&shared.sem, RECIP_SEM_VALUE_MAX) == 0);
    check_assert(recip_sem_init(&shared.sem, RECIP_SEM_VALUE_MAX - 1) == 0);
    check_assert(recip_sem_init(&shared.sem, RECIP_SEM_VALUE_MAX + 1) == EINVAL);
    check_assert(permits_left() == RECIP_SEM_VALUE_MAX - 1);
    spawn(fill);
}

CLIENTS(sem, "the semaphore: no permit is lost or made",
        CLIENT("sem-alone", "one thread: what each call returns", alone_with_two, nobody_is_in_it, A_MOMENT),
        CLIENT("sem-full", "one thread: as many permits as there can be", one_less_than_full, nobody_is_in_it,
               A_MOMENT),
        CLIENT("sem-in-time", "two timed waits, and no post", in_time_together, nobody_had_it, A_MOMENT),
        CLIENT("sem-in-time-again", "two timed waits and one more, and no post", in_time_again, nobody_had_it, SECONDS),
        CLIENT("posted-late", "a timed wait and then one that is not, and a post", posted_late, it_was_taken, A_MOMENT),
        CLIENT("posted-to-either", "one waits, above it one in time or not, and a post", posted_to_either,
               either_had_it, A_MOMENT),
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
