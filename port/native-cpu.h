/* SPDX-License-Identifier: MIT */
/* What the native world finds out about the CPU that the calling thread runs on. */
#ifndef RECIP_PORT_NATIVE_CPU_H
#define RECIP_PORT_NATIVE_CPU_H

/* As the kernel counts them; from a moment ago, as port_socket. */
unsigned recip_native_cpu(void);

/* The cluster of CPUs that have a cache in common, from the kernel's list of them, such as 8-15,136-143. Negative: they
 * are no cluster, but one core. */
int recip_native_cluster_of(const char *list);

#endif
