/* SPDX-License-Identifier: MIT */
/* Release without an atomic operation, by a restartable sequence of the kernel's (rseq), and the barrier against it
 * (membarrier). The release itself is inline, in <recip-inline.h>. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "port/port.h"

ptrdiff_t recip_rseq_offset_;

#if defined(__has_include) && (defined(__x86_64__) || defined(__aarch64__))
#if __has_include(<sys/rseq.h>)
#include <sys/rseq.h>
#define HAVE_RSEQ 1
#endif
#endif

#ifdef HAVE_RSEQ
/* From Linux 5.10, and not in the headers of all systems that have glibc 2.35. */
enum { BARRIER_RSEQ = 1 << 7, REGISTER_BARRIER_RSEQ = 1 << 8 };

static bool switched_off(const char *name)
{
    const char *value = secure_getenv(name);
    return value && strcmp(value, "0") == 0;
}

/* glibc, from 2.35, registers an area in each thread with the kernel. __rseq_size is 0 where it has not, because the
 * kernel is too old or GLIBC_TUNABLES says glibc.pthread.rseq=0, as is needed for libraries that register areas of
 * their own (some allocators). Otherwise it is 32 (up to 2.39), or the part of the area that the kernel uses (20 at
 * least). What release uses, cpu_id and rseq_cs, is in the first 16 bytes.
 *
 * A library that unregisters glibc's area in spite of that leaves a negative cpu_id, here and in any other thread: so
 * each release looks (recip-inline.h). One that shares the area is no harm: each sequence sets rseq_cs for itself, and
 * an address outside it is nothing to the kernel. */
static ptrdiff_t rseq_area(void)
{
    int32_t cpu;
    if (__rseq_size == 0)
        return 0;
#if defined(__x86_64__)
    __asm__ volatile("movl %%fs:4(%1), %0" : "=r"(cpu) : "r"(__rseq_offset));
#else
    cpu = ((const volatile int32_t *)((const char *)__builtin_thread_pointer() + __rseq_offset))[1];
#endif
    return cpu < 0 ? 0 : __rseq_offset;
}

/* Without both, release is atomic and needs no barrier. */
void recip_native_rseq_begin(void)
{
    bool wanted = !switched_off("RECIP_RSEQ") && !switched_off("RECIP_MEMBARRIER");
    ptrdiff_t area = wanted ? rseq_area() : 0;
    recip_rseq_offset_ = area && syscall(SYS_membarrier, REGISTER_BARRIER_RSEQ, 0, 0) == 0 ? area : 0;
}

void recip_native_barrier(void)
{
    if (!recip_rseq_offset_)
        return;
    if (syscall(SYS_membarrier, BARRIER_RSEQ, 0, 0) != 0) {
        perror("recip: membarrier");
        abort();
    }
}
#else
void recip_native_rseq_begin(void)
{
}

void recip_native_barrier(void)
{
}
#endif
