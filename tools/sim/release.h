/* SPDX-License-Identifier: MIT */
/* Whether a release is constant-time: measured with an adversary that stops acquiring threads anywhere, for long, so
 * that a release that needs one of them waits; and with few and many threads, so that a release that looks at all of
 * them makes more accesses. */
#ifndef RECIP_SIM_RELEASE_H
#define RECIP_SIM_RELEASE_H

#include "sim/run.h"

#define RELEASE_STALL (100 * 1000 * SIM_NANOSECOND)

struct release_cost {
    double longest;     /* of any release, in seconds */
    unsigned few, many; /* most accesses in a release, with few threads and with many */
};

struct release_cost release_measure(const struct recip_algorithm *lock, const struct machine *machine, uint64_t seed);

/* None took half a stall, and many threads make no more accesses of it than few. */
bool release_is_constant(const struct release_cost *cost);

#endif
