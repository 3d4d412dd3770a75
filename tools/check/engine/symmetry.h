/* SPDX-License-Identifier: MIT */
/* States that differ in nothing but which of the interchangeable threads is which are one. A state is hashed as it
 * would be if those had other numbers: by what each of them does. Where two do the same, either number will do, and
 * some such states are told apart. */
#ifndef RECIP_CHECK_ENGINE_SYMMETRY_H
#define RECIP_CHECK_ENGINE_SYMMETRY_H

#include "check/engine/digest.h"
#include "check/engine/execution.h"

/* Memory belongs to the threads by their numbers: so many bytes each. The same memory again is no more. */
void symmetry_own(const void *memory, size_t stride);

/* Whether two threads are interchangeable: of one body and argument, and not one that another waits for to end. */
bool symmetry_alike(const struct task *task, const struct task *other);

/* Every thread keeps its number. */
void symmetry_none(void);

/* Finds the numbers for the state that the execution is in: `view` hashes what a thread does. */
void symmetry_find(void (*view)(struct hash *hash, const struct task *task));

/* For what follows: of all memory that belongs to threads; and who has which number. */
enum { MAX_RANGES = 8 };
extern struct symmetry {
    uintptr_t lowest, highest;
    unsigned range_count;
    struct {
        uintptr_t start;
        uint32_t stride, size;
    } ranges[MAX_RANGES];
    uint8_t number_of[CLOCKS], thread_of[CLOCKS];
    bool same; /* every thread has its own number */
} symmetry;

/* A thread's number; who has it. */
static inline unsigned symmetry_number(unsigned thread)
{
    return symmetry.number_of[thread];
}

static inline unsigned symmetry_thread(unsigned number)
{
    return symmetry.thread_of[number];
}

/* Which memory of threads an address belongs to; range_count: none. */
static inline unsigned symmetry_range(uintptr_t address)
{
    unsigned i = 0;
    if (address < symmetry.lowest || address >= symmetry.highest)
        return symmetry.range_count;
    while (i < symmetry.range_count && address - symmetry.ranges[i].start >= symmetry.ranges[i].size)
        i++;
    return i;
}

static inline bool symmetry_owned(uintptr_t address)
{
    return symmetry_range(address) < symmetry.range_count;
}

/* A word, an address that belongs to a thread or any other. */
static inline uint64_t symmetry_word(uint64_t word)
{
    unsigned range = symmetry.same ? symmetry.range_count : symmetry_range(word);
    if (range == symmetry.range_count)
        return word;
    uint32_t stride = symmetry.ranges[range].stride;
    unsigned thread = (uint32_t)(word - symmetry.ranges[range].start) / stride;
    return word + (uint64_t)((int64_t)symmetry.number_of[thread] - thread) * stride;
}

/* Adds words, a multiple of eight bytes. */
void symmetry_digest(struct hash *hash, const void *words, size_t size);

#endif
