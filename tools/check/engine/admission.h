/* SPDX-License-Identifier: MIT */
/* Who owns a lock, and in which order it lets threads in compared with the order in which they came.
 *
 * A thread arrives with its first exchange or fetch-add on the lock, or its first compare-and-swap that succeeds if it
 * makes no such access. One arrives before another if its store is earlier in the modification order of that word. */
#ifndef RECIP_CHECK_ENGINE_ADMISSION_H
#define RECIP_CHECK_ENGINE_ADMISSION_H

#include "check/engine/engine.h"
#include "check/engine/graph.h"

void admission_reset(void);

/* For state.c: which of the owners' releases are among what a thread has seen, and all that is kept here. */
uint64_t admission_seen(const struct clock *seen);
void admission_digest(struct hash *hash);

/* For snapshot.c. */
void admission_snapshot(void);

/* What a lock with an arrivals word did, in some execution since admission_forget_paths. */
enum admission_path {
    PATH_HANDOVER = 1,    /* the owner passed the lock within its segment: no read-modify-write of the lock */
    PATH_DETACH = 2,      /* the owner took a segment of arrivals */
    PATH_ONSET_RACE = 4,  /* an owner that had found the lock free was overtaken before it took its own element back */
    PATH_SEGMENT_END = 8, /* one with an element below its own found that to be the end of the segment */
};

unsigned admission_paths(void);
void admission_forget_paths(void);

/* A read-modify-write of a thread. */
void admission_changed(unsigned thread, const struct operation *operation, struct store *store);

/* That read-modify-write was a turn of a spin loop, and is no longer in the graph. */
void admission_undone(unsigned thread, const struct store *store);

/* A load or a plain store of a thread to an atomic. */
void admission_loaded(unsigned thread, uintptr_t address);
void admission_stored(unsigned thread, uintptr_t address);

#endif
