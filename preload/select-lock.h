/* SPDX-License-Identifier: MIT */
/* Which lock the program runs on, from RECIP_LOCK, whether statistics are kept, from RECIP_STATS, whether deadlocks are
 * looked for, from RECIP_WATCH, and whether a trace is kept, from RECIP_TRACE. */
#ifndef RECIP_PRELOAD_SELECT_LOCK_H
#define RECIP_PRELOAD_SELECT_LOCK_H

#include "zoo/algorithm.h"

/* Zero where every call may take the fast path: the environment has been read, the lock is the flagship, and no
 * statistics are kept. Otherwise these bits. */
extern unsigned preload_mode __attribute__((visibility("hidden")));
#define MODE_UNDECIDED (1u << 31) /* the environment has not been read */
#define MODE_ZOO (1u << 30)       /* the lock is preload_zoo */
#define MODE_GLIBC (1u << 29)     /* the program keeps glibc's own mutexes */
#define MODE_STATISTICS (1u << 28)
#define MODE_WATCH (1u << 27)     /* with MODE_STATISTICS: deadlocks and the like are looked for */
#define MODE_WATCHABLE (1u << 26) /* a signal may set MODE_WATCH, so mutexes have to have owners from the start */
#define MODE_COUNTS (1u << 25)    /* the statistics are wanted for themselves, or for the trace */
#define MODE_TRACE (1u << 24)     /* with MODE_STATISTICS: each acquisition is looked at, and may be in the trace */

extern const struct recip_algorithm *preload_zoo;

/* Sets preload_mode, or ends the program with one line on stderr. Called before the first lock operation, which may be
 * long before any constructor: the dynamic linker may call a malloc that locks. */
void preload_select_lock(void);

/* preload_mode, never undecided. */
static inline unsigned preload_mode_decided(void)
{
    if (__builtin_expect(preload_mode & MODE_UNDECIDED, 0))
        preload_select_lock();
    return preload_mode;
}

#endif
