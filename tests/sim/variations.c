/* SPDX-License-Identifier: MIT */
#include "tests/sim/variations.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static unsigned checks, failures;
char variation[64];
uint64_t seed;

struct variations variations_of(int argc, char **argv)
{
    struct variations variations = {.whole = argc > 2 && strcmp(argv[2], "whole") == 0};
    char *wrong = argc > 1 ? machine_read(&variations.base, argv[1]) : strdup("takes MACHINE-FILE [whole]");
    if (wrong) {
        fprintf(stderr, "%s\n", wrong);
        free(wrong);
        exit(2);
    }
    return variations;
}

void check(bool holds, const char *shape, const char *lock, double is, double limit)
{
    checks++;
    if (holds)
        return;
    failures++;
    printf("%s, seed %llu: %s: %s: %.3g against %.3g\n", variation, (unsigned long long)seed, shape, lock, is, limit);
}

int checks_status(void)
{
    printf("%u of %u checks hold\n", checks - failures, checks);
    return failures > 0 || !checks;
}

void with_seeds(struct variations *variations, const struct machine *machine, void *of)
{
    unsigned one = variations->count++ % SEEDS + 1;
    for (seed = 1; seed <= SEEDS; seed++)
        if (variations->whole || seed == one)
            variations->shapes(machine, of);
}

static void vary(struct variations *variations, const char *name, double factor, void *of)
{
    struct machine machine = variations->base;
    sim_time *latency = machine_latency(&machine, name);
    if (!*latency)
        return;
    *latency = (sim_time)((double)*latency * factor);
    snprintf(variation, sizeof variation, "%s x %.2f", name, factor);
    with_seeds(variations, &machine, of);
}

void with_each_latency(struct variations *variations, void *of)
{
    strcpy(variation, "as it is");
    with_seeds(variations, &variations->base, of);
    for (unsigned i = 0; machine_latencies[i]; i++) {
        vary(variations, machine_latencies[i], 2.0 / 3, of);
        vary(variations, machine_latencies[i], 4.0 / 3, of);
    }
}
