/* SPDX-License-Identifier: MIT */
/* The locks that prefer a socket, beside MCS: ahead on two sockets and level on one, with each latency of the machine
 * file a third down and up, over five seeds (sim-sockets MACHINE-FILE [whole]). And the bound of the reciprocating one:
 * no thread has more than twice the admissions of another. */
#include "tests/sim/variations.h"

/* Level: not behind by more than this part. */
#define LEVEL 0.9

/* The shared generator is made anew every 624 episodes: four times. */
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

static double throughput(const struct machine *machine, const char *id, unsigned threads)
{
    struct result result = measure(machine, id, threads);
    double value = result.throughput;
    result_free(&result);
    return value;
}

static void ahead_on_two_sockets(const struct machine *machine, const char *id, const double *mcs)
{
    for (unsigned i = 0; i < 2; i++) {
        double both = throughput(machine, id, (i + 1) * 2 * machine->cores);
        check(both > mcs[i], "ahead of MCS on two sockets", id, both, mcs[i]);
    }
}

static void level_on_one_socket(const struct machine *machine, const char *id, double mcs)
{
    double own = throughput(machine, id, machine->cores / 2);
    check(own >= LEVEL * mcs, "level with MCS on one socket", id, own, mcs);
}

/* One socket is reciprocating's own ground; on two the lock moves once in a segment. */
static void compare_with_reciprocating(const struct machine *machine)
{
    double plain = throughput(machine, "reciprocating", machine->cores / 2);
    double own = throughput(machine, "reciprocating-numa", machine->cores / 2);
    check(own >= LEVEL * plain, "level with reciprocating on one socket", "reciprocating-numa", own, plain);
    struct result both = measure(machine, "reciprocating-numa", 2 * machine->cores);
    double moves = 4.0 / (2 * machine->cores);
    check(both.unfairness <= 2.1, "most over least admissions", "reciprocating-numa", both.unfairness, 2.1);
    check(both.migrations <= moves, "moves between sockets", "reciprocating-numa", both.migrations, moves);
    result_free(&both);
}

static void shapes(const struct machine *machine, void *unused)
{
    static const char *const ids[] = {"cna", "cohort-bo-mcs", "reciprocating-numa"};
    enum { LOCKS = sizeof ids / sizeof *ids };
    (void)unused;
    double one = throughput(machine, "mcs", machine->cores / 2);
    double two[] = {throughput(machine, "mcs", 2 * machine->cores), throughput(machine, "mcs", 4 * machine->cores)};
    for (unsigned i = 0; i < LOCKS; i++) {
        ahead_on_two_sockets(machine, ids[i], two);
        level_on_one_socket(machine, ids[i], one);
    }
    compare_with_reciprocating(machine);
}

int main(int argc, char **argv)
{
    struct variations variations = variations_of(argc, argv);
    variations.shapes = shapes;
    with_each_latency(&variations, NULL);
    return checks_status();
}
