/* SPDX-License-Identifier: MIT */
/* For tests of rseq: areas, and how a thread unlocks. It shows in the area: a restartable sequence leaves its
 * descriptor there (recip-inline.h), an atomic operation leaves nothing. */
#ifndef RECIP_TESTS_MUTEX_RSEQ_H
#define RECIP_TESTS_MUTEX_RSEQ_H

#include "common.h"

#include <string.h>
#include <sys/rseq.h>
#include <sys/syscall.h>

enum { SKIPPED = 77, ROOM = 128 };

/* An area of a library's own in each thread, in room for what newer kernels have. */
struct own_area {
    _Alignas(ROOM) struct rseq area;
    char more[ROOM - sizeof(struct rseq)];
};

static inline struct rseq *area_at(ptrdiff_t offset)
{
    return (struct rseq *)((char *)__builtin_thread_pointer() + offset);
}

/* In this thread, that one instead of glibc's. glibc registers none in a thread that was started by one without. */
static inline bool register_instead(struct rseq *glibc, struct own_area *own, unsigned size)
{
    enum { UNREGISTER = 1 };
    memset(own, 0, sizeof *own);
    bool registered = (int32_t)glibc->cpu_id >= 0;
    return (!registered || syscall(SYS_rseq, glibc, sizeof *glibc, UNREGISTER, RSEQ_SIG) == 0) &&
           syscall(SYS_rseq, &own->area, size, 0, RSEQ_SIG) == 0;
}

static inline bool unlocks_by_sequence(struct rseq *area, recip_mutex_t *mutex)
{
    enum { TRIES = 100 }; /* preempted afterwards, the kernel clears it: not each time */
    bool found = false;
    for (int i = 0; i < TRIES && !found; i++) {
        area->rseq_cs = 0;
        recip_mutex_lock(mutex);
        recip_mutex_unlock(mutex);
        found = __atomic_load_n(&area->rseq_cs, __ATOMIC_RELAXED) != 0;
    }
    return found;
}

#endif
