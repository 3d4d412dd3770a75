/* SPDX-License-Identifier: MIT */
#include "check/engine/graph.h"

#include <string.h>

#include "check/engine/assumptions.h"
#include "check/engine/memory.h"
#include "check/engine/snapshot.h"

struct hash graph_hash, graph_turns;

static struct store stores[MAX_STORES];
static unsigned store_count;

static struct location locations[MAX_LOCATIONS];
static unsigned location_count;

/* From address to location: open addressing. An entry of an older generation is empty, and so is that of a location
 * which was made after the snapshot that is gone on from. */
enum { TABLE_SIZE = MAX_LOCATIONS * 4 };
static struct {
    uint32_t generation;
    uint32_t location;
} table[TABLE_SIZE];
static uint32_t generation;

static uint64_t mix(uint64_t x)
{
    x ^= x >> 32;
    x *= UINT64_C(0xd6e8feb86659fd93);
    x ^= x >> 32;
    x *= UINT64_C(0xd6e8feb86659fd93);
    x ^= x >> 32;
    return x;
}

static struct hash fact(uint64_t a, uint64_t b, uint64_t c, uint64_t d)
{
    uint64_t x = mix(a + UINT64_C(0x9e3779b97f4a7c15));
    x = mix(x + b);
    x = mix(x + c);
    x = mix(x + d);
    return (struct hash){x, mix(x ^ UINT64_C(0x5851f42d4c957f2d)) + (a ^ b << 17 ^ c << 31 ^ d << 47)};
}

void graph_add(uint64_t a, uint64_t b, uint64_t c, uint64_t d)
{
    struct hash hash = fact(a, b, c, d);
    graph_hash.low += hash.low;
    graph_hash.high += hash.high;
}

void graph_subtract(uint64_t a, uint64_t b, uint64_t c, uint64_t d)
{
    struct hash hash = fact(a, b, c, d);
    graph_hash.low -= hash.low;
    graph_hash.high -= hash.high;
}

void graph_add_turn(uint64_t a, uint64_t b, uint64_t c, uint64_t d)
{
    struct hash hash = fact(a, b, c, d);
    graph_turns.low += hash.low;
    graph_turns.high += hash.high;
}

/* The kinds of facts share one hash: the first number tells them apart. The others are in explore.c. */
enum { FACT_BEHIND = 1 };

/* "This store stands right behind that one", put in or taken out. */
static void link_fact(void (*change)(uint64_t, uint64_t, uint64_t, uint64_t), struct store *before, struct store *after)
{
    if (after)
        change(FACT_BEHIND, before->location->address, event_name(before->thread, before->number),
               event_name(after->thread, after->number));
}

void graph_reset(void)
{
    generation++;
    store_count = 0;
    location_count = 0;
    graph_hash = graph_turns = (struct hash){0, 0};
}

static bool is_taken(unsigned slot)
{
    return table[slot].generation == generation && table[slot].location < location_count;
}

static unsigned slot_of(uintptr_t address)
{
    unsigned slot = (unsigned)(mix(address) % TABLE_SIZE);
    while (is_taken(slot) && locations[table[slot].location].address != address)
        slot = (slot + 1) % TABLE_SIZE;
    return slot;
}

struct location *graph_find(uintptr_t address)
{
    unsigned slot = slot_of(address);
    return is_taken(slot) ? &locations[table[slot].location] : NULL;
}

const struct location *graph_locations(unsigned *count)
{
    *count = location_count;
    return locations;
}

static struct store *new_store(struct location *location, unsigned thread, unsigned tick, unsigned number,
                               uint64_t value)
{
    if (store_count == MAX_STORES)
        return NULL;
    struct store *store = &stores[store_count++];
    *store = (struct store){
        .location = location,
        .thread = (uint8_t)thread,
        .tick = (uint16_t)tick,
        .number = (uint16_t)number,
        .value = value,
    };
    memset(store->first_read, 0xff, sizeof store->first_read);
    return store;
}

static unsigned all_bytes(unsigned size)
{
    return (1u << size) - 1;
}

/* Accesses are aligned: of two that have bytes in common the larger one has all of them. */
static void find_mixed(uintptr_t address, unsigned size)
{
    uintptr_t first = address & ~(uintptr_t)7;
    for (uintptr_t other = first; other < first + 8; other++) {
        const struct location *location = graph_find(other);
        if (!location || other + location->size <= address || other >= address + size)
            continue;
        if (location->size > size)
            assumptions_note_mixed(other, location->size);
        else if (location->size < size)
            assumptions_note_mixed(address, size);
    }
}

struct location *graph_location(uintptr_t address, unsigned size)
{
    address = assumptions_word(address, &size);
    unsigned slot = slot_of(address);
    if (is_taken(slot)) {
        if (locations[table[slot].location].size != size)
            find_mixed(address, size);
        return &locations[table[slot].location];
    }
    if (location_count == MAX_LOCATIONS)
        return NULL;
    find_mixed(address, size);
    struct location *location = &locations[location_count];
    struct store *initial = new_store(location, 0, 0, 0, memory_read(address, size));
    if (!initial || !memory_log(address, size))
        return NULL;
    initial->unwritten = memory_is_fresh(address, size);
    initial->bytes = (uint8_t)all_bytes(size);
    *location = (struct location){address, initial, initial, 1, (uint8_t)size};
    table[slot].generation = generation;
    table[slot].location = location_count++;
    return location;
}

void graph_join_message(struct clock *clock, const struct store *store, unsigned bytes)
{
    for (; bytes; store = store->source) {
        if (bytes & store->bytes)
            clock_join(clock, &store->message);
        bytes &= ~(unsigned)store->bytes;
    }
}

struct store *graph_insert(struct store *behind, unsigned thread, unsigned tick, unsigned number, uint64_t value)
{
    struct location *location = behind->location;
    struct store *store = new_store(location, thread, tick, number, value);
    if (!store)
        return NULL;
    link_fact(graph_subtract, behind, behind->after);
    snapshot_keep(location, sizeof *location);
    snapshot_keep(behind, sizeof *behind);
    if (behind->after)
        snapshot_keep(behind->after, sizeof *behind->after);
    store->bytes = (uint8_t)all_bytes(location->size);
    store->before = behind;
    store->after = behind->after;
    behind->after = store;
    if (store->after)
        store->after->before = store;
    else
        location->last = store;
    link_fact(graph_add, behind, store);
    link_fact(graph_add, store, store->after);
    location->count++;
    if (!store->after)
        memory_write(location->address, location->size, value);
    memory_note_written(location->address, location->size);
    return store;
}

void graph_remove(struct store *store)
{
    struct location *location = store->location;
    snapshot_keep(location, sizeof *location);
    snapshot_keep(store, sizeof *store);
    snapshot_keep(store->before, sizeof *store->before);
    if (store->after)
        snapshot_keep(store->after, sizeof *store->after);
    link_fact(graph_subtract, store->before, store);
    link_fact(graph_subtract, store, store->after);
    store->before->after = store->after;
    if (store->after)
        store->after->before = store->before;
    else
        location->last = store->before;
    link_fact(graph_add, store->before, store->after);
    location->count--;
    memory_write(location->address, location->size, location->last->value);
    if (store == &stores[store_count - 1])
        store_count--;
}

void graph_snapshot(void)
{
    snapshot_bytes(&graph_hash, sizeof graph_hash);
    snapshot_bytes(&graph_turns, sizeof graph_turns);
    snapshot_bytes(&store_count, sizeof store_count);
    snapshot_bytes(&location_count, sizeof location_count);
}
