/* SPDX-License-Identifier: MIT */
/* What a client keeps about an execution beside it: accessed by no thread, in no race, and part of the state. */
#ifndef RECIP_CHECK_ENGINE_GHOST_H
#define RECIP_CHECK_ENGINE_GHOST_H

#include "check/engine/digest.h"
#include "check/engine/engine.h"
#include "check/engine/graph.h"

void ghost_reset(void);

/* Whether there is one. What it keeps depends on the order in which threads take their steps, more than a graph tells.
 */
bool ghost_exists(void);

void ghost_digest(struct hash *hash);

/* For snapshot.c. */
void ghost_snapshot(void);

/* Whether it matters to the ghost when the word is written. */
bool ghost_watches(uintptr_t address);

/* A store to an atomic has been made. */
void ghost_written(const struct store *store);

#endif
