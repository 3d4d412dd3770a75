/* SPDX-License-Identifier: MIT */
/* What the native world finds out about the CPU that the calling thread runs on. */
#ifndef RECIP_PORT_NATIVE_CPU_H
#define RECIP_PORT_NATIVE_CPU_H

/* As the kernel counts them; from a moment ago, as port_socket. */
unsigned recip_native_cpu(void);

/* The cluster of CPUs that have a cache in common, from the kernel's list of them, such as 8-15,136-143. Negative: they
 * are no cluster, but one core. */
int recip_native_cluster_of(const char *list);

/* How this CPU lets a program rest until a word is written (port_relax_at). */
enum recip_monitor {
    RECIP_MONITOR_NONE, /* not at all: a turn of a spin loop */
    RECIP_MONITOR_UMWAIT,
    RECIP_MONITOR_MWAITX,
    RECIP_MONITOR_WFE,
};

enum recip_monitor recip_native_monitor(void);

/* Takes this one from now on, whatever the CPU says: for tests. */
void recip_native_use_monitor(enum recip_monitor monitor);

#endif
