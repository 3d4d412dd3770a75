/* SPDX-License-Identifier: MIT */
/* What an access takes, by where its line is: two threads on two CPUs take turns at some lines. Each address needs the
 * result of the access before, so that a core cannot ask for two lines at once. */
#include <math.h>
#include <stdatomic.h>
#include <stdint.h>

#include "cli/clock.h"
#include "port/port.h"
#include "sim/measure/measure.h"

enum { LINES = 64, LINE = 128, MAX_SAMPLES = 101, PATIENCE = 2000, HANDOVERS = 50 };

/* Of each line: a write where it is, one where the other has written, one where both have read, one after the first
 * read since the other has written; that read, and the next one. And a handover to a thread that spins. */
enum { OWN, MODIFIED, SHARED, AFTER_READ, FETCHED, READ_AGAIN, HANDOVER, KINDS };

/* A page and a line apart, so that no core fetches the next one by itself. */
static struct {
    _Alignas(LINE) _Atomic(uint64_t) word;
    char apart[4096];
} lines[LINES];

static struct {
    _Alignas(LINE) atomic_uint number;
} turn;

/* How often each of the two has handed over, in a line that the other spins at. */
static struct {
    _Alignas(LINE) atomic_uint count;
} handed[2];

static double taken[KINDS][MAX_SAMPLES];

/* A core may go on with what an exchange has read before it has the right to write (Zen 5 does, with 64 of them at a
 * time). Here it waits; OWN has that in it too. */
static inline void wait_for_right(void)
{
#if defined(__x86_64__)
    __builtin_ia32_lfence();
#endif
}

static void write_lines(void)
{
    uint64_t zero = 0;
    for (unsigned i = 0; i < LINES; i++) {
        zero = atomic_exchange(&lines[i * 37 % LINES + zero].word, 0);
        wait_for_right();
    }
}

static void read_lines(void)
{
    uint64_t zero = 0;
    for (unsigned i = 0; i < LINES; i++)
        zero = atomic_load(&lines[i * 37 % LINES + zero].word);
}

static double time_of_writes(void)
{
    uint64_t before = nanoseconds_now();
    write_lines();
    return (double)(nanoseconds_now() - before) / LINES;
}

static double time_of_reads(void)
{
    uint64_t before = nanoseconds_now();
    read_lines();
    return (double)(nanoseconds_now() - before) / LINES;
}

/* The CPUs may be one and the same to the host: so yield in the end. */
static void await(unsigned number)
{
    for (unsigned looks = 0; atomic_load(&turn.number) != number; looks++)
        if (looks > PATIENCE)
            sched_yield();
        else
            port_relax();
}

/* The other thread does its part, and it is this one's turn again. */
static void let_other(void)
{
    unsigned number = atomic_load(&turn.number) + 1;
    atomic_store(&turn.number, number);
    await(number + 1);
}

static void hand_over(unsigned to, unsigned count)
{
    atomic_store_explicit(&handed[to].count, count, memory_order_release);
}

static void await_handover(unsigned to, unsigned count)
{
    for (unsigned looks = 0; atomic_load_explicit(&handed[to].count, memory_order_acquire) != count; looks++)
        if (looks > PATIENCE)
            sched_yield();
        else
            port_relax();
}

/* From thread to thread and back, so often. */
static double time_of_handover(unsigned nth)
{
    uint64_t before = nanoseconds_now();
    for (unsigned i = 1; i <= HANDOVERS; i++) {
        hand_over(1, nth * HANDOVERS + i);
        await_handover(0, nth * HANDOVERS + i);
    }
    return (double)(nanoseconds_now() - before) / (2 * HANDOVERS);
}

static void return_handovers(unsigned nth)
{
    for (unsigned i = 1; i <= HANDOVERS; i++) {
        await_handover(1, nth * HANDOVERS + i);
        hand_over(0, nth * HANDOVERS + i);
    }
}

/* Its part of a sample: write, write, write, read, read; and it hands over what it is handed. */
static void *other_thread(void *samples)
{
    unsigned number = 1;
    for (unsigned i = 0; i < *(unsigned *)samples; i++)
        for (unsigned part = 0; part < 5; part++, number += 2) {
            await(number);
            if (part < 3)
                write_lines();
            else
                read_lines();
            if (part == 4)
                return_handovers(i);
            atomic_store(&turn.number, number + 1);
        }
    return NULL;
}

static void take_sample(unsigned nth)
{
    let_other();
    taken[MODIFIED][nth] = time_of_writes();
    taken[OWN][nth] = time_of_writes();
    let_other();
    taken[FETCHED][nth] = time_of_reads();
    taken[READ_AGAIN][nth] = time_of_reads();
    taken[AFTER_READ][nth] = time_of_writes();
    let_other();
    read_lines();
    let_other();
    read_lines();
    unsigned number = atomic_load(&turn.number) + 1;
    atomic_store(&turn.number, number);
    taken[HANDOVER][nth] = time_of_handover(nth);
    await(number + 1);
    taken[SHARED][nth] = time_of_writes();
}

void lines_measure(struct line_times *times, int cpu, int other, unsigned samples)
{
    measure_stay_on(cpu);
    atomic_store(&turn.number, 0);
    hand_over(0, 0);
    hand_over(1, 0);
    pthread_t thread = measure_start(other, other_thread, &samples);
    for (unsigned i = 0; i < samples; i++)
        take_sample(i);
    pthread_join(thread, NULL);
    double own = measure_median(taken[OWN], samples), modified = measure_median(taken[MODIFIED], samples);
    double shared = measure_median(taken[SHARED], samples), after_read = measure_median(taken[AFTER_READ], samples);
    times->transfer = fmax(1, modified - own);
    times->fetch = fmax(1, measure_median(taken[FETCHED], samples) - measure_median(taken[READ_AGAIN], samples));
    times->handover = measure_median(taken[HANDOVER], samples);
    times->upgrade = fmax(1, shared - own);
    times->migratory = after_read < (own + shared) / 2;
}
