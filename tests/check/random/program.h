/* SPDX-License-Identifier: MIT */
/* Random programs of two to four threads: what they do (run.c), how they are made (make.c), and whether the explorer
 * says the same of them whatever it assumes (compare.c). */
#ifndef RECIP_TESTS_CHECK_RANDOM_PROGRAM_H
#define RECIP_TESTS_CHECK_RANDOM_PROGRAM_H

#include <stdbool.h>
#include <stdint.h>

enum { MAX_OPERATIONS = 6, THREADS = 4, SITES = 4 };

/* READ and WRITE are plain. SKIP_... leaves out the next step, by the last value. SPIN_FOR_BOTH waits for two words.
 * CHOOSE makes the last value one that is chosen, SPIN_CHOOSING waits for as long as that is chosen. */
/* clang-format off */
#define EACH_KIND(KIND) \
    KIND(NOTHING) KIND(LOAD) KIND(STORE) KIND(EXCHANGE) KIND(ADD) KIND(COMPARE) KIND(COMPARE_WEAK) KIND(RETRY) \
    KIND(FENCE) KIND(READ) KIND(WRITE) KIND(SKIP_IF_ZERO) KIND(SKIP_UNLESS_ZERO) KIND(SPIN_UNTIL) \
    KIND(SPIN_WHILE) KIND(SPIN_NOTING) KIND(SPIN_FOR_BOTH) KIND(SPIN_EXCHANGING) KIND(SPIN_COMPARING) KIND(PARK_WHILE) \
    KIND(PARK_UNTIL) KIND(PARK_ONCE) KIND(PARK_TWICE) KIND(PARK_BLINDLY) KIND(PARK_COMPARING) KIND(WAKE) \
    KIND(FREE) KIND(OWN) KIND(LEAVE) KIND(ASSERT) KIND(CHOOSE) KIND(SPIN_CHOOSING) KIND(SIGNAL_FENCE)
/* clang-format on */

#define KIND_ID(id) id,
enum kind { EACH_KIND(KIND_ID) };

struct step {
    uint8_t kind, word, other_word, site;
    uint8_t value, other_value;
    uint8_t order, other_order;
    bool kept; /* what it found is part of the outcome */
};

struct program_text {
    struct step steps[THREADS][MAX_OPERATIONS];
    unsigned threads;
    uint8_t same[THREADS];  /* the thread whose steps it takes */
    uint8_t after[THREADS]; /* 1 + the one that it waits for */
    bool alike;
    bool handled; /* the first thread has a signal handler, which takes these steps */
    struct step handler[MAX_OPERATIONS];
};

extern struct program_text text;

/* Words: 0 and 2 are neighbours, 1 is wide, 3 may be freed, 4 is the first half of 1. Plain ones: 0 and 1 are
 * neighbours, 2 may be freed, 3 is the word 0. */
enum { WORDS = 5, WIDE = 1, HEAP = 3, HALF = 4 };

void make_program(uint64_t seed);

/* For the explorer. */
void set_up(void *unused);
/* Of the execution that has just ended: what the threads kept, and memory. */
uint64_t outcome(void);

uint64_t mix(uint64_t hash, uint64_t value);

#endif
