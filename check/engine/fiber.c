/* makecontext gives a fiber its stack, once; from then on _setjmp and _longjmp switch, which make no system call. */
#include "check/engine/fiber.h"

#include <setjmp.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <ucontext.h>

#include "check/engine/clock.h"

enum { STACK_SIZE = 1 << 17 };

static struct fiber {
    char *stack;
    jmp_buf entry; /* the bottom of the stack, where every execution begins again */
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
    if (!fresh)
        _longjmp(fiber->entry, 1);
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
    if (_setjmp(scheduler) == 0)
        _longjmp(current->self, 1);
    return fibers[number].ended;
}

void fiber_suspend(void)
{
    if (_setjmp(current->self) == 0)
        _longjmp(scheduler, 1);
}

bool fiber_holds(uintptr_t address)
{
    return address - (uintptr_t)stacks < (size_t)STACK_SIZE * CLOCKS;
}
