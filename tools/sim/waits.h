/* SPDX-License-Identifier: MIT */
/* What threads that come by the clock have waited, and its percentiles. */
#ifndef RECIP_SIM_WAITS_H
#define RECIP_SIM_WAITS_H

#include <stddef.h>

#include "sim/events.h"

struct waits {
    sim_time *values;
    size_t size, room;
};

/* Of the waits, in seconds; 0 if there is none. */
struct wait_figures {
    size_t count;
    double p50, p90, p99, p999, longest;
};

void waits_add(struct waits *waits, sim_time wait);
struct wait_figures waits_figures(struct waits *waits); /* sorts them */
void waits_free(struct waits *waits);

#endif
