/* SPDX-License-Identifier: MIT */
/* Randomness that is cheap, and good enough to break a cycle. The checker makes every choice instead of drawing one. */
#ifndef RECIP_ZOO_PARTS_RANDOM_H
#define RECIP_ZOO_PARTS_RANDOM_H

#include <stdbool.h>
#include <stdint.h>

#include "port/port.h"

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

/* A number below n. */
static inline uint32_t random_below(uint32_t *state, uint32_t seed, uint32_t n)
{
#ifdef PORT_HAS_CHOICE
    (void)state;
    (void)seed;
    return port_choose(n);
#else
    return random_next(state, seed) % n;
#endif
}

/* True once in so many times. */
static inline bool random_one_in(uint32_t *state, uint32_t seed, uint32_t odds)
{
#ifdef PORT_HAS_CHOICE
    odds = 2;
#endif
    return random_below(state, seed, odds) == 0;
}

/* True for so many of 256 numbers that count. */
static inline bool random_for(uint32_t number, uint32_t of_256)
{
#ifdef PORT_HAS_CHOICE
    (void)number;
    (void)of_256;
    return port_choose(2) == 0;
#else
    return random_hash(number) % 256 < of_256;
#endif
}

#endif
