/* SPDX-License-Identifier: MIT */
#include "check/clients/mutex/passes.h"

#include <string.h>

#include "check/clients.h"

static recip_mutex_t *mutex;
static uint32_t bound;

static struct {
    uint32_t queued; /* a bit for each thread: its next acquisition is that of a waiter who leads */
    uint32_t admits; /* what the thread pushes now is not its own element but that of a waiter whom it moves */
    uint32_t leads;  /* somebody does, by the contract of docs/mutex.md */
    uint32_t passed; /* by so many newcomers since */
} ghost;

static void note_acquisition(uint32_t thread)
{
    if (ghost.queued & thread) {
        check_outcome(ghost.passed);
        ghost.queued &= ~thread;
        ghost.passed = 0;
        ghost.leads = 1; /* the next one does; if there is none, the arrivals go to 0 before the release */
    } else if (ghost.leads) {
        ghost.passed++;
        check_assert(ghost.passed <= bound);
    }
}

uintptr_t arrivals_of_this_epoch(uint64_t word)
{
    return word >> 48 == recip_check_world.epoch ? word << 16 >> 16 : 0;
}

static void note_arrivals(uint32_t thread, uintptr_t before, uintptr_t now)
{
    bool resigns = now == SEGMENT_EMPTY && before && ghost.queued & thread;
    if (now > SEGMENT_EMPTY && !(ghost.admits & thread))
        ghost.queued |= thread;
    if (now == 0 || before == 0 || resigns)
        ghost.passed = 0;
    if (now == 0)
        ghost.leads = 0;
    else if (before == 0 || resigns)
        ghost.leads = bound > 0; /* otherwise from its mark on */
}

static void note_store(unsigned number, const volatile void *word, uint64_t before, uint64_t now)
{
    uint32_t thread = 1u << number;
    if (word == &mutex->arrivals)
        note_arrivals(thread, arrivals_of_this_epoch(before), arrivals_of_this_epoch(now));
    else if (!(before & RECIP_LOCKED_) && now & RECIP_LOCKED_)
        note_acquisition(thread);
    else if (now & ~before & RECIP_LEADER_SLEEPS_)
        check_assert(bound > 0 || now & RECIP_BARRED_); /* which comes first */
}

/* A barrier has returned: the mark before it stays, if it is there. */
static void note_settled(unsigned number)
{
    uint64_t state = check_last_value(&mutex->state, sizeof mutex->state);
    if (ghost.queued >> number & 1 && state & RECIP_BARRED_ && state & (RECIP_LOCKED_ | RECIP_RESERVED_))
        ghost.leads = 1;
}

static void note_admitting(unsigned number)
{
    ghost.admits |= 1u << number;
}

static void note_admitted(unsigned number)
{
    ghost.admits &= ~(1u << number);
}

static void note_admitted_by_owner(unsigned number)
{
    note_admitted(number);
    ghost.leads = 1;
}

static void note_waiting(unsigned number)
{
    ghost.queued |= 1u << number;
}

/* It was handed the mutex, if the state has not shown that it has taken it. */
static void note_using(unsigned number)
{
    if (ghost.queued >> number & 1)
        note_acquisition(1u << number);
}

static bool follows(void)
{
    return recip_check_world.settled;
}

void passes_begin(recip_mutex_t *of, uint32_t chosen_bound)
{
    mutex = of;
    bound = chosen_bound;
    memset(&ghost, 0, sizeof ghost);
}

void passes_follow(void)
{
    recip_check_world.settled = note_settled;
    check_ghost(&ghost, sizeof ghost, note_store);
    check_ghost_watch(&mutex->state);
    check_ghost_watch(&mutex->arrivals);
}

void passes_expect_leader(unsigned thread)
{
    ghost.queued = 1u << thread;
    ghost.leads = 1;
}

void passes_note_using(void)
{
    if (follows())
        check_ghost_call(note_using);
}

void passes_note_waiting(void)
{
    if (follows())
        check_ghost_call(note_waiting);
}

void passes_note_admitting(void)
{
    if (follows())
        check_ghost_call(note_admitting);
}

void passes_note_admitted(void)
{
    if (follows())
        check_ghost_call(note_admitted);
}

void passes_note_admitted_by_owner(void)
{
    if (follows())
        check_ghost_call(note_admitted_by_owner);
}
