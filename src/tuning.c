/* SPDX-License-Identifier: MIT */
/* The mutex's tuning: the defaults of tunables.h, or what the environment says. */
#define RECIP_UNANNOTATED
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "port/port.h"

#include "src/tunables.h"

/* Until turns have been measured, by recip_tune. */
struct recip_tuning recip_tuning = {.newcomer_turns = 50, .follower_turns = 200, .leader_turns = 200};

/* The environment's choice, or the default. */
static int64_t nanoseconds_from(const char *name, int64_t nanoseconds)
{
    const char *value = secure_getenv(name);
    if (value) {
        char *end;
        errno = 0;
        long chosen = strtol(value, &end, 10);
        if (errno == 0 && end != value && !*end && chosen >= 0 && chosen < 1000000000)
            return chosen;
        fprintf(stderr, "recip: %s=%s is no number of nanoseconds; ignored\n", name, value);
    }
    return nanoseconds;
}

static unsigned turns_from(const char *name, int64_t nanoseconds)
{
    return port_turns(nanoseconds_from(name, nanoseconds));
}

void recip_tune(void)
{
    recip_tuning = (struct recip_tuning){
        .newcomer_turns = turns_from("RECIP_SPIN_NEWCOMER", NEWCOMER_NANOSECONDS),
        .newcomer_naps = NEWCOMER_NAPS,
        .follower_turns = turns_from("RECIP_SPIN_FOLLOWER", FOLLOWER_NANOSECONDS),
        .leader_turns = turns_from("RECIP_SPIN_LEADER", LEADER_NANOSECONDS),
        .yields = YIELDS,
        .nap = nanoseconds_from("RECIP_NAP", NAP_NANOSECONDS),
        .hot_patience = nanoseconds_from("RECIP_PATIENCE_HOT", HOT_PATIENCE_NANOSECONDS),
        .long_patience = nanoseconds_from("RECIP_PATIENCE", LONG_PATIENCE_NANOSECONDS),
    };
}
