/* SPDX-License-Identifier: MIT */
/* Waiting by the CPU's monitor: each kind that this architecture has, also those that this CPU lacks. An instruction
 * that it lacks is a signal here, which stands in for it: it notes what is watched, and that the thread would rest. */
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <string.h>

#include "port/native-cpu.h"
#include "port/native.h"
#include "tests/support/test.h"

static const enum recip_monitor kinds[] = {
    RECIP_MONITOR_NONE,
#if defined(__x86_64__)
    RECIP_MONITOR_UMWAIT,
    RECIP_MONITOR_MWAITX,
#elif defined(__aarch64__)
    RECIP_MONITOR_WFE,
#endif
};

enum { KINDS = sizeof kinds / sizeof *kinds };

/* Of the calling thread, as the signal's handler knows it. */
static _Thread_local uintptr_t watched;
static _Thread_local unsigned watches, rests, wrong;

#if defined(__x86_64__)
#include <ucontext.h>

static _Thread_local uint64_t begun; /* a rest ends later than this; it may end before the handler runs */

static bool is_at(const greg_t *registers, const char *code, size_t size)
{
    return memcmp((const void *)registers[REG_RIP], code, size) == 0;
}

static void watch(greg_t *registers, int size)
{
    watches++;
    watched = (uintptr_t)registers[REG_RAX];
    registers[REG_RIP] += size;
}

static void rest(greg_t *registers, int size, bool right)
{
    rests++;
    wrong += !right;
    registers[REG_RIP] += size;
}

static void stand_in(int signal_number, siginfo_t *information, void *of)
{
    greg_t *registers = ((ucontext_t *)of)->uc_mcontext.gregs;
    uint64_t until = (uint64_t)(uint32_t)registers[REG_RDX] << 32 | (uint32_t)registers[REG_RAX];
    (void)information;
    if (is_at(registers, "\xf3\x0f\xae\xf0", 4)) /* umonitor %rax */
        watch(registers, 4);
    else if (is_at(registers, "\x0f\x01\xfa", 3)) /* monitorx */
        watch(registers, 3);
    else if (is_at(registers, "\xf2\x0f\xae\xf1", 4)) /* umwait %ecx; more than bit 0 of it is a fault */
        rest(registers, 4, (uint32_t)registers[REG_RCX] <= 1 && until > begun);
    else if (is_at(registers, "\x0f\x01\xfb", 3)) /* mwaitx; bit 1 of ecx says that ebx is the longest time */
        rest(registers, 3, (uint32_t)registers[REG_RCX] == 2 && (uint32_t)registers[REG_RBX] > 0);
    else
        signal(signal_number, SIG_DFL);
}

static void stand_in_for_instructions(void)
{
    struct sigaction action = {.sa_sigaction = stand_in, .sa_flags = SA_SIGINFO};
    begun = __builtin_ia32_rdtsc();
    assert_int_equal(sigaction(SIGILL, &action, NULL), 0);
}
#else
static void stand_in_for_instructions(void)
{
}
#endif

/* In each test: cmocka has a handler of its own between tests. */
static void use(enum recip_monitor kind)
{
    stand_in_for_instructions();
    recip_native_use_monitor(kind);
    assert_int_equal(recip_native_monitor(), kind);
}

/* It watches the word, and looks at it before it rests: a rest that begins after the write might not end. */
static void rests_only_while_it_is_as_seen(void **state)
{
    _Atomic(uintptr_t) word;
    (void)state;
    for (unsigned i = 0; i < KINDS; i++) {
        use(kinds[i]);
        watches = rests = wrong = 0;
        atomic_store(&word, 1);
        port_relax_at(&word, 1);
        if (!watches)
            continue; /* the CPU has it, or there is nothing to have */
        assert_int_equal(watches, 1);
        assert_int_equal(rests, 1);
        assert_int_equal(wrong, 0);
        assert_int_equal(watched, (uintptr_t)&word);
        port_relax_at(&word, 2);
        assert_int_equal(watches, 2);
        assert_int_equal(rests, 1);
    }
}

/* What is not there is not executed. */
static void spins_without(void **state)
{
    _Atomic(uintptr_t) word = 1;
    (void)state;
    use(RECIP_MONITOR_NONE);
    watches = rests = 0;
    port_relax_at(&word, 1);
    port_relax_at(&word, 0);
    assert_int_equal(watches + rests, 0);
}

struct visitors {
    const struct recip_algorithm *lock;
    void *memory;
    unsigned inside, meetings, visits;
};

enum { ROUNDS = 200 }; /* a signal in each turn, where the CPU lacks the instruction */

static void visit(void *of, unsigned index)
{
    struct visitors *visitors = of;
    struct recip_any_context context;
    (void)index;
    for (unsigned round = 0; round < REPEAT(ROUNDS); round++) {
        visitors->lock->acquire(visitors->memory, &context);
        visitors->meetings += ++visitors->inside != 1;
        if (round % 8 == 0)
            sched_yield();
        visitors->visits++;
        visitors->inside--;
        visitors->lock->release(visitors->memory, &context);
    }
}

static bool monitors(const struct recip_algorithm *lock)
{
    return lock->traits & RECIP_MONITORS;
}

static void is_a_lock_with_each(const struct recip_algorithm *lock)
{
    for (unsigned i = 0; i < KINDS; i++) {
        struct visitors visitors = {.lock = lock, .memory = new_lock(lock)};
        use(kinds[i]);
        run_crew(2, visit, &visitors);
        assert_int_equal(visitors.meetings, 0);
        assert_int_equal(visitors.visits, 2 * REPEAT(ROUNDS));
        free_lock(lock, visitors.memory);
    }
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rests_only_while_it_is_as_seen),
        cmocka_unit_test(spins_without),
    };
    return cmocka_run_group_tests(tests, NULL, NULL) +
           run_for_each_lock("a lock with each monitor", is_a_lock_with_each, monitors, argc, argv);
}
