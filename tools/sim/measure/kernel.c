/* SPDX-License-Identifier: MIT */
/* What the kernel takes, in the terms of the model (docs/sim.md): medians of single calls, and of what they lead to on
 * the same CPU and on another. */
#include <linux/futex.h>
#include <math.h>
#include <stdatomic.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "cli/clock.h"
#include "port/port.h"
#include "sim/measure/measure.h"

/* Yields are few: on a busy machine each may last a slice of another process. */
enum { SAMPLES = 51, CALLS = 100, YIELDS = 3, ASLEEP_AFTER = 200 * 1000, NAP = 50 * 1000 };

static double samples[SAMPLES];

static long wake_one(atomic_uint *word)
{
    return syscall(SYS_futex, word, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0);
}

static void sleep_at(atomic_uint *word, unsigned expected)
{
    syscall(SYS_futex, word, FUTEX_WAIT_PRIVATE, expected, NULL, NULL, 0);
}

static double since(uint64_t before)
{
    return (double)nanoseconds_now() - (double)before;
}

/* The median of batches. */
static double call(void (*of)(void), int calls)
{
    for (int i = 0; i < SAMPLES; i++) {
        uint64_t before = nanoseconds_now();
        for (int j = 0; j < calls; j++)
            of();
        samples[i] = since(before) / calls;
    }
    return measure_median(samples, SAMPLES);
}

static void wake_nobody(void)
{
    static atomic_uint word;
    wake_one(&word);
}

static void yield(void)
{
    sched_yield();
}

static double nap(void)
{
    for (int i = 0; i < SAMPLES; i++) {
        uint64_t before = nanoseconds_now();
        clock_nanosleep(CLOCK_MONOTONIC, 0, &(struct timespec){.tv_nsec = NAP}, NULL);
        samples[i] = since(before) - NAP;
    }
    return measure_median(samples, SAMPLES);
}

/* ---- Two threads ---- */

static struct {
    _Alignas(128) atomic_uint word; /* at which the partner sleeps */
    _Alignas(128) atomic_uint turn;
    _Alignas(128) _Atomic(uint64_t) at; /* when the partner did what is asked for */
} shared;

static void begin(void)
{
    atomic_store(&shared.word, 0);
    atomic_store(&shared.turn, 0);
    atomic_store(&shared.at, 0);
}

/* On one CPU, by yields: the partner's turns are the odd ones. */
static void *yield_in_turn(void *unused)
{
    for (unsigned turn = 1; turn < 2 * SAMPLES * YIELDS; turn += 2) {
        while (atomic_load(&shared.turn) != turn)
            sched_yield();
        atomic_store(&shared.turn, turn + 1);
    }
    return unused;
}

/* From a thread to the other on the same CPU, with the call that leads there. */
static double change_of_thread(int cpu)
{
    begin();
    pthread_t thread = measure_start(cpu, yield_in_turn, NULL);
    for (unsigned turn = 0; turn < 2 * SAMPLES * YIELDS; turn += 2 * YIELDS) {
        uint64_t before = nanoseconds_now();
        for (unsigned i = turn; i < turn + 2 * YIELDS; i += 2) {
            atomic_store(&shared.turn, i + 1);
            while (atomic_load(&shared.turn) != i + 2)
                sched_yield();
        }
        samples[turn / (2 * YIELDS)] = since(before) / (2 * YIELDS);
    }
    pthread_join(thread, NULL);
    return measure_median(samples, SAMPLES);
}

/* Says when it is about to sleep, and sleeps until it is woken. */
static void *sleep_in_turn(void *unused)
{
    for (int i = 0; i < SAMPLES; i++) {
        atomic_store(&shared.at, nanoseconds_now());
        sleep_at(&shared.word, 0);
        atomic_store(&shared.word, 0);
    }
    return unused;
}

/* On one CPU: from the moment when the partner begins to sleep until this thread runs. */
static double sleep_and_change(int cpu)
{
    begin();
    pthread_t thread = measure_start(cpu, sleep_in_turn, NULL);
    for (int i = 0; i < SAMPLES; i++) {
        uint64_t at;
        while ((at = atomic_load(&shared.at)) == 0)
            sched_yield();
        samples[i] = since(at);
        atomic_store(&shared.at, 0);
        atomic_store(&shared.word, 1);
        wake_one(&shared.word);
    }
    pthread_join(thread, NULL);
    return measure_median(samples, SAMPLES);
}

/* Sleeps, and says when it runs again. */
static void *say_when_woken(void *unused)
{
    for (unsigned i = 0; i < SAMPLES; i++) {
        while (atomic_load(&shared.word) == i)
            sleep_at(&shared.word, i);
        atomic_store(&shared.at, nanoseconds_now());
    }
    return unused;
}

static void pass(uint64_t nanoseconds)
{
    uint64_t before = nanoseconds_now();
    while (nanoseconds_now() - before < nanoseconds)
        port_relax();
}

/* Of a thread on another, idle CPU: the call, and from its beginning until that thread runs. */
static void wake_other(int other, double *call_takes, double *until_awake)
{
    static double calls[SAMPLES];
    begin();
    pthread_t thread = measure_start(other, say_when_woken, NULL);
    for (int i = 0; i < SAMPLES; i++) {
        pass(ASLEEP_AFTER);
        atomic_store(&shared.at, 0);
        uint64_t before = nanoseconds_now();
        atomic_store(&shared.word, (unsigned)i + 1);
        wake_one(&shared.word);
        calls[i] = since(before);
        uint64_t at;
        while ((at = atomic_load(&shared.at)) == 0)
            port_relax();
        samples[i] = (double)at - (double)before;
    }
    pthread_join(thread, NULL);
    *call_takes = measure_median(calls, SAMPLES);
    *until_awake = measure_median(samples, SAMPLES);
}

/* Each measured time is a sum of the model's; what is known of it is taken away. */
void kernel_measure(struct kernel_times *times, int cpu, int other)
{
    double call_takes, until_awake;
    measure_stay_on(cpu);
    times->system_call = call(wake_nobody, CALLS);
    times->yield = call(yield, YIELDS);
    times->context_switch = fmax(0, change_of_thread(cpu) - times->yield);
    double half = times->system_call / 2, change = times->context_switch;
    times->nap = fmax(0, nap() - half - change);
    times->park = fmax(0, sleep_and_change(cpu) - half - change);
    wake_other(other, &call_takes, &until_awake);
    times->wake = fmax(0, call_takes - times->system_call);
    times->wake_latency = fmax(0, until_awake - half - times->wake - change);
}
