/* SPDX-License-Identifier: MIT */
/* Work that takes a known time without looking at a clock: turns of a loop in which each step needs the one before. The
 * steps are those of a linear congruential generator of full period, so its state tells exactly how many were made. */
#ifndef RECIP_BENCH_MEASURE_WORK_H
#define RECIP_BENCH_MEASURE_WORK_H

#include <stdbool.h>
#include <stdint.h>

#define WORK_FACTOR UINT64_C(6364136223846793005)
#define WORK_SUMMAND UINT64_C(1442695040888963407)

/* The state after so many turns. */
static inline uint64_t work_for(uint64_t state, uint64_t turns)
{
    while (turns-- > 0) {
        state = state * WORK_FACTOR + WORK_SUMMAND;
        __asm__("" : "+r"(state)); /* no compiler makes one step of two */
    }
    return state;
}

/* Nanoseconds that a turn takes: the fastest of many tries, over some 20 milliseconds. */
double work_calibrate(void);

/* So many nanoseconds in turns; never less than one. */
uint64_t work_turns(double nanoseconds, double turn_nanoseconds);

/* Whether the state is what so many turns make of `seed`; takes a few operations, not so many. */
bool work_is_after(uint64_t state, uint64_t seed, uint64_t turns);

#endif
