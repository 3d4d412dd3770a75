/* SPDX-License-Identifier: MIT */
/* For a world that knows of no clusters of CPUs. */
#ifndef RECIP_PORT_PLAIN_CPU_H
#define RECIP_PORT_PLAIN_CPU_H

#ifndef PORT_HAS_CLUSTERS
static inline unsigned port_cluster(void)
{
    return port_socket();
}
#endif

#endif
