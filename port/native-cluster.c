/* SPDX-License-Identifier: MIT */
/* Which cluster the calling thread runs in: the CPUs that have the last level of cache in common. That is a part of a
 * socket on some machines, and a whole one on others. The kernel has it in files, of which one is read for each CPU, by
 * the first thread that asks there. Where they say nothing it is the socket. */
#include "port/native-cpu.h"
#include "port/port.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

/* For CPUs beyond these it is the socket. */
enum { CPUS = 1024 };

/* 0: not known yet. */
enum { IS_SOCKET = 1, IS_CLUSTER = 2 };
static _Atomic(uint16_t) cluster_of_cpu[CPUS];

/* Clusters are as large as the list's first range, as a rule, and so its start counts them. Where the rule does not
 * hold two clusters may have the same number, which costs time and nothing else. A core's threads are two at most on
 * the CPUs that have a cache for each core as their last level. */
int recip_native_cluster_of(const char *list)
{
    enum { CORE = 2 };
    unsigned long start = 0, size = 0, all = 0;
    while (*list >= '0' && *list <= '9') {
        char *rest;
        unsigned long first = strtoul(list, &rest, 10), last = first;
        if (*rest == '-')
            last = strtoul(rest + 1, &rest, 10);
        if (last < first)
            return -1;
        if (!size) {
            start = first;
            size = last - first + 1;
        }
        all += last - first + 1;
        list = rest + (*rest == ',');
    }
    return all > CORE && size > 0 ? (int)(start / size) : -1;
}

/* By syscall: the functions of these names are cancellation points. */
static bool read_file(const char *path, char *text, size_t size)
{
    int file = (int)syscall(SYS_openat, AT_FDCWD, path, O_RDONLY | O_CLOEXEC);
    if (file < 0)
        return false;
    long length = syscall(SYS_read, file, text, size - 1);
    syscall(SYS_close, file);
    text[length > 0 ? length : 0] = '\0';
    return length > 0;
}

static uint16_t ask_kernel(unsigned cpu)
{
    enum { LEVELS = 4 };
    char path[80], list[256];
    int kept = errno, cluster = -1;
    bool read = false;
    for (unsigned level = LEVELS; level-- > 0 && !read;) {
        snprintf(path, sizeof path, "/sys/devices/system/cpu/cpu%u/cache/index%u/shared_cpu_list", cpu, level);
        read = read_file(path, list, sizeof list);
    }
    if (read)
        cluster = recip_native_cluster_of(list);
    errno = kept;
    return cluster < 0 || cluster > UINT16_MAX - IS_CLUSTER ? IS_SOCKET : (uint16_t)(cluster + IS_CLUSTER);
}

unsigned recip_native_cluster(void)
{
    unsigned cpu = recip_native_cpu();
    if (cpu >= CPUS)
        return recip_native_socket();
    /* relaxed, both: every thread that asks there gets the same answer. */
    unsigned known = atomic_load_explicit(&cluster_of_cpu[cpu], memory_order_relaxed);
    if (!known) {
        known = ask_kernel(cpu);
        atomic_store_explicit(&cluster_of_cpu[cpu], (uint16_t)known, memory_order_relaxed);
    }
    return known == IS_SOCKET ? recip_native_socket() : known - IS_CLUSTER;
}
