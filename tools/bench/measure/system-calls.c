/* SPDX-License-Identifier: MIT */
#include "bench/measure/system-calls.h"

#if defined(__x86_64__) && defined(__linux__)

#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <ucontext.h>
#include <unistd.h>

#ifndef PR_SET_SYSCALL_USER_DISPATCH
#define PR_SET_SYSCALL_USER_DISPATCH 59
#define PR_SYS_DISPATCH_OFF 0
#define PR_SYS_DISPATCH_ON 1
#endif

/* What the kernel looks at before it makes a call of this thread. */
enum { LET_THROUGH = 0, STOP = 1 };

static _Thread_local volatile char gate;
static _Thread_local struct system_calls *counted;

/* The way back from the handler is a system call: the one place from which they are always let through. */
extern const char recip_bench_return[], recip_bench_return_end[];
__asm__(".pushsection .text\n"
        "recip_bench_return:\n"
        "    mov $15, %eax\n" /* rt_sigreturn */
        "    syscall\n"
        "    nop\n"
        "recip_bench_return_end:\n"
        ".popsection\n");

static long make_call(const greg_t *registers)
{
    long answer = registers[REG_RAX];
    register long fourth __asm__("r10") = registers[REG_R10];
    register long fifth __asm__("r8") = registers[REG_R8];
    register long sixth __asm__("r9") = registers[REG_R9];
    __asm__ volatile("syscall"
                     : "+a"(answer)
                     : "D"(registers[REG_RDI]), "S"(registers[REG_RSI]), "d"(registers[REG_RDX]), "r"(fourth),
                       "r"(fifth), "r"(sixth)
                     : "rcx", "r11", "memory");
    return answer;
}

static void on_call(int signal, siginfo_t *information, void *context)
{
    (void)signal;
    greg_t *registers = ((ucontext_t *)context)->uc_mcontext.gregs;
    gate = LET_THROUGH;
    counted->all++;
    counted->futex += information->si_syscall == SYS_futex;
    registers[REG_RAX] = make_call(registers);
    gate = STOP;
}

/* The kernel's form: glibc's sigaction has a way back of its own. */
struct kernel_action {
    void (*handler)(int, siginfo_t *, void *);
    unsigned long flags;
    const char *restorer;
    unsigned long mask;
};

static bool dispatch(unsigned long mode)
{
    if (mode == PR_SYS_DISPATCH_OFF)
        return prctl(PR_SET_SYSCALL_USER_DISPATCH, mode, 0, 0, 0) == 0;
    return prctl(PR_SET_SYSCALL_USER_DISPATCH, mode, recip_bench_return, recip_bench_return_end - recip_bench_return,
                 &gate) == 0;
}

bool system_calls_available(void)
{
    const unsigned long restorer_flag = 0x04000000; /* SA_RESTORER */
    struct kernel_action action = {on_call, SA_SIGINFO | restorer_flag, recip_bench_return, 0};
    if (syscall(SYS_rt_sigaction, SIGSYS, &action, NULL, sizeof action.mask) != 0)
        return false;
    return dispatch(PR_SYS_DISPATCH_ON) && dispatch(PR_SYS_DISPATCH_OFF);
}

void system_calls_begin(struct system_calls *calls)
{
    counted = calls;
    if (!dispatch(PR_SYS_DISPATCH_ON)) {
        perror("recip: prctl");
        abort();
    }
    gate = STOP;
}

void system_calls_end(void)
{
    gate = LET_THROUGH;
    dispatch(PR_SYS_DISPATCH_OFF);
}

#else

bool system_calls_available(void)
{
    return false;
}

void system_calls_begin(struct system_calls *calls)
{
    (void)calls;
}

void system_calls_end(void)
{
}

#endif
