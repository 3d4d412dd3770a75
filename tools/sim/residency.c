/* SPDX-License-Identifier: MIT */
#include "sim/residency.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

#include "sim/must.h"
#include "sim/random.h"

const char *const residency_words[] = {"(fifo)", "(palindrome)", "(palindromic)", "(random rounds)", "(random)"};

enum { ROUNDS = 1000 };

struct share {
    uint64_t last, admissions;
    double missed;
};

struct residency residency_of_trace(const uint16_t *trace, uint64_t length, unsigned threads, double half_life)
{
    struct share *shares = must(calloc(threads, sizeof *shares)), all = {0};
    for (uint64_t i = 0; i < length; i++) {
        struct share *share = &shares[trace[i]];
        if (share->last) {
            share->missed += 1 - exp2(-(double)(i - share->last) / half_life);
            share->admissions++;
        }
        share->last = i + 1;
    }
    struct residency residency = {.best = 1};
    for (unsigned i = 0; i < threads; i++) {
        double misses = shares[i].missed / (double)shares[i].admissions;
        all.missed += shares[i].missed;
        all.admissions += shares[i].admissions;
        residency.best = fmin(residency.best, misses);
        residency.worst = fmax(residency.worst, misses);
    }
    residency.misses = all.missed / (double)all.admissions;
    free(shares);
    return residency;
}

/* A permutation for the next round. */
static void shuffle(uint16_t *round, unsigned threads, uint64_t *random)
{
    for (unsigned i = 0; i < threads; i++)
        round[i] = (uint16_t)i;
    for (unsigned i = threads; i > 1; i--) {
        unsigned other = (unsigned)random_below(random, i);
        uint16_t kept = round[i - 1];
        round[i - 1] = round[other];
        round[other] = kept;
    }
}

/* The thread at place `at` of a walk up and down over the threads; at the ends it stops twice, or once. */
static uint16_t up_and_down(uint64_t at, unsigned threads, bool once)
{
    unsigned period = once && threads > 2 ? 2 * threads - 2 : 2 * threads;
    unsigned place = (unsigned)(at % period);
    if (place < threads)
        return (uint16_t)place;
    return (uint16_t)(once && threads > 2 ? period - place : 2 * threads - 1 - place);
}

struct residency residency_of_order(enum residency_order order, unsigned threads, double half_life, uint64_t seed)
{
    uint64_t length = (uint64_t)ROUNDS * threads;
    uint16_t *trace = must(calloc(length, sizeof *trace));
    for (uint64_t i = 0; i < length; i++)
        switch (order) {
        case RESIDENCY_PALINDROME:
        case RESIDENCY_PALINDROMIC:
            trace[i] = up_and_down(i, threads, order == RESIDENCY_PALINDROMIC);
            break;
        case RESIDENCY_RANDOM:
            if (i % threads == 0)
                shuffle(&trace[i], threads, &seed);
            break;
        case RESIDENCY_INDEPENDENT:
            trace[i] = (uint16_t)random_below(&seed, threads);
            break;
        default:
            trace[i] = (uint16_t)(i % threads);
        }
    struct residency residency = residency_of_trace(trace, length, threads, half_life);
    free(trace);
    return residency;
}
