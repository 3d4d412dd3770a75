/* SPDX-License-Identifier: MIT */
/* What happens once in so many times: counted, where the papers draw a random number, so that the bound that follows
 * from it is exact.
 *
 * With -DRECIP_SMALL_LIMITS, the checker's, every limit is so small that a few threads with a few acquisitions reach
 * it. */
#ifndef RECIP_ZOO_PARTS_SELDOM_H
#define RECIP_ZOO_PARTS_SELDOM_H

#include <stdbool.h>
#include <stdint.h>

#ifdef RECIP_SMALL_LIMITS
#define LIMIT(shipped, small) (small)
#else
#define LIMIT(shipped, small) (shipped)
#endif

/* True in every period-th call. The count, from 0, belongs to the owner of the lock. */
static inline bool seldom(uint32_t *count, uint32_t period)
{
    if (++*count < period)
        return false;
    *count = 0;
    return true;
}

#endif
