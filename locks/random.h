/* Marsaglia's xor-shift: cheap, and good enough to break a cycle. State 0 means "not seeded yet". */
#ifndef RECIP_LOCKS_RANDOM_H
#define RECIP_LOCKS_RANDOM_H

#include <stdint.h>

static inline uint32_t random_next(uint32_t *state, uint32_t seed)
{
    uint32_t x = *state ? *state : seed | 1;
    x ^= x << 13;
    x ^= x >> 17;
    x ^= x << 5;
    return *state = x;
}

#endif
