/* SPDX-License-Identifier: MIT */
/* What an access takes, by where its line is: two threads on two CPUs take turns at some lines. Each address needs the
 * result of the access before, so that a core cannot ask for two lines at once. */
#include <math.h>
#include <stdatomic.h>
#include <stdint.h>

#include "cli/clock.h"
#include "port/port.h"
#include "sim/measure/measure.h"

enum { LINES = 64, LINE = 128, MAX_SAMPLES = 101, PATIENCE = 2000 };

/* Of each line: a write where it is, one where the other has written, one where both have read, and one after the
 * first read since the other has written. */
enum { OWN, MODIFIED, SHARED, AFTER_READ, KINDS };

/* A page and a line apart, so that no core fetches the next one by itself. */
static struct {
    _Alignas(LINE) _Atomic(uint64_t) word;
    char apart[4096];
} lines[LINES];

static struct {
    _Alignas(LINE) atomic_uint number;
} turn;

static double taken[KINDS][MAX_SAMPLES];

static void write_lines(void)
{
    uint64_t zero = 0;
    for (unsigned i = 0; i < LINES; i++)
        zero = atomic_exchange(&lines[i * 37 % LINES + zero].word, 0);
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

/* Its part of a sample: write, write, write, read, read. */
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
    read_lines();
    taken[AFTER_READ][nth] = time_of_writes();
    let_other();
    read_lines();
    let_other();
    read_lines();
    let_other();
    taken[SHARED][nth] = time_of_writes();
}

void lines_measure(struct line_times *times, int cpu, int other, unsigned samples)
{
    measure_stay_on(cpu);
    atomic_store(&turn.number, 0);
    pthread_t thread = measure_start(other, other_thread, &samples);
    for (unsigned i = 0; i < samples; i++)
        take_sample(i);
    pthread_join(thread, NULL);
    double own = measure_median(taken[OWN], samples), modified = measure_median(taken[MODIFIED], samples);
    double shared = measure_median(taken[SHARED], samples), after_read = measure_median(taken[AFTER_READ], samples);
    times->transfer = fmax(1, modified - own);
    times->upgrade = fmax(1, shared - own);
    times->migratory = after_read < (own + shared) / 2;
}
