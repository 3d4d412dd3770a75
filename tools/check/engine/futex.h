/* SPDX-License-Identifier: MIT */
/* Park and wake as the kernel has them: those of one address happen one after another, so that who parks after a wake
 * knows what the waker knew. Only the address counts; the memory there may be gone when a wake names it. */
#ifndef RECIP_CHECK_ENGINE_FUTEX_H
#define RECIP_CHECK_ENGINE_FUTEX_H

#include "check/engine/clock.h"
#include "check/engine/digest.h"

void futex_reset(void);

/* Adds what the wakes at that address knew. */
void futex_seen(uintptr_t address, struct clock *now);

void futex_wake(uintptr_t address, const struct clock *now);

/* For state.c and snapshot.c. */
void futex_digest(struct hash *hash);
void futex_snapshot(void);

#endif
