/* Park and wake as the kernel has them: those of one address happen one after another, each knowing what the ones
 * before it knew. Only the address counts; the memory there may be gone when it is named by a wake. */
#ifndef RECIP_CHECK_FUTEX_H
#define RECIP_CHECK_FUTEX_H

#include "check/engine/execution.h"

void futex_reset(void);

/* What a thread that enters would know. */
void futex_seen(uintptr_t address, struct clock *now);

void futex_enter(uintptr_t address, struct task *task);
void futex_leave(uintptr_t address, struct task *task);

#endif
