/* SPDX-License-Identifier: MIT */
/* A function with a stack of its own that can be left and entered again: a thread of the simulator, the checker or the
 * recorder. */
#ifndef RECIP_INSTRUMENT_COROUTINE_H
#define RECIP_INSTRUMENT_COROUTINE_H

#include <stddef.h>

#if (defined(__x86_64__) || defined(__aarch64__)) && !defined(RECIP_PORTABLE_COROUTINES)
#define COROUTINE_HAS_SWAP

struct coroutine {
    void *stack; /* while it is left: the lowest byte of the stack that it uses, where its registers are */
};

void coroutine_swap(void **from, void *to);

/* Leaves the running one, which is `from`, and enters `to`. */
static inline void coroutine_switch(struct coroutine *from, struct coroutine *to)
{
    coroutine_swap(&from->stack, to->stack);
}

#else

#include <setjmp.h>

struct coroutine {
    void *stack;
    jmp_buf registers;
    void *memory; /* of its stack; null from when it is first entered */
    size_t size;
    void (*run)(void);
};

void coroutine_switch(struct coroutine *from, struct coroutine *to);

#endif

/* `run` begins at the next switch to it, and never returns. Again for the same one: begins anew. */
void coroutine_make(struct coroutine *coroutine, void *memory, size_t size, void (*run)(void));

#endif
