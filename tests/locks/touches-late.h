/* SPDX-License-Identifier: MIT */
/* A lock with a fault, for the test of prompt destruction: a ticket lock whose release counts itself after it has let
 * go, and waits until the lock is gone to do so. */
#ifndef RECIP_TESTS_LOCKS_TOUCHES_LATE_H
#define RECIP_TESTS_LOCKS_TOUCHES_LATE_H

#include "zoo/algorithm.h"
#include "zoo/ticket.h"

static _Atomic(unsigned) *touches_late_gone;

struct touches_late_lock {
    struct ticket_lock tickets;
    unsigned releases;
};

static void touches_late_acquire(void *of, void *context)
{
    struct touches_late_lock *lock = of;
    ticket_acquire(&lock->tickets, context);
}

static void touches_late_release(void *of, void *context)
{
    struct touches_late_lock *lock = of;
    unsigned gone = atomic_load(touches_late_gone);
    ticket_release(&lock->tickets, context);
    while (atomic_load(touches_late_gone) == gone)
        port_relax();
    lock->releases++;
}

static const struct recip_algorithm touches_late_algorithm = {
    .id = "touches-late",
    .acquire = touches_late_acquire,
    .release = touches_late_release,
};

#endif
