/* A function with a stack of its own that can be left and entered again. */
#ifndef RECIP_SIM_COROUTINE_H
#define RECIP_SIM_COROUTINE_H

#include <stddef.h>

#if !defined(__x86_64__) && !defined(__aarch64__)
#include <ucontext.h>
struct coroutine {
    ucontext_t context;
};
#else
struct coroutine {
    void *stack; /* where its registers lie while it is left */
};
#endif

/* `run` never returns. */
void coroutine_make(struct coroutine *coroutine, void *stack, size_t size, void (*run)(void));

/* Leaves the running one, which is `from`, and enters `to`. */
void coroutine_switch(struct coroutine *from, struct coroutine *to);

#endif
