/* SPDX-License-Identifier: MIT */
/* Two conjectures of the paper, answered on a model of two sockets, with each latency a third down and up, over five
 * seeds (sim-conjectures MACHINE-FILE [whole]).
 *
 * "The palindrome moves the lock between sockets less often than FIFO does": it does not. The order in which threads
 * once arrived decides both, and the two differ by a tenth at most, either way.
 *
 * "The palindrome has a lower miss rate": it has. Each thread has a working set of its own, which it goes through in
 * each of its admissions, in a shared cache that has room for a half or three quarters of them all. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/sim/variations.h"

enum { EPISODES = 2000, LINES = 4 };

struct totals {
    double fifo, palindrome;
};

/* A cache of `size` lines that any line may be in, and which throws out the one that was used longest ago, or any one.
 * It is small, so it is searched. */
struct cache {
    unsigned size, used;
    unsigned *lines; /* the last used first */
    bool any;
    uint32_t random;
};

static unsigned cache_place_to_free(struct cache *cache)
{
    if (cache->used < cache->size)
        return cache->used++;
    cache->random = cache->random * 1664525u + 1013904223u;
    return cache->any ? (cache->random >> 8) % cache->size : cache->size - 1;
}

static bool cache_hits(struct cache *cache, unsigned line)
{
    unsigned at = 0;
    while (at < cache->used && cache->lines[at] != line)
        at++;
    bool hit = at < cache->used;
    if (!hit)
        at = cache_place_to_free(cache);
    memmove(cache->lines + 1, cache->lines, at * sizeof *cache->lines);
    cache->lines[0] = line;
    return hit;
}

/* The share of accesses that miss, in the second half of a run. */
static double misses(const struct result *result, unsigned threads, double room, bool any)
{
    struct cache cache = {.size = (unsigned)(room * threads * LINES), .any = any, .random = 1};
    cache.lines = calloc(cache.size, sizeof *cache.lines);
    uint64_t missed = 0, half = result->episodes / 2;
    for (uint64_t episode = 0; episode < result->episodes; episode++)
        for (unsigned line = 0; line < LINES; line++)
            missed += !cache_hits(&cache, result->trace[episode] * LINES + line) && episode >= half;
    free(cache.lines);
    return (double)missed / (double)((result->episodes - half) * LINES);
}

static struct result measure(const struct machine *machine, const char *id, unsigned threads)
{
    return run(&(struct settings){
        .lock = recip_algorithm_find(id),
        .machine = machine,
        .threads = threads,
        .workload = WORKLOAD_MAX,
        .context = CONTEXT_BODY,
        .episodes = EPISODES,
        .seed = seed,
    });
}

static void compare_misses(const struct result *fifo, const struct result *palindrome, unsigned threads)
{
    for (unsigned any = 0; any < 2; any++)
        for (double room = 0.5; room < 1; room += 0.25) {
            double first = misses(fifo, threads, room, any), second = misses(palindrome, threads, room, any);
            check(second < first, any ? "misses, any thrown out" : "misses, oldest thrown out", "reciprocating", second,
                  first);
            if (strcmp(variation, "as it is") == 0)
                printf("%u threads, room for %.2f of the lines, %s thrown out: misses %.3f, FIFO %.3f\n", threads, room,
                       any ? "any" : "oldest", second, first);
        }
}

static void answers(const struct machine *machine, void *of)
{
    struct totals *totals = of;
    for (unsigned threads = 2 * machine->cores; threads <= 4 * machine->cores; threads += 2 * machine->cores) {
        struct result fifo = measure(machine, "ticket", threads),
                      palindrome = measure(machine, "reciprocating", threads);
        double difference = palindrome.migrations - fifo.migrations;
        check(difference < 0.1 && difference > -0.1, "moves between sockets differ", "reciprocating", difference, 0.1);
        totals->fifo += fifo.migrations;
        totals->palindrome += palindrome.migrations;
        compare_misses(&fifo, &palindrome, threads);
        result_free(&fifo);
        result_free(&palindrome);
    }
}

int main(int argc, char **argv)
{
    struct variations variations = variations_of(argc, argv);
    struct totals totals = {0};
    variations.shapes = answers;
    with_each_latency(&variations, &totals);
    /* On average they are the same. */
    check(totals.palindrome < 1.05 * totals.fifo && totals.palindrome > 0.95 * totals.fifo,
          "moves between sockets, of all runs", "reciprocating", totals.palindrome, totals.fifo);
    return checks_status();
}
