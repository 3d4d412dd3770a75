/* SPDX-License-Identifier: MIT */
#include "cli/clock.h"

/* Both clocks at one moment: the closest pair of a few tries, since a preemption between them only adds distance. */
static void read_both(uint64_t *nanoseconds, uint64_t *ticks)
{
    uint64_t closest = UINT64_MAX;
    for (int attempt = 0; attempt < 10; attempt++) {
        uint64_t before = ticks_now(), now = nanoseconds_now(), taken = ticks_now() - before;
        if (taken >= closest)
            continue;
        closest = taken;
        *nanoseconds = now;
        *ticks = before + taken / 2;
    }
}

double ticks_per_second(void)
{
    static double rate;
    if (rate > 0)
        return rate;
    uint64_t start, end, first, last;
    read_both(&start, &first);
    sleep_for(0.005);
    read_both(&end, &last);
    rate = (double)(last - first) * 1e9 / (double)(end - start);
    return rate;
}

bool sleep_for(double seconds)
{
    struct timespec time = {.tv_sec = (time_t)seconds, .tv_nsec = (long)((seconds - (double)(time_t)seconds) * 1e9)};
    return nanosleep(&time, NULL) == 0;
}
