/* Who owns a lock, and in which order it lets threads in compared with the order in which they came.
 *
 * A thread arrives with its first exchange or fetch-add on the lock, or its first compare-and-swap that succeeds if it
 * makes no such access. One arrives before another if its store is earlier in the modification order of that word. */
#ifndef RECIP_CHECK_ADMISSION_H
#define RECIP_CHECK_ADMISSION_H

#include "check/engine/engine.h"
#include "check/engine/graph.h"

void admission_reset(void);

/* A read-modify-write of a thread. */
void admission_changed(unsigned thread, const struct operation *operation, struct store *store);

#endif
