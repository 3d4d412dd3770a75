/* SPDX-License-Identifier: MIT */
#include "bench/measure/work.h"

#include <math.h>

#include "cli/clock.h"

enum { TURNS_OF_TRY = 10000 };

#define CALIBRATION_NANOSECONDS 20000000

double work_calibrate(void)
{
    volatile uint64_t state = 1;
    uint64_t fastest = UINT64_MAX, begin = nanoseconds_now();
    while (nanoseconds_now() - begin < CALIBRATION_NANOSECONDS) {
        uint64_t start = nanoseconds_now();
        state = work_for(state, TURNS_OF_TRY);
        uint64_t taken = nanoseconds_now() - start;
        fastest = taken < fastest ? taken : fastest;
    }
    return (double)fastest / TURNS_OF_TRY;
}

uint64_t work_turns(double nanoseconds, double turn_nanoseconds)
{
    double turns = round(nanoseconds / turn_nanoseconds);
    return turns > 1 ? (uint64_t)turns : 1;
}

/* A turn is x -> factor * x + summand, and so are two turns, with another factor and summand: squaring and multiplying,
 * as for powers. */
bool work_is_after(uint64_t state, uint64_t seed, uint64_t turns)
{
    uint64_t factor = WORK_FACTOR, summand = WORK_SUMMAND;
    for (; turns > 0; turns /= 2) {
        if (turns % 2)
            seed = seed * factor + summand;
        summand += summand * factor;
        factor *= factor;
    }
    return state == seed;
}
