/* SPDX-License-Identifier: MIT */
/* A machine to simulate: a small text file, one `name = value` to a line, `#` for comments. machine.c has the table of
 * the parameters, with what each may be; every one of them has to be given, except upgrade. */
#ifndef RECIP_SIM_MACHINE_H
#define RECIP_SIM_MACHINE_H

#include <stdbool.h>
#include <stddef.h>

#include "sim/events.h"

#define MACHINE_MAX_CPUS 256
#define MACHINE_MAX_SOCKETS 16

enum protocol { PROTOCOL_MESI, PROTOCOL_MOESI };

/* Who settles a miss: the line's home node always, or the requester's socket if it has the line. */
enum adjudication { ADJUDICATION_HOME, ADJUDICATION_SOCKET };

struct machine {
    unsigned sockets, cores, threads; /* cores in a socket, hardware threads in a core */
    unsigned line;                    /* bytes */
    unsigned protocol, adjudication;
    unsigned store_buffer; /* entries; 0: a store is waited for */
    unsigned jitter;       /* percent that a transaction takes longer or shorter, at random */
    sim_time hit, atomic, pause;
    sim_time shared, transfer, memory, hop, invalidate;
    sim_time upgrade; /* 0 if it is not given; machine_upgrade has what it is then */
    sim_time read_occupancy, link_occupancy;
    sim_time slice, context_switch, park, wake, wake_latency, spin;
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

/* Null, or what is wrong, with file, line and what is allowed; freed by the caller. */
char *machine_read(struct machine *machine, const char *path);

/* One parameter: null, or what is wrong; after all of them, whether they go together. Freed by the caller. */
char *machine_set(struct machine *machine, const char *name, const char *value);
char *machine_check(const struct machine *machine);

/* The names of the latencies, for whoever varies them; null at the end. One that is 0 is not there, or not given. */
extern const char *const machine_latencies[];
sim_time *machine_latency(struct machine *machine, const char *name);

#endif
