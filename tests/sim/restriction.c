/* SPDX-License-Identifier: MIT */
/* The locks that let few threads compete, beside MCS, where there are twice as many threads as CPUs: ahead of its
 * parking form, with each latency of the machine file a third down and up, over five seeds (sim-restriction
 * MACHINE-FILE whole). Without `whole`, which takes minutes, the machine as it is and one seed. sim-oversubscription
 * has what becomes of MCS that spins.
 *
 * Waiters spin for longer than a wake-up takes, as in the papers, so the few that exchange the lock stay awake. */
#include "tests/sim/variations.h"

enum { EPISODES = 500 };

static double throughput(const struct machine *machine, const char *id, unsigned threads)
{
    struct result result = run(&(struct settings){
        .lock = recip_algorithm_find(id),
        .machine = machine,
        .threads = threads,
        .workload = WORKLOAD_MAX,
        .context = CONTEXT_BODY,
        .episodes = EPISODES,
        .seed = seed,
    });
    double value = result.throughput;
    result_free(&result);
    return value;
}

static void shapes(const struct machine *machine, void *unused)
{
    static const char *const few[] = {"mcscr-park", "gcr-mcs-park", "gcr-ticket-park"};
    (void)unused;
    unsigned cpus = machine->sockets * machine->cores * machine->threads;
    double mcs = throughput(machine, "mcs-park", 2 * cpus);
    for (unsigned i = 0; i < sizeof few / sizeof *few; i++) {
        double own = throughput(machine, few[i], 2 * cpus);
        check(own > 4 * mcs, "four times MCS", few[i], own, mcs);
    }
}

int main(int argc, char **argv)
{
    struct variations variations = variations_of(argc, argv);
    variations.base.spin = 5 * variations.base.wake_latency / 2;
    variations.shapes = shapes;
    if (variations.whole)
        with_each_latency(&variations, NULL);
    else
        with_seeds(&variations, &variations.base, NULL);
    return checks_status();
}
