/* SPDX-License-Identifier: MIT */
#include "check/engine/fiber.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "check/engine/clock.h"
#include "check/engine/snapshot.h"
#include "check/engine/symmetry.h"
#include "instrument/coroutine.h"

/* What is unused at the top of a stack decides where in a cache line the frames begin, and so which objects take each
 * other's places on the stack: an address that is used in two ways makes the explorer begin again. 32 of 0 to 48 needs
 * the least time for the mutex's clients: broadcast 2.4 s, where 0 needs 6 s. */
enum { STACK_SIZE = 1 << 17, STACK_UNUSED = 32, SCRUBBED = 1 << 9 };

/* While a fiber is suspended, its registers are on its stack: bytes from coroutine.stack on are all that it is. */
static struct fiber {
    char *stack;
    struct coroutine coroutine;
    void (*body)(void *argument), (*end)(void *argument);
    void *argument;
    bool ended;
} fibers[CLOCKS];

static struct fiber *current;
static struct coroutine scheduler;
static char *stacks;

static void bottom(void)
{
    current->body(current->argument);
    current->end(current->argument);
    current->ended = true;
    coroutine_switch(&current->coroutine, &scheduler);
    abort();
}

static void make_stacks(void)
{
    stacks = mmap(NULL, (size_t)STACK_SIZE * CLOCKS, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (stacks == MAP_FAILED)
        abort();
    for (int i = 0; i < CLOCKS; i++)
        fibers[i].stack = stacks + (size_t)i * STACK_SIZE;
    symmetry_own(stacks, STACK_SIZE);
    symmetry_own(fibers, sizeof fibers[0]);
}

static size_t used(const struct fiber *fiber)
{
    return (size_t)(fiber->stack + STACK_SIZE - (char *)fiber->coroutine.stack);
}

__attribute__((noinline)) void fiber_scrub(void)
{
    char left[SCRUBBED];
    memset(left, 0, sizeof left);
    __asm__ volatile("" : : "r"(left) : "memory");
}

/* Below its frames is what calls that have returned, or the execution before, left there. */
static bool go_on(struct fiber *fiber)
{
    memset((char *)fiber->coroutine.stack - SCRUBBED, 0, SCRUBBED);
    fiber->ended = false;
    current = fiber;
    coroutine_switch(&scheduler, &fiber->coroutine);
    return fiber->ended;
}

bool fiber_start(unsigned number, void (*body)(void *argument), void (*end)(void *argument), void *argument)
{
    if (!stacks)
        make_stacks();
    struct fiber *fiber = &fibers[number];
    fiber->body = body;
    fiber->end = end;
    fiber->argument = argument;
    coroutine_make(&fiber->coroutine, fiber->stack, STACK_SIZE - STACK_UNUSED, bottom);
    return go_on(fiber);
}

bool fiber_resume(unsigned number)
{
    return go_on(&fibers[number]);
}

void fiber_suspend(void)
{
    coroutine_switch(&current->coroutine, &scheduler);
}

static bool uses_registers;

/* Called by code that was compiled so: explored.h. */
void recip_check_uses_registers(void);
void recip_check_uses_registers(void)
{
    uses_registers = true;
}

/* The bytes that count; how many. */
static size_t relevant(const struct fiber *fiber, const void *frame, const char **bytes)
{
    *bytes = frame && !uses_registers ? frame : (const char *)fiber->coroutine.stack;
    return (size_t)(fiber->stack + STACK_SIZE - *bytes);
}

size_t fiber_relevant(unsigned number, const void *frame, const char **bytes)
{
    return relevant(&fibers[number], frame, bytes);
}

unsigned fiber_of(uintptr_t address)
{
    return fiber_holds(address) ? (unsigned)((address - (uintptr_t)stacks) / STACK_SIZE) : 0;
}

void fiber_digest(unsigned number, const void *frame, struct hash *hash)
{
    const char *bytes;
    size_t size = relevant(&fibers[number], frame, &bytes);
    digest_add(hash, size);
    symmetry_digest(hash, bytes, size);
}

void fiber_digest_as_it_is(unsigned number, const void *frame, struct hash *hash)
{
    const char *bytes;
    size_t size = relevant(&fibers[number], frame, &bytes);
    digest_bytes(hash, bytes, size);
}

void fiber_keep(unsigned number)
{
    struct fiber *fiber = &fibers[number];
    snapshot_keep(fiber->coroutine.stack, used(fiber));
    snapshot_keep(&fiber->coroutine, sizeof fiber->coroutine);
}

bool fiber_holds(uintptr_t address)
{
    return address - (uintptr_t)stacks < (size_t)STACK_SIZE * CLOCKS;
}

bool fiber_holds_on(unsigned number, uintptr_t address)
{
    return address - (uintptr_t)fibers[number].stack < STACK_SIZE;
}
