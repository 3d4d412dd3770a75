/* What threads do at an address, over all executions so far. Where only one thread writes, its own accesses need not
 * wait for the others; where only one sleeps at a time, it does not matter who is woken. When an execution shows that
 * such an assumption was wrong, the exploration begins again without it: what it had shown so far may lack something.
 */
#ifndef RECIP_CHECK_ENGINE_HABITS_H
#define RECIP_CHECK_ENGINE_HABITS_H

#include <stdbool.h>
#include <stdint.h>

/* Before an exploration. If nothing is to be assumed, the answers to the questions below are always no. */
void habits_begin(bool assume);

/* Whether anything is; then, for one, a thread that has looked parks before others do anything. */
bool habits_assumed(void);

/* A thread writes there, or would have, had it found another value. */
void habits_write(uintptr_t address, unsigned thread);

/* A thread waits there for others to write. */
void habits_await(uintptr_t address);

/* A thread sleeps there, or would, at that place of the code. */
void habits_park(uintptr_t address, unsigned thread, const void *place);

/* What comes after it: the load that came before it, at the place `look`, or something else. */
void habits_slept(uintptr_t address, const void *place, const void *look, bool looks_again);

/* Whether a load at that place of the code comes before and after a sleep. */
bool habits_is_look(const void *place);

/* Two threads are about to look there, and may as well be asleep. */
void habits_crowd(uintptr_t address);

/* Whether nobody else writes there, and nobody waits for that, which is relied on from then on. */
bool habits_owned(uintptr_t address, unsigned thread);

/* Whether several threads sleep there, at the same time or not knowing what for. */
bool habits_shared_bed(uintptr_t address);

/* Whether a wake there did not wait. */
bool habits_trusted(uintptr_t address);

/* Whether a wake there need not wait for other threads: there is one sleeper at a time, which looks again when it
 * wakes. */
bool habits_private_bed(uintptr_t address);

#endif
