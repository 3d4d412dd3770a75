/* SPDX-License-Identifier: MIT */
#include "cli/mt19937.h"

#include <string.h>

void mt19937_seed(struct mt19937 *generator, uint32_t seed)
{
    generator->state[0] = seed;
    for (uint32_t i = 1; i < MT_SIZE; i++) {
        uint32_t before = generator->state[i - 1];
        generator->state[i] = UINT32_C(1812433253) * (before ^ (before >> 30)) + i;
    }
    generator->index = MT_SIZE;
}

static uint32_t mix(uint32_t here, uint32_t next)
{
    uint32_t y = (here & UINT32_C(0x80000000)) | (next & UINT32_C(0x7fffffff));
    return (y >> 1) ^ (y & 1 ? UINT32_C(0x9908b0df) : 0);
}

void mt19937_twist(struct mt19937 *generator)
{
    uint32_t *state = generator->state;
    unsigned i = 0;
    for (; i < MT_SIZE - MT_SHIFT; i++)
        state[i] = state[i + MT_SHIFT] ^ mix(state[i], state[i + 1]);
    for (; i < MT_SIZE - 1; i++)
        state[i] = state[i + MT_SHIFT - MT_SIZE] ^ mix(state[i], state[i + 1]);
    state[i] = state[MT_SHIFT - 1] ^ mix(state[i], state[0]);
    generator->index = 0;
}

bool mt19937_is_after(const struct mt19937 *generator, uint32_t seed, uint64_t steps)
{
    struct mt19937 reference;
    mt19937_seed(&reference, seed);
    for (uint64_t left = steps; left > 0; left -= left < MT_SIZE ? left : MT_SIZE) {
        mt19937_twist(&reference);
        reference.index = left < MT_SIZE ? (unsigned)left : MT_SIZE;
    }
    return memcmp(generator, &reference, sizeof reference) == 0;
}
