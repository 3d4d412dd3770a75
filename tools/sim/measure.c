/* SPDX-License-Identifier: MIT */
/* recip sim --measure: what a write takes here, on two CPUs, by where its line is. The difference to a line that is
 * there to write is the machine's transfer or upgrade.
 *
 * Two threads take turns at a line. The line of an upgrade has been read by both in turn: some processors give the
 * first reader of a modified line the right to write with it. All three kinds alternate, so that whatever else changes
 * on the machine changes for all. Accesses are sequentially consistent: each is done before the next begins, and
 * nothing of a turn falls into another. */
#include "sim/measure.h"

#include <errno.h>
#include <math.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "cli/command.h"

enum { SAMPLES = 501, LINES = 512, LINE = 128, PATIENCE = 2000 };

enum kind { KIND_OWN, KIND_MODIFIED, KIND_SHARED, KINDS };

/* The turns of one sample. The other thread writes first; the timed write is the last. */
enum { TURN_WRITE, TURN_READ, TURN_OTHER_READS, TURN_READ_AGAIN, TURN_OTHER_READS_AGAIN, TURN_TIMED, TURNS };

static struct {
    _Alignas(LINE) atomic_uint turn;
    struct {
        _Alignas(LINE) atomic_uint word;
    } lines[LINES];
    double taken[KINDS][SAMPLES];
} measured;

static bool is_mine(unsigned turn, bool timing)
{
    return timing == (turn == TURN_READ || turn == TURN_READ_AGAIN || turn == TURN_TIMED);
}

static double nanoseconds_of_exchange(atomic_uint *word)
{
    struct timespec before, after;
    clock_gettime(CLOCK_MONOTONIC, &before);
    atomic_exchange(word, 1);
    clock_gettime(CLOCK_MONOTONIC, &after);
    return (double)(after.tv_sec - before.tv_sec) * 1e9 + (double)(after.tv_nsec - before.tv_nsec);
}

static void take_turn(unsigned turn, enum kind kind, unsigned sample, atomic_uint *word)
{
    if (turn == TURN_TIMED)
        measured.taken[kind][sample] = nanoseconds_of_exchange(word);
    else if (turn == TURN_WRITE || (turn == TURN_READ_AGAIN && kind == KIND_OWN))
        atomic_exchange(word, 0);
    else if (kind == KIND_SHARED)
        atomic_load(word);
}

static void take_turns(bool timing)
{
    for (unsigned i = 0; i < KINDS * SAMPLES; i++)
        for (unsigned turn = 0; turn < TURNS; turn++) {
            if (!is_mine(turn, timing))
                continue;
            for (unsigned looks = 0; atomic_load(&measured.turn) != i * TURNS + turn; looks++)
                if (looks > PATIENCE)
                    sched_yield();
            take_turn(turn, i % KINDS, i / KINDS, &measured.lines[i * 37 % LINES].word);
            atomic_store(&measured.turn, i * TURNS + turn + 1);
        }
}

static void *other(void *cpu)
{
    pthread_setaffinity_np(pthread_self(), sizeof(cpu_set_t), cpu);
    take_turns(false);
    return NULL;
}

static int compare(const void *left, const void *right)
{
    double difference = *(const double *)left - *(const double *)right;
    return (difference > 0) - (difference < 0);
}

static double median(enum kind kind)
{
    qsort(measured.taken[kind], SAMPLES, sizeof *measured.taken[kind], compare);
    return measured.taken[kind][SAMPLES / 2];
}

/* A nanosecond at least, as in a machine file: two CPUs may share a cache. */
static double latency(enum kind kind)
{
    return fmax(1, median(kind) - median(KIND_OWN));
}

/* The first two CPUs that this process may run on. */
static void two_cpus(int cpus[2])
{
    cpu_set_t allowed;
    int count = 0;
    if (sched_getaffinity(0, sizeof allowed, &allowed) != 0)
        refuse("--measure: the CPUs that this process may use: %s", strerror(errno));
    for (int cpu = 0; cpu < CPU_SETSIZE && count < 2; cpu++)
        if (CPU_ISSET(cpu, &allowed))
            cpus[count++] = cpu;
    if (count < 2)
        refuse("--measure: this process may use one CPU only; two are needed");
}

void measure(void)
{
    int cpus[2];
    cpu_set_t sets[2];
    pthread_t thread;
    two_cpus(cpus);
    for (unsigned i = 0; i < 2; i++) {
        CPU_ZERO(&sets[i]);
        CPU_SET(cpus[i], &sets[i]);
    }
    pthread_setaffinity_np(pthread_self(), sizeof *sets, &sets[0]);
    int error = pthread_create(&thread, NULL, other, &sets[1]);
    if (error) {
        fprintf(stderr, "recip: --measure: a second thread cannot be started: %s\n", strerror(error));
        exit(STATUS_FAILED);
    }
    take_turns(true);
    pthread_join(thread, NULL);
    printf("# CPUs %d and %d of this machine, medians of %d exchanges less those of a line that is there to write\n",
           cpus[0], cpus[1], SAMPLES);
    printf("transfer = %.0f\nupgrade = %.0f\n", latency(KIND_MODIFIED), latency(KIND_SHARED));
}
