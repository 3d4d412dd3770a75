/* SPDX-License-Identifier: MIT */
/* What one core takes. Each is the fastest of many tries: whatever else happens on the machine makes it slower. */
#include <math.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "cli/clock.h"
#include "cli/mt19937.h"
#include "port/port.h"
#include "sim/measure/measure.h"

/* Turns: of whole states of the generator. */
enum { TURNS = 5 * MT_SIZE, TRIES = 200, LINES = 8 };

static struct {
    _Alignas(128) _Atomic(uint64_t) word;
    volatile uint64_t plain[2];
} lines[LINES];

static double fastest(void (*turns)(void))
{
    double least = INFINITY;
    for (int i = 0; i < TRIES; i++) {
        uint64_t before = nanoseconds_now();
        turns();
        least = fmin(least, (double)(nanoseconds_now() - before));
    }
    return least / TURNS;
}

/* One load and one store of each line, in any order that the core likes. */
static void hit_lines(void)
{
    for (int i = 0; i < TURNS; i++)
#pragma GCC unroll 8
        for (int j = 0; j < LINES; j++) {
            (void)lines[j].plain[1]; /* volatile: the load is made */
            lines[j].plain[0] = 1;
        }
}

static void exchange(void)
{
    for (int i = 0; i < TURNS; i++)
        atomic_exchange_explicit(&lines[0].word, 1, memory_order_seq_cst);
}

/* To as many lines as there are. */
static void exchange_after_stores(void)
{
    for (int i = 0; i < TURNS; i++) {
#pragma GCC unroll 8
        for (int j = 0; j < LINES; j++)
            lines[j].plain[0] = 1;
        atomic_exchange_explicit(&lines[0].word, 1, memory_order_seq_cst);
    }
}

static void relax(void)
{
    for (int i = 0; i < TURNS; i++)
        port_relax();
}

static void look_and_relax(void)
{
    for (int i = 0; i < TURNS; i++) {
        atomic_load_explicit(&lines[0].word, memory_order_acquire);
        port_relax();
    }
}

static void read_clock(void)
{
    for (int i = 0; i < TURNS; i++)
        nanoseconds_now();
}

static void read_counter(void)
{
    uint64_t sum = 0;
    for (int i = 0; i < TURNS; i++)
        sum += ticks_now();
    lines[0].plain[0] = sum;
}

static __attribute__((noinline)) void nothing(void *argument)
{
    __asm__ volatile("" ::"r"(argument) : "memory");
}

static void (*volatile function)(void *) = nothing;

static void call(void)
{
    void (*const called)(void *) = function;
    for (int i = 0; i < TURNS; i += 2) {
        called(lines);
        called(lines + 1);
    }
}

static struct mt19937 generator;

/* Renewals are among them. */
static void step(void)
{
    uint32_t sum = 0;
    for (int i = 0; i < TURNS; i++)
        sum += mt19937_next(&generator);
    lines[0].plain[0] = sum;
}

static double renewal(void)
{
    double least = INFINITY;
    for (int i = 0; i < TRIES; i++) {
        uint64_t before = nanoseconds_now();
        for (int j = 0; j < 10; j++)
            mt19937_twist(&generator);
        least = fmin(least, (double)(nanoseconds_now() - before) / 10);
    }
    return least;
}

/* ---- Memory ---- */

/* Words that point to each other in one circle, a page or so apart, in an area that no cache holds. */
enum { STRIDE = 4096 + 128, WORDS = 64 * 1024, VISITS = 2000 };

static void make_circle(char *area)
{
    static uint32_t order[WORDS];
    uint64_t random = 1;
    for (uint32_t i = 0; i < WORDS; i++)
        order[i] = i;
    for (uint32_t i = WORDS - 1; i > 0; i--) {
        random = random * UINT64_C(6364136223846793005) + 1442695040888963407;
        uint32_t other = (uint32_t)((random >> 33) % i), kept = order[i];
        order[i] = order[other];
        order[other] = kept;
    }
    for (uint32_t i = 0; i < WORDS; i++)
        *(void **)(area + (size_t)order[i] * STRIDE) = area + (size_t)order[(i + 1) % WORDS] * STRIDE;
}

/* The median of visits after each other, since some find their line in a cache still. Zero without memory. */
static double memory(void)
{
    enum { SAMPLES = 31 };
    size_t size = (size_t)WORDS * STRIDE;
    char *area = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (area == MAP_FAILED)
        return 0;
    madvise(area, size, MADV_HUGEPAGE);
    make_circle(area);
    void *volatile *at = (void *volatile *)area;
    double taken[SAMPLES];
    for (int i = 0; i < SAMPLES; i++) {
        uint64_t before = nanoseconds_now();
        for (int j = 0; j < VISITS; j++)
            at = *at;
        taken[i] = (double)(nanoseconds_now() - before) / VISITS;
    }
    munmap(area, size);
    return measure_median(taken, SAMPLES);
}

void core_measure(struct core_times *times)
{
    mt19937_seed(&generator, 1);
    double renewed = renewal();
    double atomic = fastest(exchange);
    *times = (struct core_times){
        .hit = fastest(hit_lines) / (2 * LINES),
        .atomic = atomic,
        .drain = fmax(0, fastest(exchange_after_stores) - atomic) / LINES,
        .pause = fastest(relax),
        .turn = fastest(look_and_relax),
        .clock = fastest(read_clock),
        .counter = fastest(read_counter),
        .step = fmax(0, fastest(step) - renewed / MT_SIZE),
        .renewal = renewed,
        .call = fastest(call),
        .memory = memory(),
    };
}
