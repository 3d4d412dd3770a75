/* SPDX-License-Identifier: MIT */
/* For a world that has no say in what caches do. */
#ifndef RECIP_PORT_HAND_OVER_H
#define RECIP_PORT_HAND_OVER_H

#include <stdatomic.h>
#include <stdint.h>

static inline void port_demote(const _Atomic(uintptr_t) *word)
{
    (void)word;
}

static inline void port_store_past_caches(_Atomic(uintptr_t) *word, uintptr_t value)
{
    /* release: as in gate_open of gate.h. */
    atomic_store_explicit(word, value, memory_order_release);
}

#endif
