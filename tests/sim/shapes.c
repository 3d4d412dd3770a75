/* SPDX-License-Identifier: MIT */
/* The shapes of the paper's MutexBench figures that a model can be held to, with every latency that the machine file
 * gives a third down and up, over five seeds. shapes-test MACHINE-FILE [whole]: without `whole` the machine as it is
 * and each variation have one of the five seeds in turn.
 *
 * Beside them, what no file gives: a latency of its own for taking copies away, a third below or above that of fetching
 * a line. On two sockets it changes none of the shapes, and is tried with `whole` only.
 *
 * Context is kept in the lock, as the paper did for these figures. */
#include <stdio.h>

#include "tests/sim/variations.h"

enum { TICKET, TWA, MCS, CLH, HEMLOCK, RECIPROCATING, LOCKS, PAPER_THREADS = 72 };

/* The shared generator is made anew every 624 episodes: four times in a run, and twice where that is enough, alone and
 * for Ticket with many threads, which is far behind and makes many events. */
enum { EPISODES = 4 * 624, FEW_EPISODES = 2 * 624 };

#define LEVEL 0.97

/* An upgrade of its own that costs so much of a transfer is as good as one: reciprocating is level then. */
#define UPGRADE_AS_TRANSFER 0.87

static const char *const ids[LOCKS] = {"ticket", "twa", "mcs", "clh", "hemlock", "reciprocating"};

static double throughput(const struct machine *machine, unsigned lock, unsigned threads, enum workload workload)
{
    bool many = threads > machine->cores / 2;
    struct settings settings = {
        .lock = recip_algorithm_find(ids[lock]),
        .machine = machine,
        .threads = threads,
        .workload = workload,
        .context = CONTEXT_BODY,
        .episodes = threads == 1 || (lock == TICKET && many) ? FEW_EPISODES : EPISODES,
        .seed = seed,
    };
    struct result result = run(&settings);
    double value = result.throughput;
    result_free(&result);
    return value;
}

/* Ticket is ahead at one thread and last at the top. */
static void ends(const struct machine *machine, double *top)
{
    double alone = throughput(machine, TICKET, 1, WORKLOAD_MAX);
    top[TICKET] = throughput(machine, TICKET, machine_cpus(machine), WORKLOAD_MAX);
    for (unsigned lock = TICKET + 1; lock < LOCKS; lock++) {
        double other = throughput(machine, lock, 1, WORKLOAD_MAX);
        top[lock] = throughput(machine, lock, machine_cpus(machine), WORKLOAD_MAX);
        check(other < alone, "ticket ahead at one thread", ids[lock], other, alone);
        check(top[lock] > top[TICKET], "ticket last at the top", ids[lock], top[lock], top[TICKET]);
    }
}

/* Reciprocating is at least level with CLH and MCS at the top, and at the paper's 72 threads: not behind by more than
 * runs differ among themselves. */
static void level(const struct machine *machine, const double *top)
{
    for (unsigned lock = MCS; lock <= CLH; lock++)
        check(top[RECIPROCATING] >= LEVEL * top[lock], "reciprocating level at the top", ids[lock], top[RECIPROCATING],
              top[lock]);
    if (machine_cpus(machine) <= PAPER_THREADS)
        return;
    double own = throughput(machine, RECIPROCATING, PAPER_THREADS, WORKLOAD_MAX);
    for (unsigned lock = MCS; lock <= CLH; lock++) {
        double other = throughput(machine, lock, PAPER_THREADS, WORKLOAD_MAX);
        check(own >= LEVEL * other, "reciprocating level at 72 threads", ids[lock], own, other);
    }
}

/* Not so on one socket if copies were taken away faster than a line is fetched. The line that a handover writes has
 * been modified by its waiter in Reciprocating, a transfer; it is shared in MCS and CLH, an upgrade. Reciprocating is
 * behind by no more than the difference in each episode, and behind MCS it is. */
