/* SPDX-License-Identifier: MIT */
/* What threads do at an address, over all executions so far, and what that lets the explorer assume. Where only one
 * thread writes, its own accesses need not wait for the others; where only one sleeps at a time, it does not matter who
 * is woken. When an execution shows that such an assumption was wrong, the exploration begins again without it: what it
 * had shown so far may lack something.
 */
#ifndef RECIP_CHECK_ENGINE_ASSUMPTIONS_H
#define RECIP_CHECK_ENGINE_ASSUMPTIONS_H

#include <stdbool.h>
#include <stdint.h>

/* Before an exploration. If nothing is to be assumed, the answers to the questions below are always no. */
void assumptions_begin(bool assume);

/* Whether anything is; then, for one, a thread that has looked parks before others do anything. */
bool assumptions_allowed(void);

/* Where the atomic begins that `*size` bytes at that address are part of, and how large it is: as the largest of the
 * accesses to any of its bytes. */
uintptr_t assumptions_word(uintptr_t address, unsigned *size);

/* Two accesses of different sizes have bytes in common: from the next beginning on they are of one atomic. */
void assumptions_note_mixed(uintptr_t address, unsigned size);

/* A thread writes there, or would have, had it found another value. */
void assumptions_note_write(uintptr_t address, unsigned thread);

/* A thread waits there for others to write. */
void assumptions_note_await(uintptr_t address);

/* A thread sleeps there, or would, at that place of the code. */
void assumptions_note_park(uintptr_t address, unsigned thread, const void *place);

/* What comes after it: the load that came before it, at the place `look`, or something else. */
void assumptions_note_after_park(uintptr_t address, const void *place, const void *look, bool looks_again);

/* Whether a load at that place of the code comes before and after a sleep. */
bool assumptions_is_look(const void *place);

/* Two threads are about to look there: both may be asleep at the same time. */
void assumptions_note_two_sleepers(uintptr_t address);

/* Whether nobody else writes there, and nobody waits for that, which is relied on from then on. */
bool assumptions_only_writer(uintptr_t address, unsigned thread);

/* Whether several threads sleep there at the same time, or park without looking first. */
bool assumptions_several_sleepers(uintptr_t address);

/* Whether a wake there has been let happen before other threads moved. */
bool assumptions_wake_was_early(uintptr_t address);

/* Whether a wake there need not wait for other threads: there is one sleeper at a time, which looks again when it
 * wakes. */
bool assumptions_one_sleeper(uintptr_t address);

#endif
