#include "bench/mt19937.h"

void mt19937_seed(struct mt19937 *generator, uint32_t seed)
{
    generator->state[0] = seed;
    for (uint32_t i = 1; i < MT_SIZE; i++) {
        uint32_t before = generator->state[i - 1];
        generator->state[i] = UINT32_C(1812433253) * (before ^ (before >> 30)) + i;
    }
    generator->index = MT_SIZE;
}

void mt19937_twist(struct mt19937 *generator)
{
    uint32_t *state = generator->state;
    for (unsigned i = 0; i < MT_SIZE; i++) {
        uint32_t y = (state[i] & UINT32_C(0x80000000)) | (state[(i + 1) % MT_SIZE] & UINT32_C(0x7fffffff));
        state[i] = state[(i + MT_SHIFT) % MT_SIZE] ^ (y >> 1) ^ (y & 1 ? UINT32_C(0x9908b0df) : 0);
    }
    generator->index = 0;
}
