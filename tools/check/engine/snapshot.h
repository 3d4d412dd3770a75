/* SPDX-License-Identifier: MIT */
/* An execution at one moment, so that it can be gone on from more than once. Snapshots lie on a pile: what is taken
 * last is dropped first.
 *
 * Each module hands over its part, by the same calls in the same order for saving and for restoring. */
#ifndef RECIP_CHECK_ENGINE_SNAPSHOT_H
#define RECIP_CHECK_ENGINE_SNAPSHOT_H

#include <stdbool.h>
#include <stddef.h>

/* Where the next one will lie. */
size_t snapshot_top(void);

/* False if the pile is full. */
bool snapshot_save(void);

void snapshot_restore(size_t at);

/* That one and all after it. */
void snapshot_drop(size_t at);

/* For the modules: so many bytes, from here or to here. */
void snapshot_bytes(void *memory, size_t size);

#endif
