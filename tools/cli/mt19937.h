/* SPDX-License-Identifier: MIT */
/* The Mersenne Twister mt19937 of Matsumoto and Nishimura, one step at a time: the work of MutexBench. */
#ifndef RECIP_CLI_MT19937_H
#define RECIP_CLI_MT19937_H

#include <stdbool.h>
#include <stdint.h>

enum { MT_SIZE = 624, MT_SHIFT = 397 };

struct mt19937 {
    uint32_t state[MT_SIZE];
    unsigned index; /* of the next one to draw; MT_SIZE: none is left */
};

void mt19937_seed(struct mt19937 *generator, uint32_t seed);
void mt19937_twist(struct mt19937 *generator);

/* Whether this is what the seed becomes by so many steps. Faster than the steps: nothing is drawn. */
bool mt19937_is_after(const struct mt19937 *generator, uint32_t seed, uint64_t steps);

/* The index is read once: under a lock that lets two threads in at once, it still stays within the state. */
static inline uint32_t mt19937_next(struct mt19937 *generator)
{
    unsigned index = generator->index;
    if (index >= MT_SIZE) {
        mt19937_twist(generator);
        index = 0;
    }
    generator->index = index + 1;
    uint32_t y = generator->state[index];
    y ^= y >> 11;
    y ^= (y << 7) & UINT32_C(0x9d2c5680);
    y ^= (y << 15) & UINT32_C(0xefc60000);
    return y ^ (y >> 18);
}

#endif
