/* SPDX-License-Identifier: MIT */
/* An execution at one moment, so that it can be gone on from more than once. Snapshots lie on a pile: what is taken
 * last is dropped first.
 *
 * What is small each module hands over whole, by the same calls in the same order for saving and for restoring. What is
 * large, and of which a step changes little, it keeps before it changes it. */
#ifndef RECIP_CHECK_ENGINE_SNAPSHOT_H
#define RECIP_CHECK_ENGINE_SNAPSHOT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Where the next one will lie. */
size_t snapshot_top(void);

/* Before an execution: there is none. */
void snapshot_forget(void);

/* False if the pile is full. */
bool snapshot_save(void);

void snapshot_restore(size_t at);

/* That one and all after it. */
void snapshot_drop(size_t at);

/* For the modules: so many bytes, from here or to here. */
void snapshot_bytes(void *memory, size_t size);

/* For the modules, before a change: whatever snapshot is restored, those bytes are again what they were then. */
void snapshot_keep(void *memory, size_t size);

/* Another number after each snapshot that is saved or restored: what has been kept with the same one need not be again.
 * Never 0. */
uint64_t snapshot_serial(void);

#endif
