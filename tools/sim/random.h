/* SPDX-License-Identifier: MIT */
/* Steele, Lea and Flood's SplitMix64, for whatever is random in a run: all of it follows from the seed. */
#ifndef RECIP_SIM_RANDOM_H
#define RECIP_SIM_RANDOM_H

#include <stdint.h>

static inline uint64_t random_word(uint64_t *state)
{
    uint64_t z = *state += UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return z ^ z >> 31;
}

static inline uint64_t random_below(uint64_t *state, uint64_t bound)
{
    return (uint64_t)((unsigned __int128)random_word(state) * bound >> 64);
}

#endif
