/* SPDX-License-Identifier: MIT */
/* How the machine's CPUs are put together, from /sys. Sockets, clusters and cores that are not all of one size are
 * taken for one socket of so many cores. */
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "cli/command.h"
#include "sim/machine.h"
#include "sim/measure/measure.h"

/* What a CPU belongs to; -1 if the system does not tell. The cluster is its last level of cache. */
struct place_of {
    int socket, core, cluster;
};

static int number_in(int cpu, const char *name)
{
    char path[128];
    int number = -1;
    snprintf(path, sizeof path, "/sys/devices/system/cpu/cpu%d/%s", cpu, name);
    FILE *file = fopen(path, "r");
    if (!file)
        return -1;
    if (fscanf(file, "%d", &number) != 1)
        number = -1;
    fclose(file);
    return number;
}

/* Of the last level, its first CPU stands for it. */
static struct place_of place_of(int cpu)
{
    int cluster = number_in(cpu, "cache/index3/shared_cpu_list");
    return (struct place_of){number_in(cpu, "topology/physical_package_id"), number_in(cpu, "topology/core_id"),
                             cluster};
}

static bool is_new(const struct place_of *places, unsigned nth, bool (*same)(struct place_of a, struct place_of b))
{
    for (unsigned i = 0; i < nth; i++)
        if (same(places[i], places[nth]))
            return false;
    return true;
}

static bool same_socket(struct place_of a, struct place_of b)
{
    return a.socket == b.socket;
}

static bool same_cluster(struct place_of a, struct place_of b)
{
    return same_socket(a, b) && a.cluster == b.cluster;
}

static bool same_core(struct place_of a, struct place_of b)
{
    return same_socket(a, b) && a.core == b.core;
}

static unsigned count(const struct place_of *places, unsigned cpus, bool (*same)(struct place_of a, struct place_of b))
{
    unsigned different = 0;
    for (unsigned i = 0; i < cpus; i++)
        different += is_new(places, i, same);
    return different;
}

static void count_levels(struct layout *layout, const struct place_of *places)
{
    unsigned cpus = layout->cpu_count, cores = count(places, cpus, same_core);
    unsigned sockets = count(places, cpus, same_socket), clusters = count(places, cpus, same_cluster);
    layout->sockets = sockets;
    layout->clusters = clusters / sockets;
    layout->cores = cores / sockets;
    layout->threads = cpus / cores;
    bool even = layout->sockets * layout->cores * layout->threads == cpus && clusters % sockets == 0 &&
                layout->cores % layout->clusters == 0;
    if (!even) {
        layout->sockets = layout->clusters = layout->threads = 1;
        layout->cores = cpus;
    }
}

/* One that is to be compared with the first CPU, of each distance. */
static void choose_partners(struct layout *layout, const struct place_of *places)
{
    layout->in_cluster = layout->in_socket = layout->elsewhere = -1;
    for (unsigned i = layout->cpu_count; i-- > 1;) {
        int cpu = layout->cpus[i];
        if (!same_socket(places[0], places[i]))
            layout->elsewhere = cpu;
        else if (!same_cluster(places[0], places[i]))
            layout->in_socket = cpu;
        else if (!same_core(places[0], places[i]) || layout->in_cluster < 0)
            layout->in_cluster = cpu;
    }
}

void layout_read(struct layout *layout)
{
    static struct place_of places[CPU_SETSIZE];
    cpu_set_t allowed;
    *layout = (struct layout){0};
    if (sched_getaffinity(0, sizeof allowed, &allowed) != 0)
        refuse("--measure: the CPUs that this process may use: %s", strerror(errno));
    for (int cpu = 0; cpu < CPU_SETSIZE && layout->cpu_count < MACHINE_MAX_CPUS; cpu++)
        if (CPU_ISSET(cpu, &allowed)) {
            places[layout->cpu_count] = place_of(cpu);
            layout->cpus[layout->cpu_count++] = cpu;
        }
    if (layout->cpu_count < 2)
        refuse("--measure: this process may use one CPU only; two are needed");
    count_levels(layout, places);
    choose_partners(layout, places);
    long line = sysconf(_SC_LEVEL1_DCACHE_LINESIZE);
    layout->line = line >= 16 && line <= 1024 && (line & (line - 1)) == 0 ? (unsigned)line : 64;
}
