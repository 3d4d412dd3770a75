/* SPDX-License-Identifier: MIT */
/* What all Hapax locks of the process share: numbers that never recur, and a table of slots to wait at.
 *
 * A thread draws a block of HAPAX_BLOCK numbers at a time, so the counter is seldom touched. 0 is never drawn. Numbers
 * of one block have the same slot in a lock, so a thread keeps its slot there through a block. Different blocks and
 * locks may share a slot: the locks allow for it. */
#ifndef RECIP_PORT_HAPAX_H
#define RECIP_PORT_HAPAX_H

#include "port/port.h"

/* The checker's limits: threads use several blocks, and three threads share a slot. */
#ifdef RECIP_SMALL_LIMITS
#define HAPAX_BLOCK 3
#define HAPAX_SLOTS_USED 2
#else
#define HAPAX_BLOCK 65536
#define HAPAX_SLOTS_USED HAPAX_SLOTS
#endif

#define HAPAX_SLOTS 4096

struct hapax_slot {
    alignas(RECIP_LINE) _Atomic(uint64_t) word;
};

/* Each world has its own. */
extern struct hapax_slot recip_hapax_slots[HAPAX_SLOTS];
extern _Atomic(uint64_t) recip_hapax_blocks; /* how many blocks are drawn */

/* The calling thread's next number, which it has not used yet. */
static inline uint64_t hapax_peek(void)
{
    struct thread *thread = port_thread();
    if (thread->hapax % HAPAX_BLOCK == 0)
        /* relaxed: the block is the caller's because the addition is atomic. */
        thread->hapax = (atomic_fetch_add_explicit(&recip_hapax_blocks, 1, memory_order_relaxed) + 1) * HAPAX_BLOCK + 1;
    return thread->hapax;
}

/* Uses the number that hapax_peek has returned. The first number of each block is never drawn: it says that the block
 * before is used up. */
static inline void hapax_use(void)
{
    port_thread()->hapax++;
}

static inline _Atomic(uint64_t) *hapax_slot(const void *lock, uint64_t number)
{
    uint64_t address = (uintptr_t)lock;
    return &recip_hapax_slots[(address / 16 + address / 65536 + number / HAPAX_BLOCK * 17) % HAPAX_SLOTS_USED].word;
}

#endif
