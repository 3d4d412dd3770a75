/* SPDX-License-Identifier: MIT */
/* Unwinding is GCC's, which is linked into this library, so that the program gets no other one by it. It allocates
 * nothing, and takes no lock of the program's. A frame costs half a microsecond or so; hence the share. */
#define RECIP_UNANNOTATED
#include "preload/stack.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <string.h>
#include <sys/mman.h>
#include <unwind.h>

#include "port/port.h"
#include "preload/loaded-modules.h"

enum { MAX_STACKS = 1 << 14, MAX_PROBES = 64 };

/* A slot is taken by its hash, and readable once it has a count. */
struct slot {
    _Atomic(uint64_t) hash;
    _Atomic(uint32_t) ready;
    struct stack stack;
};

static struct slot *slots; /* address space for all of them; pages come with use */

void stack_start(void)
{
    void *memory = mmap(NULL, MAX_STACKS * sizeof *slots, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    slots = memory == MAP_FAILED ? NULL : memory;
}

/* ---- The table ---- */

static uint64_t hash_of(const struct stack *stack)
{
    uint64_t hash = 1;
    for (uint32_t i = 0; i < stack->count; i++)
        hash = (hash ^ (uintptr_t)stack->frames[i]) * UINT64_C(0x9e3779b97f4a7c15) + (hash >> 29);
    return hash ? hash : 1;
}

/* The number of the stack, which is put into the table if it is not there. Two stacks of one hash count as one. */
static uint32_t number_of(const struct stack *stack)
{
    if (!slots || !stack->count)
        return 0;
    uint64_t hash = hash_of(stack);
    for (uint32_t i = 0; i < MAX_PROBES; i++) {
        uint32_t number = (uint32_t)(hash + i) % (MAX_STACKS - 1) + 1;
        struct slot *slot = &slots[number];
        uint64_t there = atomic_load_explicit(&slot->hash, memory_order_relaxed);
        if (there == 0 && atomic_compare_exchange_strong_explicit(&slot->hash, &there, hash, memory_order_relaxed,
                                                                  memory_order_relaxed)) {
            slot->stack = *stack;
            for (uint32_t frame = 0; frame < stack->count; frame++)
                loaded_module_note(stack->frames[frame]);
            /* release: with the acquire in stack_of. */
            atomic_store_explicit(&slot->ready, 1, memory_order_release);
            return number;
        }
        if (there == hash)
            return number;
    }
    return 0;
}

const struct stack *stack_of(uint32_t number)
{
    if (!slots || !number || !atomic_load_explicit(&slots[number].ready, memory_order_acquire))
        return NULL;
    return &slots[number].stack;
}

/* ---- Unwinding ---- */

/* Where this library begins and ends: names of the linker's. */
extern const char __ehdr_start[] __attribute__((visibility("hidden")));
extern const char _end[] __attribute__((visibility("hidden")));

static bool is_ours(const void *address)
{
    return (uintptr_t)address >= (uintptr_t)__ehdr_start && (uintptr_t)address < (uintptr_t)_end;
}

static _Unwind_Reason_Code add_frame(struct _Unwind_Context *context, void *of)
{
    struct stack *stack = of;
    const void *address = (const void *)_Unwind_GetIP(context);
    if (!address || stack->count == STACK_FRAMES)
        return _URC_END_OF_STACK;
    if (stack->count || !is_ours(address))
        stack->frames[stack->count++] = address;
    return _URC_NO_REASON;
}

uint32_t stack_of_site(const void *site)
{
    return site ? number_of(&(struct stack){1, {site}}) : 0;
}

uint32_t stack_take_whole(const void *site)
{
    struct stack stack = {0};
    _Unwind_Backtrace(add_frame, &stack);
    if (!stack.count && site)
        stack = (struct stack){1, {site}};
    return number_of(&stack);
}

/* All threads together unwind for a SHARE of the time at most, in the long run; at the start for a little longer. */
enum { SHARE = 128, HEAD_START = 1 << 25 };

static _Atomic(int64_t) ticks_spent;

static bool may_unwind(void)
{
    static _Atomic(int64_t) began;
    int64_t now = port_ticks(), start = 0;
    if (atomic_compare_exchange_strong_explicit(&began, &start, now, memory_order_relaxed, memory_order_relaxed))
        start = now;
    int64_t spent = atomic_load_explicit(&ticks_spent, memory_order_relaxed);
    return (spent - HEAD_START) * SHARE < now - start;
}

/* A site in this library (mtx_lock calls pthread_mutex_lock) says nothing about the program. */
uint32_t stack_take(const void *site)
{
    if (!may_unwind() && !is_ours(site))
        return stack_of_site(site);
    int64_t start = port_ticks();
    uint32_t number = stack_take_whole(site);
    atomic_fetch_add_explicit(&ticks_spent, port_ticks() - start, memory_order_relaxed);
    return number;
}
