/* SPDX-License-Identifier: MIT */
/* Vector clocks: for each thread, how far its events are known to have happened. */
#ifndef RECIP_CHECK_ENGINE_CLOCK_H
#define RECIP_CHECK_ENGINE_CLOCK_H

#include <stdbool.h>
#include <stdint.h>

/* Number 0 is the main thread, which sets a client up and looks at the end; the client's threads are 1 and up. */
enum { MAX_THREADS = 7, CLOCKS = MAX_THREADS + 1 };

#define NEVER UINT16_MAX

struct clock {
    uint16_t at[CLOCKS];
};

static inline void clock_join(struct clock *clock, const struct clock *other)
{
    for (int i = 0; i < CLOCKS; i++)
        if (other->at[i] > clock->at[i])
            clock->at[i] = other->at[i];
}

static inline bool clock_covers(const struct clock *clock, const struct clock *other)
{
    bool covers = true;
    for (int i = 0; i < CLOCKS; i++)
        covers &= other->at[i] <= clock->at[i];
    return covers;
}

#endif
