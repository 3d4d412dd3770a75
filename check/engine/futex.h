/* Park and wake as the kernel has them: those of one address happen one after another, so that who parks after a wake
 * knows what the waker knew. Only the address counts; the memory there may be gone when a wake names it. */
#ifndef RECIP_CHECK_FUTEX_H
#define RECIP_CHECK_FUTEX_H

#include "check/engine/clock.h"

void futex_reset(void);

/* Adds what the wakes at that address knew. */
void futex_seen(uintptr_t address, struct clock *now);

/* A thread is about to sleep. True if others sleep at that address too, over all executions: then it matters who
 * sleeps. If that is new, `restart` is set: the exploration has to begin again. */
bool futex_park(uintptr_t address, unsigned thread, bool *restart);

/* Before an exploration. */
void futex_forget(void);

void futex_wake(uintptr_t address, const struct clock *now);

#endif
