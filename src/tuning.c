/* SPDX-License-Identifier: MIT */
/* The mutex's tuning: the defaults of tunables.h, or what the environment says. */
#define RECIP_UNANNOTATED
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "port/port.h"

#include "src/tunables.h"

/* On lines of its own: nothing beside it is written, and a simulation, which sees lines, is the same in every build. */
alignas(RECIP_LINE) struct recip_tuning recip_tuning;

/* The environment's choice, or the default. */
static int64_t number_from(const char *name, int64_t usual, const char *of_what)
{
    const char *value = secure_getenv(name);
    if (value) {
        char *end;
        errno = 0;
        long chosen = strtol(value, &end, 10);
        if (errno == 0 && end != value && !*end && chosen >= 0 && chosen < 1000000000)
            return chosen;
        fprintf(stderr, "recip: %s=%s is no number of %s; ignored\n", name, value, of_what);
    }
    return usual;
}

static int64_t nanoseconds_from(const char *name, int64_t usual)
{
    return number_from(name, usual, "nanoseconds");
}

static int64_t ticks_from(const char *name, int64_t nanoseconds)
{
    return port_ticks_of(nanoseconds_from(name, nanoseconds));
}

void recip_tune(void)
{
    recip_tuning = (struct recip_tuning){
        .look = ticks_from("RECIP_LOOK", LOOK_NANOSECONDS),
        .long_look = ticks_from("RECIP_LONG_LOOK", LONG_LOOK_NANOSECONDS),
        .hot_gap = ticks_from("RECIP_HOT_GAP", HOT_GAP_NANOSECONDS),
        .newcomer = ticks_from("RECIP_NEWCOMER", NEWCOMER_NANOSECONDS),
        .express = ticks_from("RECIP_EXPRESS", EXPRESS_NANOSECONDS),
        .credit_price = ticks_from("RECIP_CREDIT", CREDIT_PRICE_NANOSECONDS),
        .credit_max = ticks_from("RECIP_CREDIT_MAX", CREDIT_MAX_NANOSECONDS),
        .leader = ticks_from("RECIP_LEADER", LEADER_NANOSECONDS),
        .follower = ticks_from("RECIP_FOLLOWER", FOLLOWER_NANOSECONDS),
        .own_cpu = (unsigned)number_from("RECIP_OWN_CPU", OWN_CPU, "yields"),
        .handovers = HANDOVERS,
        .awake = ticks_from("RECIP_AWAKE", AWAKE_NANOSECONDS),
        .between_yields = ticks_from("RECIP_BETWEEN_YIELDS", BETWEEN_YIELDS_NANOSECONDS),
        .newcomer_alone = ticks_from("RECIP_NEWCOMER_ALONE", NEWCOMER_ALONE_NANOSECONDS),
        .signalled = ticks_from("RECIP_SIGNALLED", SIGNALLED_NANOSECONDS),
        .yields = (unsigned)number_from("RECIP_YIELDS", YIELDS, "yields"),
        .nap = nanoseconds_from("RECIP_NAP", NAP_NANOSECONDS),
        .express_nap = nanoseconds_from("RECIP_EXPRESS_NAP", EXPRESS_NAP_NANOSECONDS),
        .express_naps = EXPRESS_NAPS,
        .leader_nap = nanoseconds_from("RECIP_LEADER_NAP", LEADER_NAP_NANOSECONDS),
        .sleeps = (unsigned)number_from("RECIP_SLEEPS", SLEEPS, "sleeps"),
        .sleeps_hot = (unsigned)number_from("RECIP_SLEEPS_HOT", SLEEPS_HOT, "sleeps"),
        .quick_yields = (unsigned)number_from("RECIP_QUICK_YIELDS", QUICK_YIELDS, "yields"),
        .quick_yield = ticks_from("RECIP_QUICK_YIELD", QUICK_YIELD_NANOSECONDS),
        .yielding = ticks_from("RECIP_YIELDING", YIELDING_NANOSECONDS),
        .give_way = ticks_from("RECIP_GIVE_WAY", GIVE_WAY_NANOSECONDS),
    };
}
