/* SPDX-License-Identifier: MIT */
/* A machine to simulate: a small text file, one `name = value` to a line, `#` for comments. machine.c has the table of
 * the parameters, with what each may be; every one of them has to be given, except upgrade. */
#ifndef RECIP_SIM_MACHINE_H
#define RECIP_SIM_MACHINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "sim/events.h"

#define MACHINE_MAX_CPUS 256
#define MACHINE_MAX_SOCKETS 16

/* Migratory: MESI, in which the first read of a modified line takes it over, with the right to write. */
enum protocol { PROTOCOL_MESI, PROTOCOL_MOESI, PROTOCOL_MIGRATORY };

/* Who settles a miss: the line's home node always, or the requester's socket if it has the line. */
enum adjudication { ADJUDICATION_HOME, ADJUDICATION_SOCKET };

/* How the mutex is released: by an atomic operation, or by a restartable sequence and with barriers against it. */
enum release_kind { RELEASE_ATOMIC, RELEASE_RSEQ };

struct machine {
    unsigned sockets, clusters, cores, threads; /* clusters and cores in a socket, hardware threads in a core */
    unsigned line;                              /* bytes */
    unsigned protocol, adjudication;
    unsigned store_buffer; /* entries; 0: a store is waited for */
    unsigned jitter;       /* percent that a transaction takes longer or shorter, at random */
    sim_time hit, atomic, pause;
    sim_time leave; /* what a spin loop takes longer when it ends, or its line was taken: what was guessed is undone */
    sim_time turn;  /* of a loop that spins for ever, from look to look; 0: it looks when its line changes */
    sim_time clock, counter; /* to read the time, and the CPU's own counter of it */
    sim_time ahead;          /* by which a core may run ahead of its read-modify-writes; 0: it waits for each */
    sim_time drain;          /* by which a read-modify-write begins later for each store before it */
    sim_time step, renewal;  /* of the workload's generator; and what it takes more when its state is used up */
    sim_time call;           /* of acquire or release, by the workload */
    sim_time shared, transfer, memory, hop, cluster_hop, invalidate;
    sim_time upgrade; /* 0 if it is not given; machine_upgrade has what it is then */
    sim_time fetch;   /* of a modified line to be read; 0: as transfer */
    sim_time read_occupancy, link_occupancy;
    sim_time context_switch;
    sim_time slice, preempt, credit, migration, balance; /* schedule.c */
    sim_time system_call;                                /* that finds nothing to do */
    sim_time yield;                                      /* the same, where nobody else is ready */
    sim_time park, wake;                                 /* what they take the caller */
    sim_time wake_latency;                               /* of an idle CPU, from the end of the call */
    sim_time nap;                                        /* by which a sleep is longer than it should be */
    unsigned release;
    sim_time barrier, barrier_wait, barrier_each; /* alone; more if others run; and for each of them */
    sim_time interrupt;                           /* what it takes from each of those */
    sim_time spin;                                /* of the zoo's parking locks */
};

unsigned machine_cpus(const struct machine *machine);

/* The latency of taking copies away from other caches: that of a transfer, unless one of its own is given. */
sim_time machine_upgrade(const struct machine *machine);

/* The place of the n-th thread: a core of its own on the first socket, then on the next, then as a second hardware
 * thread; what an idle kernel's balancer ends up with. */
struct place {
    unsigned cpu, core, socket;
};
struct place machine_place(const struct machine *machine, unsigned nth);

/* Cores of one cluster share a last level. */
static inline unsigned machine_cluster(const struct machine *machine, unsigned core)
{
    return core / (machine->cores / machine->clusters);
}

/* Null, or what is wrong, with file, line and what is allowed; freed by the caller. */
char *machine_read(struct machine *machine, const char *path);
char *machine_read_from(struct machine *machine, FILE *file, const char *name);

/* One parameter: null, or what is wrong; after all of them, whether they go together. Freed by the caller. */
char *machine_set(struct machine *machine, const char *name, const char *value);
char *machine_check(const struct machine *machine);

/* The names of the latencies, for whoever varies them; null at the end. One that is 0 is not there, or not given. */
extern const char *const machine_latencies[];
sim_time *machine_latency(struct machine *machine, const char *name);

#endif
