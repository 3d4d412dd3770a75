/* Which lock the program runs on, from RECIP_LOCK; and whether statistics are kept. */
#ifndef RECIP_PRELOAD_CHOICE_H
#define RECIP_PRELOAD_CHOICE_H

#include <stdbool.h>

#include "zoo/algorithm.h"

/* Zero when every call may go the short way: decided, the flagship, no statistics. */
extern unsigned preload_detour __attribute__((visibility("hidden")));
#define DETOUR_UNDECIDED (1u << 31)
#define DETOUR_ZOO (1u << 30)
#define DETOUR_GLIBC (1u << 29)
#define DETOUR_STATISTICS (1u << 28)

/* With DETOUR_ZOO. */
extern const struct recip_algorithm *preload_zoo;

/* Reads the environment, or ends the program with one line on stderr. Called before the first lock operation, which may
 * be long before any constructor: a malloc that locks is called by the dynamic linker. */
void preload_decide(void);

static inline unsigned preload_decided(void)
{
    if (__builtin_expect(preload_detour & DETOUR_UNDECIDED, 0))
        preload_decide();
    return preload_detour;
}

/* The value of a variable of the environment, at any time; or null. */
const char *preload_environment(const char *name);

#endif
