/* SPDX-License-Identifier: MIT */
#include "sim/memory.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "sim/machine.h"
#include "sim/must.h"

enum { NODES = MACHINE_MAX_SOCKETS };

/* Address space only: a page exists once it is used. */
#define NODE_BYTES ((size_t)1 << 30)

/* Far from where any system puts anything; the second for small address spaces. */
static const uintptr_t places[] = {UINT64_C(0x500000000000), UINT64_C(0x3000000000)};

static uintptr_t base;
static size_t used[NODES];
static struct range *ranges[NODES];
static size_t counts[NODES], rooms[NODES];

static void reserve(void)
{
    for (size_t i = 0; i < sizeof places / sizeof *places && !base; i++) {
        void *got = mmap((void *)places[i], NODES * NODE_BYTES, PROT_READ | PROT_WRITE,
                         MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE, -1, 0);
        if (got == (void *)places[i])
            base = places[i];
        else if (got != MAP_FAILED)
            munmap(got, NODES * NODE_BYTES);
    }
    if (!base) {
        fputs("recip: no address space for the simulated memory\n", stderr);
        exit(1);
    }
}

/* Threads are abandoned in the middle of a call when a run ends: an address sanitizer would take the next run's use of
 * their stacks for an error. Present only if it is linked. */
void __asan_unpoison_memory_region(const volatile void *address, size_t size) __attribute__((weak));

void memory_reset(void)
{
    if (!base)
        reserve();
    for (unsigned node = 0; node < NODES; node++) {
        if (used[node] && __asan_unpoison_memory_region)
            __asan_unpoison_memory_region((void *)(base + node * NODE_BYTES), used[node]);
        if (used[node])
            madvise((void *)(base + node * NODE_BYTES), used[node], MADV_DONTNEED);
        used[node] = counts[node] = 0;
    }
}

void *memory_new(enum object object, unsigned owner, unsigned home, size_t size, size_t alignment)
{
    size_t start = (used[home] + alignment - 1) / alignment * alignment;
    if (start + size > NODE_BYTES)
        must(NULL);
    used[home] = start + size;
    if (counts[home] == rooms[home]) {
        rooms[home] = rooms[home] ? 2 * rooms[home] : 64;
        ranges[home] = must(realloc(ranges[home], rooms[home] * sizeof **ranges));
    }
    uintptr_t address = base + home * NODE_BYTES + start;
    ranges[home][counts[home]++] = (struct range){address, size, object, owner};
    return (void *)address;
}

unsigned memory_home(uintptr_t address)
{
    return address >= base && address - base < NODES * NODE_BYTES ? (unsigned)((address - base) / NODE_BYTES) : 0;
}

struct range memory_find(uintptr_t address)
{
    unsigned home = memory_home(address);
    size_t low = 0, high = counts[home];
    while (low < high) {
        size_t middle = (low + high) / 2;
        const struct range *range = &ranges[home][middle];
        if (address < range->address)
            high = middle;
        else if (address >= range->address + range->size)
            low = middle + 1;
        else
            return *range;
    }
    return (struct range){address, 0, OBJECT_OTHER, 0};
}
