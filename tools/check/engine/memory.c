/* SPDX-License-Identifier: MIT */
#include "check/engine/memory.h"

#include <string.h>

#include "check/engine/clock.h"
#include "check/engine/execution.h"
#include "check/engine/fiber.h"
#include "check/engine/snapshot.h"
#include "check/engine/symmetry.h"

/* A gap behind each block, so that what lies outside of one is not inside of the next. */
enum { ARENA_SIZE = 1 << 16, MAX_LOGGED = 1 << 14, ARENA_ALIGNMENT = 4096, GAP = 16 };

static _Alignas(ARENA_ALIGNMENT) char arenas[CLOCKS][ARENA_SIZE];
static uint8_t written[CLOCKS][ARENA_SIZE / 8]; /* a bit for each byte that has a value */
static size_t arena_used[CLOCKS];

static struct block blocks[MAX_BLOCKS], gone[MAX_BLOCKS];
static unsigned block_count, gone_count;

static struct {
    uintptr_t address;
    uint64_t value;
    unsigned size;
    bool owned; /* by a thread: symmetry.h */
} logged[MAX_LOGGED];
static unsigned logged_count;

/* From address and size to a place in the log: open addressing. An entry of an older generation is empty, and so is one
 * that was logged after the snapshot that is gone on from. */
enum { TABLE_SIZE = MAX_LOGGED * 2 };
static struct {
    uint32_t generation, entry;
} table[TABLE_SIZE];
static uint32_t generation;

static void undo_all(void)
{
    while (logged_count > 0) {
        logged_count--;
        memcpy((void *)logged[logged_count].address, &logged[logged_count].value, logged[logged_count].size);
    }
}

/* Of the bits. */
static size_t bytes_for(size_t used)
{
    return (used + 7) / 8;
}

static void use_arena(unsigned thread, size_t used)
{
    if (used < arena_used[thread]) {
        memset(&arenas[thread][used], 0, arena_used[thread] - used);
        memset(&written[thread][bytes_for(used)], 0, bytes_for(arena_used[thread]) - bytes_for(used));
    }
    arena_used[thread] = used;
}

void memory_reset(void)
{
    undo_all();
    for (unsigned i = 0; i < CLOCKS; i++)
        use_arena(i, 0);
    block_count = 0;
    gone_count = 0;
    generation++;
    symmetry_own(arenas, ARENA_SIZE);
}

static uintptr_t stack_begin;

void memory_begin_stack(const void *frame)
{
    stack_begin = (uintptr_t)frame;
}

/* Of our own, as far as setup and the end will use it. */
static bool is_on_stack(uintptr_t address)
{
    enum { STACK_USED = 1 << 18 };
    return stack_begin - address < STACK_USED;
}

/* Before it changes. */
static void keep(uintptr_t address, unsigned size)
{
    unsigned thread = fiber_of(address);
    if (thread)
        execution_note_written(thread);
    snapshot_keep((void *)address, size);
}

void memory_write(uintptr_t address, unsigned size, uint64_t value)
{
    if (!is_on_stack(address))
        keep(address, size);
    memcpy((void *)address, &value, size);
}

bool memory_log(uintptr_t address, unsigned size)
{
    if (is_on_stack(address))
        return true;
    keep(address, size);
    if (fiber_holds(address) || address - (uintptr_t)arenas < sizeof arenas)
        return true;
    unsigned slot = (unsigned)((address + size) * UINT64_C(0x9e3779b97f4a7c15) >> 40) % TABLE_SIZE;
    for (; table[slot].generation == generation && table[slot].entry < logged_count; slot = (slot + 1) % TABLE_SIZE)
        if (logged[table[slot].entry].address == address && logged[table[slot].entry].size == size)
            return true;
    if (logged_count == MAX_LOGGED)
        return false;
    table[slot].generation = generation;
    table[slot].entry = logged_count;
    logged[logged_count].address = address;
    logged[logged_count].size = size;
    logged[logged_count].owned = symmetry_owned(address);
    logged[logged_count++].value = memory_read(address, size);
    return true;
}

void *memory_allocate(unsigned thread, size_t alignment, size_t size, const void *place)
{
    size_t start = (arena_used[thread] + alignment - 1) & ~(alignment - 1);
    if (alignment > ARENA_ALIGNMENT || size > ARENA_SIZE || start + GAP > ARENA_SIZE - size ||
        block_count == MAX_BLOCKS)
        return NULL;
    use_arena(thread, (start + size + GAP + 7) & ~(size_t)7);
    blocks[block_count++] = (struct block){(uintptr_t)&arenas[thread][start], size, place};
    return &arenas[thread][start];
}

