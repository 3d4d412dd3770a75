/* SPDX-License-Identifier: MIT */
/* Which lock the program runs on, from RECIP_LOCK, and whether statistics are kept, from RECIP_STATS. */
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
