/* SPDX-License-Identifier: MIT */
#include "zoo/cpu-fit.h"

#include "port/native-cpu.h"

#if defined(__x86_64__) || defined(__i386__)
#include <cpuid.h>

static bool has_cldemote(void)
{
    enum { EXTENDED_FEATURES = 7, CLDEMOTE_IN_ECX = 1 << 25 };
    unsigned eax, ebx, ecx, edx;
    return __get_cpuid_count(EXTENDED_FEATURES, 0, &eax, &ebx, &ecx, &edx) && ecx & CLDEMOTE_IN_ECX;
}
#else
static bool has_cldemote(void)
{
    return false;
}
#endif

static const char *monitor_name(void)
{
    switch (recip_native_monitor()) {
    case RECIP_MONITOR_UMWAIT:
        return "UMWAIT";
    case RECIP_MONITOR_MWAITX:
        return "MWAITX";
    case RECIP_MONITOR_WFE:
        return "WFE";
    default:
        return "UMWAIT, MWAITX or WFE";
    }
}

const char *recip_cpu_instruction(const struct recip_algorithm *lock)
{
    if (lock->traits & RECIP_MONITORS)
        return monitor_name();
    if (lock->traits & RECIP_DEMOTES)
        return "CLDEMOTE";
    return lock->traits & RECIP_NON_TEMPORAL ? "MOVNTI" : NULL;
}

bool recip_cpu_fits(const struct recip_algorithm *lock)
{
    if (lock->traits & RECIP_MONITORS)
        return recip_native_monitor() != RECIP_MONITOR_NONE;
    if (lock->traits & RECIP_DEMOTES)
        return has_cldemote();
#ifdef __x86_64__
    return true;
#else
    return !(lock->traits & RECIP_NON_TEMPORAL);
#endif
}
