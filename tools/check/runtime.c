/* SPDX-License-Identifier: MIT */
/* The checker's side of the instrumentation: every access becomes an operation of the engine. And the entry point of
 * -fsanitize-coverage=trace-pc. */
#include "check/runtime.h"

#include <stdbool.h>
#include <string.h>

#include "check/engine/engine.h"
#include "check/engine/memory.h"
#include "instrument/instrument.h"

/* Sites and blocks: sets of places, by open addressing, of one lock at a time, which has a few hundred. */
enum { SITES = 1 << 13, BLOCKS = 1 << 12, MAX_WEAKENED = 256 };

static struct site site_table[SITES], site_list[SITES];
static bool noting;

static const void *weakened[MAX_WEAKENED];
static size_t weakened_count;
static char weakened_kind;
static int weakened_order;

static unsigned slot_of(const void *place, unsigned size)
{
    return (unsigned)((uintptr_t)place * UINT64_C(0x9e3779b97f4a7c15) >> 40) % size;
}

static void note_site(const void *place, int order, char kind)
{
    if (!noting)
        return;
    unsigned slot = slot_of(place, SITES);
    while (site_table[slot].place && (site_table[slot].place != place || site_table[slot].kind != kind))
        slot = (slot + 1) % SITES;
    site_table[slot] = (struct site){place, order, kind};
}

const struct site *runtime_sites(size_t *count)
{
    *count = 0;
    for (unsigned i = 0; i < SITES; i++)
        if (site_table[i].place)
            site_list[(*count)++] = site_table[i];
    return site_list;
}

void runtime_note_sites(int on)
{
    if (on)
        memset(site_table, 0, sizeof site_table);
    noting = on;
}

void runtime_weaken(const void *const *places, size_t count, char kind, int order)
{
    weakened_count = count < MAX_WEAKENED ? count : MAX_WEAKENED;
    weakened_kind = kind;
    weakened_order = order;
    for (size_t i = 0; i < weakened_count; i++)
        weakened[i] = places[i];
}

static uint8_t order_at(const void *place, int order, char kind)
{
    note_site(place, order, kind);
    for (size_t i = 0; i < weakened_count; i++)
        if (weakened[i] == place && weakened_kind == kind)
            return (uint8_t)weakened_order;
    return (uint8_t)order;
}

INSTRUMENT_HOOK uint64_t instrument_load(const volatile void *address, size_t size, int order, void *place)
{
    bool swapped = false;
    return engine_access(&(struct operation){.action = ACTION_LOAD,
                                             .order = order_at(place, order, 'l'),
                                             .size = (uint16_t)size,
                                             .address = (uintptr_t)address,
                                             .place = place,
                                             .frame = __builtin_dwarf_cfa()},
                         &swapped);
}

INSTRUMENT_HOOK void instrument_store(volatile void *address, size_t size, uint64_t value, int order, void *place)
{
    bool swapped = false;
    engine_access(&(struct operation){.action = ACTION_STORE,
                                      .order = order_at(place, order, 's'),
                                      .size = (uint16_t)size,
                                      .address = (uintptr_t)address,
                                      .operand = value,
                                      .place = place,
                                      .frame = __builtin_dwarf_cfa()},
                  &swapped);
}

INSTRUMENT_HOOK uint64_t instrument_change(enum change how, volatile void *address, size_t size, uint64_t operand,
                                           int order, void *place)
{
    bool swapped = false;
    return engine_access(&(struct operation){.action = ACTION_CHANGE,
                                             .change = how,
                                             .order = order_at(place, order, 'x'),
                                             .size = (uint16_t)size,
                                             .address = (uintptr_t)address,
                                             .operand = operand,
                                             .place = place,
                                             .frame = __builtin_dwarf_cfa()},
                         &swapped);
}

INSTRUMENT_HOOK uint64_t instrument_compare_exchange(volatile void *address, size_t size,
                                                     const struct compare_exchange *how, bool *swapped, void *place)
{
    uint64_t found = engine_access(&(struct operation){.action = ACTION_COMPARE,
                                                       .order = order_at(place, how->order, 'c'),
                                                       .failure_order = order_at(place, how->failure_order, 'f'),
                                                       .size = (uint16_t)size,
                                                       .weak = how->weak,
                                                       .address = (uintptr_t)address,
                                                       .operand = how->desired,
                                                       .expected = how->expected,
                                                       .expected_at = how->expected_at,
                                                       .place = place,
                                                       .frame = __builtin_dwarf_cfa()},
                                   swapped);
    if (!*swapped && how->expected_at)
        memory_log((uintptr_t)how->expected_at, (unsigned)size); /* where the caller writes it */
    return found;
}

INSTRUMENT_HOOK void instrument_fence(int order, void *place)
{
    engine_fence(order_at(place, order, 'b'), place, __builtin_dwarf_cfa());
}

INSTRUMENT_HOOK void instrument_signal_fence(int order, void *place)
{
    engine_signal_fence(order_at(place, order, 'g'), place, __builtin_dwarf_cfa());
}

INSTRUMENT_HOOK void instrument_plain(void *address, size_t size, bool writes, void *place)
{
    engine_interrupt((uintptr_t)address, size, place, __builtin_dwarf_cfa());
    engine_plain((uintptr_t)address, size, writes, place);
}

INSTRUMENT_HOOK void instrument_range(void *address, size_t size, bool writes, const char *operation, void *place)
{
    (void)operation;
    engine_interrupt((uintptr_t)address, size, place, __builtin_dwarf_cfa());
    engine_plain((uintptr_t)address, size, writes, place);
}

INSTRUMENT_HOOK void instrument_unsupported(const char *what, void *place)
{
    engine_fail(FAILURE_UNMODELLED, place, NULL, "%s is not modelled", what);
    engine_stop();
}

#include "instrument/entry-points.h"

/* Coverage. */

static const void *block_table[BLOCKS], *block_list[BLOCKS];
static bool covering;

void runtime_cover(int on)
{
    covering = on;
}

void runtime_forget_blocks(void)
{
    memset(block_table, 0, sizeof block_table);
}

size_t runtime_blocks(const void *const **blocks)
{
    size_t count = 0;
    for (unsigned i = 0; i < BLOCKS; i++)
        if (block_table[i])
            block_list[count++] = block_table[i];
    *blocks = block_list;
    return count;
}

void __sanitizer_cov_trace_pc(void)
{
    if (!covering)
        return;
    const void *place = __builtin_return_address(0);
    unsigned slot = slot_of(place, BLOCKS);
    while (block_table[slot] && block_table[slot] != place)
        slot = (slot + 1) % BLOCKS;
    block_table[slot] = place;
}
