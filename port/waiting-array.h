/* SPDX-License-Identifier: MIT */
/* The waiting array of TWA: one table of words for all locks of the process. A thread far from its turn waits for the
 * word of its lock and ticket to change; a collision costs a needless look. */
#ifndef RECIP_PORT_WAITING_ARRAY_H
#define RECIP_PORT_WAITING_ARRAY_H

#include "port/port.h"

#define WAITING_ARRAY_SIZE 4096
extern _Atomic(uint64_t) recip_waiting_array[WAITING_ARRAY_SIZE];

/* 17 words: just over RECIP_LINE, so that neighbouring tickets do not share a line, and odd, so that the tickets of a
 * lock reach every slot. Locks are told apart by their place among neighbours and by their page. */
static inline _Atomic(uint64_t) *waiting_slot(const void *lock, int64_t ticket)
{
    uint64_t address = (uintptr_t)lock;
    return &recip_waiting_array[(address / 16 + address / 65536 + (uint64_t)ticket * 17) % WAITING_ARRAY_SIZE];
}

static inline uint64_t waiting_slot_read(_Atomic(uint64_t) *slot)
{
    /* acquire: with the release in waiting_slot_change, so that the grant stored before it is seen. */
    return atomic_load_explicit(slot, memory_order_acquire);
}

static inline void waiting_slot_await(_Atomic(uint64_t) *slot, uint64_t seen)
{
    while (waiting_slot_read(slot) == seen)
        port_relax();
}

static inline void waiting_slot_change(_Atomic(uint64_t) *slot)
{
    /* release: with waiting_slot_read. */
    atomic_fetch_add_explicit(slot, 1, memory_order_release);
}

#endif
