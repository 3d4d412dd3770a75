/* makecontext gives a fiber its stack, once; from then on _setjmp and _longjmp switch, which make no system call. */
#include "check/engine/fiber.h"

#include <setjmp.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <ucontext.h>

#include "check/engine/clock.h"
#include "check/engine/snapshot.h"
#include "check/engine/symmetry.h"

enum { STACK_SIZE = 1 << 17, SCRUBBED = 1 << 9 };

static struct fiber {
    char *stack;
    char *lowest, *suspended; /* the end of the frames: of the bottom one, and where the fiber is suspended */
    jmp_buf entry;            /* the bottom of the stack, where every execution begins again */
    jmp_buf self;
    void (*body)(void *argument);
    void *argument;
    bool ended;
} fibers[CLOCKS];

static struct fiber *current;
static jmp_buf scheduler;
static char *stacks;

static void bottom(void)
{
    current->lowest = __builtin_alloca(16);
    _setjmp(current->entry);
    current->body(current->argument);
    current->ended = true;
    _longjmp(scheduler, 1);
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

static void scrub(char *below)
{
    memset(below - SCRUBBED, 0, SCRUBBED);
}

__attribute__((noinline)) void fiber_scrub(void)
{
    char left[SCRUBBED];
    memset(left, 0, sizeof left);
    __asm__ volatile("" : : "r"(left) : "memory");
}

bool fiber_start(unsigned number, void (*body)(void *argument), void *argument)
{
    if (!stacks)
        make_stacks();
    struct fiber *fiber = &fibers[number];
    bool fresh = !fiber->body;
    fiber->body = body;
    fiber->argument = argument;
    fiber->ended = false;
    current = fiber;
    if (_setjmp(scheduler))
        return fibers[number].ended;
    if (!fresh) {
        scrub(fiber->lowest);
        _longjmp(fiber->entry, 1);
    }
    static ucontext_t context;
    getcontext(&context);
    context.uc_stack.ss_sp = fiber->stack;
    context.uc_stack.ss_size = STACK_SIZE;
    context.uc_link = NULL;
    makecontext(&context, bottom, 0);
    setcontext(&context);
    abort();
}

bool fiber_resume(unsigned number)
{
    current = &fibers[number];
    current->ended = false;
    if (_setjmp(scheduler) == 0) {
        scrub(current->suspended);
        _longjmp(current->self, 1);
    }
    return fibers[number].ended;
}

/* Not inlined, so that the address is that of the end of all frames. */
__attribute__((noinline)) void fiber_suspend(void)
{
    __builtin_unwind_init(); /* the registers, too, to the stack */
    current->suspended = __builtin_alloca(16);
    if (_setjmp(current->self) == 0)
        _longjmp(scheduler, 1);
}

void fiber_digest(unsigned number, struct hash *hash)
{
    const struct fiber *fiber = &fibers[number];
    size_t size = (size_t)(fiber->stack + STACK_SIZE - fiber->suspended);
    digest_add(hash, size);
    symmetry_digest(hash, fiber->suspended, size);
}

void fiber_snapshot(unsigned number)
{
    struct fiber *fiber = &fibers[number];
    snapshot_bytes(fiber->self, sizeof fiber->self);
    snapshot_bytes(&fiber->suspended, sizeof fiber->suspended);
    snapshot_bytes(fiber->suspended, (size_t)(fiber->stack + STACK_SIZE - fiber->suspended));
}

bool fiber_holds(uintptr_t address)
{
    return address - (uintptr_t)stacks < (size_t)STACK_SIZE * CLOCKS;
}
