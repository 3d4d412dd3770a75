/* SPDX-License-Identifier: MIT */
/* recip sim --measure: all parts of the machine file, one after the other, and the file. */
#include "sim/measure/measure.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/command.h"

enum { TRANSFERS = 7, SAMPLES = 5 };

struct machine_times {
    struct layout layout;
    struct core_times core;
    struct line_times lines;
    struct kernel_times kernel;
    struct barrier_times barrier;
    double cluster_hop, hop;
};

static int compare(const void *left, const void *right)
{
    double difference = *(const double *)left - *(const double *)right;
    return (difference > 0) - (difference < 0);
}

double measure_median(double *values, size_t count)
{
    qsort(values, count, sizeof *values, compare);
    return values[count / 2];
}

void measure_stay_on(int cpu)
{
    cpu_set_t set;
    CPU_ZERO(&set);
    CPU_SET(cpu, &set);
    sched_setaffinity(0, sizeof set, &set);
}

pthread_t measure_start(int cpu, void *(*run)(void *), void *with)
{
    pthread_t thread;
    cpu_set_t set;
    CPU_ZERO(&set);
    CPU_SET(cpu, &set);
    int error = pthread_create(&thread, NULL, run, with);
    if (error) {
        fprintf(stderr, "recip: --measure: a second thread cannot be started: %s\n", strerror(error));
        exit(STATUS_FAILED);
    }
    pthread_setaffinity_np(thread, sizeof set, &set);
    return thread;
}

static int near(const struct layout *layout)
{
    return layout->in_cluster >= 0 ? layout->in_cluster : layout->cpus[1];
}

/* The median of several, which are spread over the time that the rest takes. */
static void measure_lines(struct machine_times *times)
{
    double transfers[TRANSFERS], upgrades[TRANSFERS], fetches[TRANSFERS], handovers[TRANSFERS];
    unsigned migratory = 0;
    for (int i = 0; i < TRANSFERS; i++) {
        lines_measure(&times->lines, times->layout.cpus[0], near(&times->layout), SAMPLES);
        transfers[i] = times->lines.transfer;
        upgrades[i] = times->lines.upgrade;
        fetches[i] = times->lines.fetch;
        handovers[i] = times->lines.handover;
        migratory += times->lines.migratory;
    }
    times->lines.transfer = measure_median(transfers, TRANSFERS);
    times->lines.upgrade = measure_median(upgrades, TRANSFERS);
    times->lines.fetch = measure_median(fetches, TRANSFERS);
    times->lines.handover = measure_median(handovers, TRANSFERS);
    times->lines.migratory = migratory > TRANSFERS / 2;
}

/* A handover is a write to a line that the other spins at, the fetch of it, and before that, on average, half a turn.
 */
static double left_of_handover(const struct machine_times *times)
{
    const struct line_times *lines = &times->lines;
    return fmax(0, lines->handover - lines->transfer - lines->fetch - times->core.turn / 2);
}

/* There and back, of what it takes more than within a cluster. */
static double hop_to(const struct machine_times *times, int cpu)
{
    struct line_times far;
    if (cpu < 0 || cpu == near(&times->layout))
        return 0;
    lines_measure(&far, times->layout.cpus[0], cpu, 11 * SAMPLES);
    return fmax(0, (far.transfer - times->lines.transfer) / 2);
}

struct line_times measure_lines_now(void)
{
    static struct layout layout;
    struct line_times times;
    cpu_set_t before;
    if (layout.cpu_count == 0)
        layout_read(&layout);
    sched_getaffinity(0, sizeof before, &before);
    lines_measure(&times, layout.cpus[0], near(&layout), SAMPLES);
    sched_setaffinity(0, sizeof before, &before);
    return times;
}

/* ---- The file ---- */

static void print_head(const struct machine_times *times, FILE *to)
{
    const struct layout *layout = &times->layout;
    fprintf(to,
            "# The machine on which `recip sim --measure` ran. Times are nanoseconds. [M] measured there, between CPUs "
            "%d and %d\n"
            "# where two take part; [C] chosen, because it cannot be measured from outside; [L] Linux's, as in "
            "two-core.machine.\n",
            layout->cpus[0], near(layout));
    fprintf(to, "sockets = %u\nclusters = %u\ncores = %u\nthreads = %u\nline = %u\n", layout->sockets, layout->clusters,
            layout->cores, layout->threads, layout->line);
    fprintf(to, "protocol = %-10s # [M] whether the first reader of a modified line may write it\n",
            times->lines.migratory ? "migratory" : "mesi");
    fputs("adjudication = home   # [C]\nstore_buffer = 56     # [C]\njitter = 5            # [C] percent\n\n", to);
}

