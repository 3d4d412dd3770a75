/* SPDX-License-Identifier: MIT */
/* The memory that a client sees: what every execution finds as the first one did.
 *
 * Writes are undone from a log. What a client allocates comes from an
 * arena of the thread that asks, so that an address depends on what that thread did and on nothing else; it is never
 * used twice in one execution, so that an access to freed memory is seen. */
#ifndef RECIP_CHECK_ENGINE_MEMORY_H
#define RECIP_CHECK_ENGINE_MEMORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "check/engine/digest.h"

void memory_reset(void);

/* Setup and the end run on our own stack, below this frame. What they write there is not undone: other frames are there
 * by then. */
void memory_begin_stack(const void *frame);

static inline uint64_t memory_read(uintptr_t address, unsigned size)
{
    uint64_t value = 0;
    const void *memory = (const void *)address;
    if (size == 8)
        memcpy(&value, memory, 8);
    else if (size == 4)
        memcpy(&value, memory, 4);
    else if (size == 1)
        memcpy(&value, memory, 1);
    else
        memcpy(&value, memory, size);
    return value;
}

void memory_write(uintptr_t address, unsigned size, uint64_t value);

/* Before the first store to an atomic, and before each plain write. False if there are too many. */
bool memory_log(uintptr_t address, unsigned size);

/* Null if the thread has used its arena up. `place` is where in the code that was. */
void *memory_allocate(unsigned thread, size_t alignment, size_t size, const void *place);

/* The memory at `address` is gone: `size` bytes, or with size 0 what was allocated there. The size; 0 if it is none. */
size_t memory_free(uintptr_t address, size_t size);

/* Whether an access of that many bytes touches memory that is gone. */
bool memory_is_gone(uintptr_t address, unsigned size);

/* Of all that differs from what every execution finds. The stacks are the fibers'. */
void memory_digest(struct hash *hash);

/* For snapshot.c. */
void memory_snapshot(void);

/* Grows with each block that is allocated, and with each that is gone. */
unsigned memory_age(void);

/* The size of the block that was allocated there; 0 if it is none. How many of them have not been freed. */
size_t memory_block(uintptr_t address);
unsigned memory_blocks(void);

struct block {
    uintptr_t address;
    size_t size;
    const void *place;
};

enum { MAX_BLOCKS = 256 };

/* A copy of those that have not been freed; how many. */
unsigned memory_unfreed(struct block blocks[MAX_BLOCKS]);

/* The words outside blocks and stacks that may have changed since the execution began: calls `each` with what each of
 * them holds, unless it is gone. */
void memory_each_word(void (*each)(uint64_t word));

/* In the memory that is allocated from, but in no block of it. */
bool memory_is_outside(uintptr_t address, unsigned size);

/* Allocated memory has no value until it is written. */
void memory_note_written(uintptr_t address, unsigned size);
bool memory_is_unwritten(uintptr_t address, unsigned size);

/* The same for an atomic that is used for the first time; on a stack nobody knows what was written. */
bool memory_is_fresh(uintptr_t address, unsigned size);

#endif
