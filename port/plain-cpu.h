/* SPDX-License-Identifier: MIT */
/* For a world that knows of no clusters of CPUs, or of no CPU that can wait for a word. */
#ifndef RECIP_PORT_PLAIN_CPU_H
#define RECIP_PORT_PLAIN_CPU_H

#include <stdatomic.h>
#include <stdint.h>

#ifndef PORT_HAS_CLUSTERS
static inline unsigned port_cluster(void)
{
    return port_socket();
}
#endif

#ifndef PORT_HAS_MONITOR
static inline void port_relax_at(const _Atomic(uintptr_t) *word, uintptr_t seen)
{
    (void)word;
    (void)seen;
    port_relax();
}
#endif

#endif
