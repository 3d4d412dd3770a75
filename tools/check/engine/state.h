/* SPDX-License-Identifier: MIT */
/* What of an execution matters for what can still happen: two graphs with the same state go on in the same ways.
 *
 * A state has where each thread stands (registers, stack), the memory, of each location the stores that some thread may
 * still read or stand behind, and who knows of what: not when it happened, but what of the rest it has happened before.
 */
#ifndef RECIP_CHECK_ENGINE_STATE_H
#define RECIP_CHECK_ENGINE_STATE_H

#include "check/engine/execution.h"

/* Of the state that the execution is in; false if that is too large to tell. */
bool state_digest(struct hash *hash);

/* For the parts that keep clocks of their own: what of a clock still matters, and whether an event does. */
void state_add_clock(struct hash *hash, const struct clock *clock);

/* The place of a store among those of its location that still matter, from the newest; NEVER if it does not. */
unsigned state_place(const struct store *store);

#endif
