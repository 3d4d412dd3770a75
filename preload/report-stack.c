/* SPDX-License-Identifier: MIT */
/* A report needs about 16 KiB of stack, and a thread may have no more than that in all. So reports have a stack of
 * their own. */
#define RECIP_UNANNOTATED
#include "preload/report.h"

#include <signal.h>
#include <ucontext.h>

enum { STACK_SIZE = 1 << 18 };

static _Alignas(64) unsigned char stack[STACK_SIZE];
static ucontext_t outside, inside;
static void (*print)(void *);
static void *argument;

static void begin(void)
{
    print(argument);
}

void report_on_own_stack(void (*what)(void *), void *of)
{
    if (getcontext(&inside) != 0) {
        what(of);
        return;
    }
    print = what;
    argument = of;
    inside.uc_stack = (stack_t){.ss_sp = stack, .ss_size = sizeof stack};
    inside.uc_link = &outside;
    /* The program's handlers expect to run on a stack of the program's. */
    sigfillset(&inside.uc_sigmask);
    makecontext(&inside, begin, 0);
    swapcontext(&outside, &inside);
}
