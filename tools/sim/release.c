/* SPDX-License-Identifier: MIT */
#include "sim/release.h"

enum { FEW = 4, MANY = 16, SEEDS = 3 };

static unsigned worst_of(struct release_cost *cost, struct settings settings, unsigned threads, enum workload workload)
{
    settings.threads = threads;
    settings.workload = workload;
    struct result result = run(&settings);
    if (result.longest_release > cost->longest)
        cost->longest = result.longest_release;
    unsigned accesses = result.most_release_accesses;
    result_free(&result);
    return accesses;
}

static unsigned larger(unsigned a, unsigned b)
{
    return a > b ? a : b;
}

/* Times vary and nothing is hidden by a store buffer. A queue that is always full and one that runs empty show
 * different waits. */
struct release_cost release_measure(const struct recip_algorithm *lock, const struct machine *machine, uint64_t seed)
{
    static const enum workload workloads[] = {WORKLOAD_DEGENERATE, WORKLOAD_MODERATE};
    struct release_cost cost = {0};
    struct machine uneven = *machine;
    uneven.jitter = 50;
    uneven.store_buffer = 0;
    struct settings settings = {.lock = lock,
                                .machine = &uneven,
                                .context = CONTEXT_LOCAL,
                                .episodes = 4000,
                                .critical = 60 * SIM_NANOSECOND,
                                .stall = RELEASE_STALL};
    for (settings.seed = seed; settings.seed < seed + SEEDS; settings.seed++)
        for (unsigned i = 0; i < 2; i++) {
            for (unsigned threads = 2; threads <= FEW; threads++)
                cost.few = larger(cost.few, worst_of(&cost, settings, threads, workloads[i]));
            cost.many = larger(cost.many, worst_of(&cost, settings, MANY, workloads[i]));
        }
    return cost;
}

/* A compare-and-swap that is tried again because another thread has written, and the like. */
enum { RETRIES = 2 };

bool release_is_constant(const struct release_cost *cost)
{
    return cost->longest < (double)RELEASE_STALL / (2e9 * SIM_NANOSECOND) && cost->many <= cost->few + RETRIES;
}
