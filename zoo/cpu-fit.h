/* SPDX-License-Identifier: MIT */
/* Which locks need an instruction that not every CPU has. Such a lock is correct everywhere: without the instruction it
 * is another lock of the zoo, and not worth measuring under its name. */
#ifndef RECIP_ZOO_CPU_FIT_H
#define RECIP_ZOO_CPU_FIT_H

#include "zoo/algorithm.h"

/* The instruction that the lock is about; null for most locks. */
const char *recip_cpu_instruction(const struct recip_algorithm *lock);

/* Whether this CPU has it; true for a lock that needs none. */
bool recip_cpu_fits(const struct recip_algorithm *lock);

#endif