static void behind_by_the_difference(const struct machine *machine, const double *top)
{
    double difference = ((double)machine->transfer - (double)machine_upgrade(machine)) / (1e9 * SIM_NANOSECOND);
    for (unsigned lock = MCS; lock <= CLH; lock++) {
        double behind = 1 / top[RECIPROCATING] - 1 / top[lock];
        check(behind <= difference, "reciprocating behind by a transfer less an upgrade at most", ids[lock], behind,
              difference);
        printf("%s, seed %llu: %s is ahead by %.1f %%\n", variation, (unsigned long long)seed, ids[lock],
               100 * (top[lock] / top[RECIPROCATING] - 1));
    }
    check(top[MCS] > top[RECIPROCATING], "reciprocating behind where upgrades are cheap", ids[MCS], top[MCS],
          top[RECIPROCATING]);
}

/* The queue locks are flat within a socket and drop when the second joins. */
static void flat_and_drop(const struct machine *machine)
{
    for (unsigned lock = MCS; lock < LOCKS; lock++) {
        double few = throughput(machine, lock, 6, WORKLOAD_MAX);
        double socket = throughput(machine, lock, machine->cores, WORKLOAD_MAX);
        double both = throughput(machine, lock, 2 * machine->cores, WORKLOAD_MAX);
        check(socket > 0.9 * few && socket < 1.1 * few, "flat within a socket", ids[lock], socket, few);
        check(both < 0.8 * socket, "drop with the second socket", ids[lock], both, socket);
    }
}

/* Under moderate contention throughput is at its best, to within a tenth, first at 3 to 6 threads, and Reciprocating
 * keeps most of its best at the top. */
static void moderate(const struct machine *machine)
{
    static const unsigned threads[] = {1, 2, 3, 4, 5, 6, 8, 12};
    enum { POINTS = sizeof threads / sizeof *threads };
    double kept[LOCKS];
    for (unsigned lock = 0; lock < LOCKS; lock++) {
        double points[POINTS], best = 0;
        for (unsigned i = 0; i < POINTS; i++) {
            points[i] = throughput(machine, lock, threads[i], WORKLOAD_MODERATE);
            best = points[i] > best ? points[i] : best;
        }
        unsigned peak = 0;
        while (points[peak] < 0.9 * best)
            peak++;
        check(threads[peak] >= 3 && threads[peak] <= 6, "moderate peaks at 3 to 6 threads", ids[lock], threads[peak],
              6);
        kept[lock] = throughput(machine, lock, machine_cpus(machine), WORKLOAD_MODERATE) / best;
    }
    for (unsigned lock = 0; lock < RECIPROCATING; lock++)
        check(kept[RECIPROCATING] >= LEVEL * kept[lock], "reciprocating falls least", ids[lock], kept[RECIPROCATING],
              kept[lock]);
}

/* `of` points to whether upgrades are cheap. */
static void all_shapes(const struct machine *machine, void *of)
{
    bool cheap_upgrades = *(bool *)of;
    double top[LOCKS];
    ends(machine, top);
    if (cheap_upgrades && machine->sockets == 1)
        behind_by_the_difference(machine, top);
    else
        level(machine, top);
    if (machine->sockets == 1)
        return;
    flat_and_drop(machine);
    moderate(machine);
}

/* A latency for upgrades alone. */
static void untie(struct variations *variations, double factor)
{
    if (variations->base.sockets > 1 && !variations->whole)
        return;
    struct machine machine = variations->base;
    bool cheap = factor < UPGRADE_AS_TRANSFER;
    machine.upgrade = (sim_time)((double)machine.transfer * factor);
    snprintf(variation, sizeof variation, "upgrade = transfer x %.2f", factor);
    with_seeds(variations, &machine, &cheap);
}

int main(int argc, char **argv)
{
    struct variations variations = variations_of(argc, argv);
    variations.shapes = all_shapes;
    with_each_latency(&variations, &(bool){false});
    untie(&variations, 2.0 / 3);
    untie(&variations, 4.0 / 3);
    untie(&variations, UPGRADE_AS_TRANSFER);
    return checks_status();
}