size_t memory_free(uintptr_t address, size_t size)
{
    if (size == 0)
        size = memory_block(address);
    if (size == 0 || gone_count == MAX_BLOCKS)
        return 0;
    gone[gone_count++] = (struct block){address, size, NULL};
    return size;
}

bool memory_is_gone(uintptr_t address, unsigned size)
{
    for (unsigned i = 0; i < gone_count; i++)
        if (address < gone[i].address + gone[i].size && gone[i].address < address + size)
            return true;
    return false;
}

static bool is_allocated(uintptr_t address)
{
    return address - (uintptr_t)arenas < sizeof arenas;
}

bool memory_is_outside(uintptr_t address, unsigned size)
{
    if (!is_allocated(address))
        return false;
    for (unsigned i = 0; i < block_count; i++)
        if (address - blocks[i].address < blocks[i].size)
            return address + size > blocks[i].address + blocks[i].size;
    return true;
}

void memory_note_written(uintptr_t address, unsigned size)
{
    uint8_t *bits = &written[0][0];
    for (; size > 0 && is_allocated(address); address++, size--) {
        uint8_t *byte = &bits[(address - (uintptr_t)arenas) / 8], bit = (uint8_t)(1u << address % 8);
        if (!(*byte & bit))
            snapshot_keep(byte, 1);
        *byte |= bit;
    }
}

bool memory_is_unwritten(uintptr_t address, unsigned size)
{
    const uint8_t *bits = &written[0][0];
    for (; size > 0 && is_allocated(address); address++, size--)
        if (!(bits[(address - (uintptr_t)arenas) / 8] >> address % 8 & 1))
            return true;
    return false;
}

bool memory_is_fresh(uintptr_t address, unsigned size)
{
    return fiber_holds(address) || memory_is_unwritten(address, size);
}

size_t memory_block(uintptr_t address)
{
    for (unsigned i = 0; i < block_count; i++)
        if (blocks[i].address == address)
            return blocks[i].size;
    return 0;
}

unsigned memory_unfreed(struct block unfreed[MAX_BLOCKS])
{
    unsigned count = 0;
    for (unsigned i = 0; i < block_count; i++)
        if (!memory_is_gone(blocks[i].address, 1))
            unfreed[count++] = blocks[i];
    return count;
}

unsigned memory_blocks(void)
{
    struct block unfreed[MAX_BLOCKS];
    return memory_unfreed(unfreed);
}

void memory_each_word(void (*each)(uint64_t word))
{
    for (unsigned i = 0; i < logged_count; i++)
        if (!memory_is_gone(logged[i].address, logged[i].size))
            each(memory_read(logged[i].address & ~(uintptr_t)7, 8));
}

unsigned memory_age(void)
{
    return block_count + gone_count;
}

void memory_digest(struct hash *hash)
{
    const uint64_t GONE = UINT64_C(0x8ebc6af09c88c6e3);
    struct hash all = {0, 0};
    for (unsigned i = 0; i < logged_count; i++) {
        uint64_t value = memory_read(logged[i].address, logged[i].size);
        if (value != logged[i].value || (value && logged[i].owned))
            digest_join_pair(&all, symmetry_word(logged[i].address) ^ (uint64_t)logged[i].size << 56,
                             symmetry_word(value));
    }
    for (unsigned i = 0; i < gone_count; i++)
        digest_join_pair(&all, symmetry_word(gone[i].address), GONE ^ gone[i].size);
    digest_add(hash, all.low);
    digest_add(hash, all.high);
    for (unsigned i = 0; i < CLOCKS; i++) {
        unsigned thread = symmetry_thread(i);
        digest_add(hash, arena_used[thread]);
        symmetry_digest(hash, arenas[thread], (arena_used[thread] + 7) & ~(size_t)7);
        digest_bytes(hash, written[thread], (bytes_for(arena_used[thread]) + 7) & ~(size_t)7);
    }
}

/* The lists only grow: what they held then they still hold. What memory holds is kept when it changes. */
void memory_snapshot(void)
{
    snapshot_bytes(&logged_count, sizeof logged_count);
    snapshot_bytes(&block_count, sizeof block_count);
    snapshot_bytes(&gone_count, sizeof gone_count);
    for (unsigned i = 0; i < CLOCKS; i++) {
        size_t used = arena_used[i];
        snapshot_bytes(&used, sizeof used);
        use_arena(i, used);
    }
}
