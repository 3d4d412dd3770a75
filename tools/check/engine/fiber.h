/* SPDX-License-Identifier: MIT */
/* The threads of a client, as coroutines on stacks that are the same in every execution. */
#ifndef RECIP_CHECK_ENGINE_FIBER_H
#define RECIP_CHECK_ENGINE_FIBER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "check/engine/digest.h"

/* Runs `body(argument)` and then `end(argument)` on the stack of that number until it suspends or ends. True if it
 * ended. */
bool fiber_start(unsigned number, void (*body)(void *argument), void (*end)(void *argument), void *argument);

/* Goes on with a suspended fiber, until it suspends again or ends. True if it ended. */
bool fiber_resume(unsigned number);

/* Called on a fiber: back to whoever started or resumed it. */
void fiber_suspend(void);

/* Called on a fiber: clears what calls that have returned left on its stack. It would get into the frames of others,
 * and make states look different that are not. Suspending does the same. */
void fiber_scrub(void);

/* What counts of a suspended fiber is the same as what goes into its hash. How many bytes; the thread whose stack holds
 * an address, or 0. */
size_t fiber_relevant(unsigned number, const void *frame, const char **bytes);
unsigned fiber_of(uintptr_t address);

/* Of what a suspended fiber goes on from: its registers and its stack. If `frame` is not null, only of the frames from
 * there on: the code that is explored keeps nothing in registers, and what our frames hold is known otherwise. */
void fiber_digest(unsigned number, const void *frame, struct hash *hash);

/* The same with addresses as they are, whatever they belong to. */
void fiber_digest_as_it_is(unsigned number, const void *frame, struct hash *hash);

/* Of a suspended fiber, before it goes on: for snapshots. */
void fiber_keep(unsigned number);

/* Whether an address is on a fiber's stack, and on that of this number. */
bool fiber_holds(uintptr_t address);
bool fiber_holds_on(unsigned number, uintptr_t address);

#endif
