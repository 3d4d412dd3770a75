/* SPDX-License-Identifier: MIT */
/* What RECIP_DEBUG knows of each mutex, beside it: a hash table of lists that only grow. Signal handlers lock, and it
 * must need no lock itself. debug.c writes it; `recip who` reads it from outside, by recip_debug_table_. */
#ifndef RECIP_SRC_DEBUG_TABLE_H
#define RECIP_SRC_DEBUG_TABLE_H

#include <stdatomic.h>
#include <stdint.h>

#include <recip.h>

struct known {
    _Atomic(const recip_mutex_t *) mutex;
    uint32_t next;           /* in its list; 0 ends it */
    _Atomic(uint32_t) owner; /* by its number; 0: none, or not known */
    _Atomic(int32_t) tid;    /* and by the kernel's, to be printed */
    uint16_t passes;         /* the real count; the owner's */
};

enum { LISTS = 1 << 14, MOST_KNOWN = 1 << 20 };

struct table {
    _Atomic(uint32_t) used, lists[LISTS];
    struct known known[MOST_KNOWN]; /* from 1 on */
};

static inline uint32_t list_of(uintptr_t mutex)
{
    return (uint32_t)(mutex / 8 * UINT64_C(0x9e3779b97f4a7c15) >> 50);
}

#endif
