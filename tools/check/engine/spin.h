/* SPDX-License-Identifier: MIT */
/* Turns of spin loops. A turn in vain is taken out of the execution, as if the thread had come later. That is right
 * only if the thread stands after the turn where it stood before one: with the same stack and registers, the same
 * values in the memory that it uses, and no access to that which it had not made already. Otherwise the turn stays. */
#ifndef RECIP_CHECK_ENGINE_SPIN_H
#define RECIP_CHECK_ENGINE_SPIN_H

#include <stdbool.h>
#include <stdint.h>

#include "check/engine/digest.h"

struct task;

/* Of a thread, since it last changed an atomic. */
enum { SPIN_STANDS = 24, SPIN_TOUCHED = 32 };
struct spin {
    uint8_t stand_count, touched_count, turns;
    struct hash stands[SPIN_STANDS]; /* where it stood before each of its reads and choices, */
    uint8_t picks[SPIN_STANDS];      /* and how many choices it had made */
    struct spin_piece {
        uintptr_t address;
        uint8_t size;
        bool writes;
    } touched[SPIN_TOUCHED]; /* by plain accesses, except to its own stack */
};

/* The thread has changed an atomic, or slept. */
void spin_end(struct spin *spin);

/* A plain access to at most eight bytes. */
void spin_touch(struct task *task, uintptr_t address, unsigned size, bool writes);

/* It is about to read an atomic, or to choose. */
void spin_stand(struct task *task);

/* After a turn: whether it stands where it stood. */
bool spin_was_in_vain(const struct task *task);

/* After a turn in vain: how many choices it had made where it stood before. */
unsigned spin_picks_before(const struct task *task);

/* Before it changes: for snapshots. */
void spin_will_change(struct spin *spin);

/* A turn that was not in vain stays. After too many the execution ends: it is not modelled. */
void spin_keep(struct task *task);

#endif
