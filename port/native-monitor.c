/* SPDX-License-Identifier: MIT */
/* Rests until a word is written: the CPU watches the word's line. UMONITOR and UMWAIT are Intel's (WAITPKG), MONITORX
 * and MWAITX are AMD's, a load-exclusive and WFE are Arm's. CPUID says which of them there is; every AArch64 has WFE.
 *
 * To watch, to look once more, and then to rest, in this order, misses nothing: whoever writes after the look finds the
 * line watched. All of them may end early, and on x86 they end after REST_TICKS at the latest. The caller looks again,
 * so nothing here has to be ordered. */
#include "port/native-cpu.h"
#include "port/port.h"

/* 0: no thread has asked yet; otherwise the monitor plus 1. */
static _Atomic(unsigned) chosen;

#if defined(__x86_64__)
#include <cpuid.h>

/* Some tens of microseconds: what Linux allows UMWAIT by default. */
enum { REST_TICKS = 100000 };

/* As bytes, because not every assembler knows them. */
static void rest_by_umwait(const _Atomic(uintptr_t) *word, uintptr_t seen)
{
    enum { SHALLOW = 1 };                                                    /* the state that is left sooner */
    __asm__ volatile(".byte 0xf3, 0x0f, 0xae, 0xf0" ::"a"(word) : "memory"); /* umonitor %rax */
    if (atomic_load_explicit(word, memory_order_relaxed) != seen)
        return;
    uint64_t end = (uint64_t)port_ticks() + REST_TICKS;
    __asm__ volatile(".byte 0xf2, 0x0f, 0xae, 0xf1" ::"c"(SHALLOW), "a"((uint32_t)end), "d"((uint32_t)(end >> 32))
                     : "cc", "memory"); /* umwait %ecx */
}

static void rest_by_mwaitx(const _Atomic(uintptr_t) *word, uintptr_t seen)
{
    enum { NO_C_STATE = 0xf0, TIMED = 2 };
    __asm__ volatile(".byte 0x0f, 0x01, 0xfa" ::"a"(word), "c"(0), "d"(0) : "memory"); /* monitorx %rax, %ecx, %edx */
    if (atomic_load_explicit(word, memory_order_relaxed) != seen)
        return;
    __asm__ volatile(".byte 0x0f, 0x01, 0xfb" ::"a"(NO_C_STATE), "c"(TIMED), "b"(REST_TICKS)
                     : "memory"); /* mwaitx %eax, %ecx, %ebx */
}

static enum recip_monitor ask_cpu(void)
{
    enum { EXTENDED_FEATURES = 7, WAITPKG_IN_ECX = 1 << 5, AMD_FEATURES = (int)0x80000001, MONITORX_IN_ECX = 1 << 29 };
    unsigned eax, ebx, ecx, edx;
    if (__get_cpuid_count(EXTENDED_FEATURES, 0, &eax, &ebx, &ecx, &edx) && ecx & WAITPKG_IN_ECX)
        return RECIP_MONITOR_UMWAIT;
    if (__get_cpuid((unsigned)AMD_FEATURES, &eax, &ebx, &ecx, &edx) && ecx & MONITORX_IN_ECX)
        return RECIP_MONITOR_MWAITX;
    return RECIP_MONITOR_NONE;
}

#elif defined(__aarch64__)

/* A store to the line by another CPU takes the exclusive mark from it, which is an event. So is the way back from the
 * kernel, and an interrupt. In one piece, because an access in between could take the mark away. */
static void rest_by_wfe(const _Atomic(uintptr_t) *word, uintptr_t seen)
{
    uintptr_t now;
    __asm__ volatile("ldxr %0, [%1]\n\t"
                     "cmp %0, %2\n\t"
                     "b.ne 1f\n\t"
                     "wfe\n"
                     "1:"
                     : "=&r"(now)
                     : "r"(word), "r"(seen)
                     : "cc", "memory");
}

static enum recip_monitor ask_cpu(void)
{
    return RECIP_MONITOR_WFE;
}

#else

static enum recip_monitor ask_cpu(void)
{
    return RECIP_MONITOR_NONE;
}

#endif

void recip_native_use_monitor(enum recip_monitor monitor)
{
    atomic_store_explicit(&chosen, monitor + 1, memory_order_relaxed);
}

enum recip_monitor recip_native_monitor(void)
{
    /* relaxed: every thread that asks gets the same answer. */
    unsigned known = atomic_load_explicit(&chosen, memory_order_relaxed);
    if (!known) {
        known = ask_cpu() + 1;
        atomic_store_explicit(&chosen, known, memory_order_relaxed);
    }
    return known - 1;
}

void recip_native_relax_at(const _Atomic(uintptr_t) *word, uintptr_t seen)
{
    switch (recip_native_monitor()) {
#if defined(__x86_64__)
    case RECIP_MONITOR_UMWAIT:
        rest_by_umwait(word, seen);
        return;
    case RECIP_MONITOR_MWAITX:
        rest_by_mwaitx(word, seen);
        return;
#elif defined(__aarch64__)
    case RECIP_MONITOR_WFE:
        rest_by_wfe(word, seen);
        return;
#endif
    default:
        (void)word;
        (void)seen;
        port_relax();
    }
}