static void print_time(FILE *to, const char *name, double value, double least, const char *comment)
{
    char text[64];
    value = fmax(value, least);
    snprintf(text, sizeof text, value < 100 ? "%s = %.2f" : "%s = %.0f", name, value);
    fprintf(to, "%-21s # %s\n", text, comment);
}

static void print_core(const struct core_times *core, FILE *to)
{
    print_time(to, "hit", core->hit, 0.1, "[M] one of many that overlap");
    print_time(to, "atomic", core->atomic, 0.1, "[M] an exchange after another");
    print_time(to, "ahead", 20, 0, "[C] an out-of-order core: some hundred instructions");
    print_time(to, "drain", core->drain, 0, "[M] by which an exchange is later for each of eight stores before it");
    print_time(to, "pause", core->pause, 0.1, "[M]");
    print_time(to, "turn", core->turn, 0, "[M] of a loop that looks and pauses");
    print_time(to, "call", core->call, 0, "[M] through a pointer");
    print_time(to, "clock", core->clock, 0, "[M] clock_gettime");
    print_time(to, "counter", core->counter, 0, "[M] the CPU's own counter");
    print_time(to, "step", core->step, 0.1, "[M] of the generator, without its renewal");
    print_time(to, "renewal", core->renewal, 0, "[M] of its state");
    fputc('\n', to);
}

static void print_lines(const struct machine_times *times, FILE *to)
{
    print_time(to, "leave", left_of_handover(times), 0,
               "[M] what a handover takes beside transfer, fetch, half a turn");
    print_time(to, "shared", times->lines.fetch, 1, "[C] as a fetch: two CPUs cannot tell them apart");
    print_time(to, "transfer", times->lines.transfer, 1, "[M] a write to a line that the other has modified");
    print_time(to, "fetch", times->lines.fetch, 1, "[M] a read of it");
    print_time(to, "upgrade", times->lines.upgrade, 1, "[M] a write to a line that both have read");
    print_time(to, "memory", times->core.memory, 1, "[M] a chain of loads in an area that no cache holds");
    print_time(to, "hop", times->hop, 0, "[M] to another socket, 0 if there is none");
    print_time(to, "cluster_hop", times->cluster_hop, 0, "[M] to another cluster, 0 if there is none");
    fputs("invalidate = 1        # [C]\nread_occupancy = 5    # [C]\nlink_occupancy = 0    # [C]\n\n", to);
}

static void print_kernel(const struct machine_times *times, FILE *to)
{
    const struct kernel_times *kernel = &times->kernel;
    print_time(to, "context_switch", kernel->context_switch, 0, "[M] by a yield, less the call");
    fputs("slice = 3000000       # [L]\npreempt = 1000000     # [L]\ncredit = 3000000      # [L]\n"
          "migration = 500000    # [L]\nbalance = 4000000     # [L]\n",
          to);
    print_time(to, "system_call", kernel->system_call, 0, "[M] a futex call that wakes nobody");
    print_time(to, "yield", kernel->yield, 0, "[M] with nobody else ready");
    print_time(to, "park", kernel->park, 0, "[M] until another thread runs, less half a call and the switch");
    print_time(to, "wake", kernel->wake, 0, "[M] of one that sleeps on an idle CPU, less the call");
    print_time(to, "wake_latency", kernel->wake_latency, 0, "[M] until that one runs, less all of the above");
    print_time(to, "nap", kernel->nap, 0, "[M] what 50 us were longer, less half a call and the switch");
    fprintf(to, "release = %-11s # [M]\n", times->barrier.restartable ? "rseq" : "atomic");
    print_time(to, "barrier", times->barrier.barrier, 0, "[M] membarrier, alone");
    print_time(to, "barrier_wait", times->barrier.barrier_wait, 0, "[M] more if others run");
    print_time(to, "barrier_each", times->barrier.barrier_each, 0, "[M] and for each; with two CPUs in barrier_wait");
    print_time(to, "interrupt", times->barrier.interrupt, 0, "[M] what it costs each of them");
    fputs("spin = 10000          # as port/native.c\n", to);
}

void measure(FILE *to, const struct line_times *lines)
{
    static struct machine_times times;
    cpu_set_t before;
    sched_getaffinity(0, sizeof before, &before);
    layout_read(&times.layout);
    measure_stay_on(times.layout.cpus[0]);
    if (lines)
        times.lines = *lines;
    else
        measure_lines(&times);
    core_measure(&times.core);
    kernel_measure(&times.kernel, times.layout.cpus[0], near(&times.layout));
    barrier_measure(&times.barrier, &times.layout);
    times.cluster_hop = hop_to(&times, times.layout.in_socket);
    times.hop = hop_to(&times, times.layout.elsewhere);
    sched_setaffinity(0, sizeof before, &before);
    print_head(&times, to);
    print_core(&times.core, to);
    print_lines(&times, to);
    print_kernel(&times, to);
}
