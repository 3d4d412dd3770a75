/* SPDX-License-Identifier: MIT */
/* A signal at every instruction of the calls: the handler locks another mutex, tries the one that was interrupted, and
 * everything goes on as if nothing had been. The calls are made by a child that is stepped through them. They wait for
 * nobody, which is enough for the slow path too: a timed lock of a mutex that is held, whose time is over. Both sides
 * also put a wake-up off until they release, of a sleeper that is an element and no thread: it has to be woken.
 *
 * The kernel's own code that reads the clock is stepped through without signals: it starts again when the clock has
 * ticked meanwhile.
 */
#include <elf.h>
#include <errno.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <sys/auxv.h>
#include <sys/ptrace.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <unistd.h>

#include <recip.h>

#include "src/waiter.h"

enum { LEAST_STEPS = 300, SKIPPED = 77 };

static recip_mutex_t mutex = RECIP_MUTEX_INIT, held = RECIP_MUTEX_INIT_BOUND(1), other = RECIP_MUTEX_INIT;
static recip_cond_t cond = RECIP_COND_INIT;
static recip_sem_t sem = RECIP_SEM_INIT(0);
static unsigned handled, tried, lost;

/* Who sleeps for a mutex, and whether it was woken. */
struct sleeper {
    recip_mutex_t mutex;
    waiter element;
    bool woken;
};

static struct sleeper sleeper, sleeper_of_handler;

void __real_recip_native_wake(_Atomic(uintptr_t) *word);
void __wrap_recip_native_wake(_Atomic(uintptr_t) *word);

void __wrap_recip_native_wake(_Atomic(uintptr_t) *word)
{
    sleeper.woken |= word == &sleeper.element.gate;
    sleeper_of_handler.woken |= word == &sleeper_of_handler.element.gate;
    __real_recip_native_wake(word);
}

static bool wake_when_released(struct sleeper *one)
{
    *one = (struct sleeper){.mutex = RECIP_MUTEX_INIT, .element = {.gate = GATE_PARKED}};
    recip_mutex_lock(&one->mutex);
    recip_mutex_admit_by_owner(&one->mutex, &one->element);
    recip_mutex_unlock(&one->mutex);
    return one->woken;
}

static unsigned volatile rounds; /* 1 while the first is under way */

static void handle(int signal)
{
    (void)signal;
    int before = errno;
    recip_mutex_lock(&other);
    handled++;
    recip_mutex_unlock(&other);
    lost += !wake_when_released(&sleeper_of_handler);
    if (recip_mutex_trylock(&mutex) == 0) {
        tried++;
        recip_mutex_unlock(&mutex);
    }
    errno = before;
    __asm__ volatile("int3"); /* tells the parent */
}

static bool work(void)
{
    struct timespec past = {0, 0};
    bool good = recip_mutex_clocklock(&held, CLOCK_MONOTONIC, &past) == ETIMEDOUT;
    good &= wake_when_released(&sleeper) && lost == 0;
    good &= recip_sem_clockwait(&sem, CLOCK_MONOTONIC, &past) == ETIMEDOUT;
    good &= recip_sem_post(&sem) == 0 && recip_sem_trywait(&sem) == 0;
    recip_mutex_lock(&mutex);
    good &= recip_mutex_trylock(&mutex) == EBUSY;
    good &= recip_cond_clockwait(&cond, &mutex, CLOCK_MONOTONIC, &past) == ETIMEDOUT;
    recip_cond_signal(&cond);
    recip_mutex_unlock(&mutex);
    return good;
}

/* Stops before each round of work; ends if one was not as it should be. */
static int be_stepped(void)
{
    struct sigaction action = {.sa_handler = handle};
    sigaction(SIGUSR1, &action, NULL);
    recip_mutex_lock(&held);
    if (!work())
        return 1;
    if (ptrace(PTRACE_TRACEME, 0, NULL, NULL) != 0)
        return SKIPPED;
    do {
        kill(getpid(), SIGSTOP);
        rounds++;
    } while (work() && rounds++);
    return 1;
}

static long register_of(pid_t child, size_t offset)
{
    return ptrace(PTRACE_PEEKUSER, child, (void *)offset, NULL);
}

static long rip_of(pid_t child)
{
    return register_of(child, offsetof(struct user, regs.rip));
}

static long rsp_of(pid_t child)
{
    return register_of(child, offsetof(struct user, regs.rsp));
}

/* Lets it go on; whether it stops with that signal. */
static bool go(pid_t child, int how, long deliver, int expected)
{
    int status;
    return ptrace(how, child, NULL, (void *)deliver) == 0 && waitpid(child, &status, 0) == child &&
           WIFSTOPPED(status) && WSTOPSIG(status) == expected;
}

/* One signal where it is now, and back to there: into and out of the system call that ends the handler. */
static bool interrupt(pid_t child)
{
    long stack = rsp_of(child);
    return go(child, PTRACE_CONT, SIGUSR1, SIGTRAP) && go(child, PTRACE_SYSCALL, 0, SIGTRAP) &&
           rsp_of(child) != stack && go(child, PTRACE_SYSCALL, 0, SIGTRAP) && rsp_of(child) == stack;
}

/* The code that the kernel puts into every process, here at the same place as in the child. */
static bool is_in_kernel_code(long rip)
{
    const Elf64_Ehdr *image = (const void *)getauxval(AT_SYSINFO_EHDR);
    if (!image)
        return false;
    const Elf64_Phdr *loaded = (const void *)((const char *)image + image->e_phoff);
    while (loaded->p_type != PT_LOAD)
        loaded++;
    return (unsigned long)rip - (unsigned long)image < loaded->p_memsz;
}

static unsigned value_of(pid_t child, const volatile unsigned *variable)
{
    return (unsigned)ptrace(PTRACE_PEEKDATA, child, variable, NULL);
}

int main(void)
{
    int status = 0;
    pid_t child = fork();
    if (child == 0)
        _exit(be_stepped());
    if (waitpid(child, &status, 0) != child || !WIFSTOPPED(status)) {
        puts("it failed without signals, or ptrace is not allowed here");
        return WIFEXITED(status) ? WEXITSTATUS(status) : 1;
    }
    unsigned steps = 0;
    bool good = true;
    while (good && value_of(child, &rounds) < 2) {
        good = go(child, PTRACE_SINGLESTEP, 0, SIGTRAP);
        if (is_in_kernel_code(rip_of(child)))
            continue;
        good = good && interrupt(child);
        steps++;
    }
    /* It comes to the next round if all was well, and through that. */
    good = good && go(child, PTRACE_CONT, 0, SIGSTOP) && go(child, PTRACE_CONT, 0, SIGSTOP);
    unsigned counted = value_of(child, &handled);
    kill(child, SIGKILL);
    waitpid(child, &status, 0);
    printf("%u steps, %u signals handled\n", steps, counted);
    return good && counted == steps && steps >= LEAST_STEPS ? 0 : 1;
}
