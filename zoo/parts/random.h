/* SPDX-License-Identifier: MIT */
/* Randomness that is cheap, and good enough to break a cycle. */
#ifndef RECIP_ZOO_PARTS_RANDOM_H
#define RECIP_ZOO_PARTS_RANDOM_H

#include <stdint.h>

/* Marsaglia's xor-shift. State 0 means "not seeded yet". */
static inline uint32_t random_next(uint32_t *state, uint32_t seed)
{
    uint32_t x = *state ? *state : seed | 1;
    x ^= x << 13;
    x ^= x >> 17;
    x ^= x << 5;
    return *state = x;
}

/* A number that looks random from one that counts: multiplied and folded until neighbours have nothing in common. */
static inline uint32_t random_hash(uint32_t x)
{
    x = (x ^ (x >> 16)) * UINT32_C(0x7feb352d);
    x = (x ^ (x >> 15)) * UINT32_C(0x846ca68b);
    return x ^ (x >> 16);
}

#endif
