/* SPDX-License-Identifier: MIT */
/* recip table: the paper's Table 1, "Comparison of lock algorithm properties", a row for each lock. */
#ifndef RECIP_SIM_TABLE_H
#define RECIP_SIM_TABLE_H

#include "zoo/algorithm.h"
#include "sim/machine.h"
#include "sim/release.h"

enum property {
    PROPERTY_SPINNING,
    PROPERTY_CONSTANT_RELEASE,
    PROPERTY_CONTEXT_FREE,
    PROPERTY_FIFO,
    PROPERTY_ACQUIRE,
    PROPERTY_RELEASE,
    PROPERTY_ON_STACK,
    PROPERTY_CIRCULATION,
    PROPERTY_CONSTRUCTOR,
    PROPERTY_REMOTE,
    PROPERTY_INVALIDATIONS,
    PROPERTY_MISSES,
    PROPERTY_REMOTE_MISSES,
    PROPERTY_MOVES,
    PROPERTY_NUMA,
    PROPERTY_BYPASS,
    PROPERTY_SPACE,
    PROPERTIES,
};

/* A word, or a number (word empty), or neither: not measured. */
struct value {
    char word[40];
    double number;
    bool known;
};

struct row {
    const struct recip_algorithm *lock;
    struct value values[PROPERTIES];
    struct release_cost release;
};

/* Where the figures come from. Remote misses need two sockets; the paper counted invalidations on one. */
struct table_setting {
    struct machine invalidations, remote;
    unsigned threads, remote_threads;
    unsigned long long seed;
};

void table_measure(struct row *row, const struct table_setting *setting);

/* What the paper says, or null if it does not have the lock. `threads` is its T. */
bool table_paper(struct row *row, const char *id, unsigned threads, unsigned remote_threads);

/* Whether a measured value is the paper's: words alike; counts of instructions and events within a tenth. */
bool table_same(enum property property, const struct value *measured, const struct value *paper);

struct value value_word(const char *word);
struct value value_number(double number);

#endif
