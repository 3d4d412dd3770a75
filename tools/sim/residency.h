/* SPDX-License-Identifier: MIT */
/* What an admission order does to threads that share a last-level cache: the model of the paper's appendix "Potential
 * Throughput Benefits from Palindromic Schedule Order". A thread that waited for n admissions of others finds a share
 * of 2^(-n / half-life) of its data still there, and misses the rest. */
#ifndef RECIP_SIM_RESIDENCY_H
#define RECIP_SIM_RESIDENCY_H

#include <stdint.h>

enum residency_order {
    RESIDENCY_FIFO,        /* ABCDE ABCDE */
    RESIDENCY_PALINDROME,  /* ABCDE EDCBA */
    RESIDENCY_PALINDROMIC, /* ABCDE DCB: as a reciprocating lock admits under constant load */
    RESIDENCY_RANDOM,      /* every thread once in each round, in random order */
    RESIDENCY_INDEPENDENT, /* anyone at any time */
    RESIDENCY_ORDERS,
};

extern const char *const residency_words[];

/* Shares that are missed: of all admissions, and of the threads that fare best and worst. */
struct residency {
    double misses, best, worst;
};

struct residency residency_of_trace(const uint16_t *trace, uint64_t length, unsigned threads, double half_life);
struct residency residency_of_order(enum residency_order order, unsigned threads, double half_life, uint64_t seed);

#endif
