/* SPDX-License-Identifier: MIT */
/* On a machine whose sockets are made of clusters, the lock that prefers its own group of CPUs goes by them: well ahead
 * of those that do not, with no thread more than twice as often admitted as another, with each latency of the machine
 * file a third down and up, over five seeds (sim-clusters MACHINE-FILE [whole]). */
#include "tests/sim/variations.h"

enum { EPISODES = 4 * 624 };

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

static void shapes(const struct machine *machine, void *unused)
{
    (void)unused;
    for (unsigned threads = machine->cores; threads <= 2 * machine->cores; threads += machine->cores) {
        struct result plain = measure(machine, "reciprocating", threads),
                      own = measure(machine, "reciprocating-numa", threads);
        check(own.throughput > 1.5 * plain.throughput, "half as much again as reciprocating", "reciprocating-numa",
              own.throughput, plain.throughput);
        check(own.unfairness <= 2.1, "most over least admissions", "reciprocating-numa", own.unfairness, 2.1);
        result_free(&plain);
        result_free(&own);
    }
}

int main(int argc, char **argv)
{
    struct variations variations = variations_of(argc, argv);
    variations.shapes = shapes;
    with_each_latency(&variations, NULL);
    return checks_status();
}
