/* SPDX-License-Identifier: MIT */
/* A switch is two dozen instructions on the CPUs that have one here, and _setjmp and _longjmp on others; swapcontext
 * would make two system calls, for the signal mask. */
#undef _FORTIFY_SOURCE /* its longjmp takes another stack for an error */
#include "instrument/coroutine.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <ucontext.h>

#if !defined(COROUTINE_HAS_SWAP)

void coroutine_make(struct coroutine *coroutine, void *memory, size_t size, void (*run)(void))
{
    *coroutine = (struct coroutine){.stack = (char *)memory + size, .memory = memory, .size = size, .run = run};
}

static void begin(struct coroutine *coroutine)
{
    static ucontext_t context;
    getcontext(&context);
    context.uc_stack.ss_sp = coroutine->memory;
    context.uc_stack.ss_size = coroutine->size;
    context.uc_link = NULL;
    makecontext(&context, coroutine->run, 0);
    coroutine->memory = NULL;
    setcontext(&context);
    abort();
}

/* Not inlined, so that what it allocates last is the end of all frames. */
__attribute__((noinline)) void coroutine_switch(struct coroutine *from, struct coroutine *to)
{
    __builtin_unwind_init(); /* the registers, too, to the stack */
    from->stack = __builtin_alloca(16);
    if (_setjmp(from->registers))
        return;
    if (to->memory)
        begin(to);
    _longjmp(to->registers, 1);
}

#elif defined(__x86_64__)

/* The registers that a function keeps for its caller, then the stack. */
__asm__(".text\n"
        ".globl coroutine_swap\n"
        ".type coroutine_swap, @function\n"
        "coroutine_swap:\n"
        "    pushq %rbp\n"
        "    pushq %rbx\n"
        "    pushq %r12\n"
        "    pushq %r13\n"
        "    pushq %r14\n"
        "    pushq %r15\n"
        "    movq %rsp, (%rdi)\n"
        "    movq %rsi, %rsp\n"
        "    popq %r15\n"
        "    popq %r14\n"
        "    popq %r13\n"
        "    popq %r12\n"
        "    popq %rbx\n"
        "    popq %rbp\n"
        "    ret\n"
        ".size coroutine_swap, . - coroutine_swap\n");

enum { SAVED_WORDS = 8, RETURN_WORD = 6 };

#elif defined(__aarch64__)

__asm__(".text\n"
        ".globl coroutine_swap\n"
        ".type coroutine_swap, %function\n"
        "coroutine_swap:\n"
        "    sub sp, sp, #160\n"
        "    stp x19, x20, [sp, #0]\n"
        "    stp x21, x22, [sp, #16]\n"
        "    stp x23, x24, [sp, #32]\n"
        "    stp x25, x26, [sp, #48]\n"
        "    stp x27, x28, [sp, #64]\n"
        "    stp x29, x30, [sp, #80]\n"
        "    stp d8, d9, [sp, #96]\n"
        "    stp d10, d11, [sp, #112]\n"
        "    stp d12, d13, [sp, #128]\n"
        "    stp d14, d15, [sp, #144]\n"
        "    mov x9, sp\n"
        "    str x9, [x0]\n"
        "    mov sp, x1\n"
        "    ldp x19, x20, [sp, #0]\n"
        "    ldp x21, x22, [sp, #16]\n"
        "    ldp x23, x24, [sp, #32]\n"
        "    ldp x25, x26, [sp, #48]\n"
        "    ldp x27, x28, [sp, #64]\n"
        "    ldp x29, x30, [sp, #80]\n"
        "    ldp d8, d9, [sp, #96]\n"
        "    ldp d10, d11, [sp, #112]\n"
        "    ldp d12, d13, [sp, #128]\n"
        "    ldp d14, d15, [sp, #144]\n"
        "    add sp, sp, #160\n"
        "    ret\n"
        ".size coroutine_swap, . - coroutine_swap\n");

enum { SAVED_WORDS = 20, RETURN_WORD = 11 };

#endif

#ifdef COROUTINE_HAS_SWAP

/* At the top of the stack: the registers as the first switch finds them, the return address leading to `run`. On x86-64
 * the stack is then as after a call: eight bytes off a multiple of sixteen. */
void coroutine_make(struct coroutine *coroutine, void *memory, size_t size, void (*run)(void))
{
    uintptr_t *top = (uintptr_t *)(((uintptr_t)memory + size) & ~(uintptr_t)15);
    uintptr_t *saved = top - SAVED_WORDS;
    memset(saved, 0, SAVED_WORDS * sizeof *saved);
    saved[RETURN_WORD] = (uintptr_t)run;
    coroutine->stack = saved;
}

#endif
