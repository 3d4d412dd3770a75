/* SPDX-License-Identifier: MIT */
/* The simulator's side of the instrumentation: every access of the locks goes through the simulated machine. Memory
 * orders are not looked at: the machine is sequentially consistent but for its store buffers, which every
 * read-modify-write, every sequentially consistent store and every such fence empties. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "instrument/instrument.h"
#include "sim/world.h"

static inline uint64_t value_at(const volatile void *address, size_t size)
{
    uint64_t value = 0;
    memcpy(&value, (const void *)address, size);
    return value;
}

static inline void set_value_at(volatile void *address, size_t size, uint64_t value)
{
    memcpy((void *)address, &value, size);
}

INSTRUMENT_HOOK uint64_t instrument_load(const volatile void *address, size_t size, int order, void *place)
{
    (void)order;
    world_site(place, "load");
    return value_at(world_load(address, size), size);
}

INSTRUMENT_HOOK void instrument_store(volatile void *address, size_t size, uint64_t value, int order, void *place)
{
    world_site(place, "store");
    world_store(address, &value, size);
    if (order == __ATOMIC_SEQ_CST)
        world_drain();
}

INSTRUMENT_HOOK uint64_t instrument_change(enum change how, volatile void *address, size_t size, uint64_t operand,
                                           int order, void *place)
{
    static const char *const operations[] = {
        [CHANGE_SET] = "exchange", [CHANGE_ADD] = "fetch_add", [CHANGE_SUB] = "fetch_sub",  [CHANGE_AND] = "fetch_and",
        [CHANGE_OR] = "fetch_or",  [CHANGE_XOR] = "fetch_xor", [CHANGE_NAND] = "fetch_nand"};
    (void)order;
    world_site(place, operations[how]);
    world_modify(address);
    uint64_t old = value_at(address, size);
    set_value_at(address, size, change_result(how, old, operand));
    world_modified();
    return old;
}

INSTRUMENT_HOOK uint64_t instrument_compare_exchange(volatile void *address, size_t size,
                                                     const struct compare_exchange *how, bool *swapped, void *place)
{
    world_site(place, "compare_exchange");
    world_modify(address);
    uint64_t old = value_at(address, size);
    *swapped = old == how->expected;
    if (*swapped) {
        set_value_at(address, size, how->desired);
        world_modified();
    }
    return old;
}

INSTRUMENT_HOOK void instrument_fence(int order, void *place)
{
    (void)place;
    if (order == __ATOMIC_SEQ_CST)
        world_drain();
}

INSTRUMENT_HOOK void instrument_signal_fence(int order, void *place)
{
    (void)order;
    (void)place;
}

INSTRUMENT_HOOK void instrument_plain(void *address, size_t size, bool writes, void *place)
{
    world_site(place, writes ? "write" : "read");
    if (writes)
        world_written(address);
    else
        world_read(address, size);
}

/* One access for each word. */
INSTRUMENT_HOOK void instrument_range(void *address, size_t size, bool writes, const char *operation, void *place)
{
    world_site(place, operation);
    for (size_t offset = 0; offset < size; offset += 8)
        if (writes)
            world_written((char *)address + offset);
        else
            world_read((char *)address + offset, size - offset < 8 ? size - offset : 8);
}

INSTRUMENT_HOOK void instrument_unsupported(const char *what, void *place)
{
    fprintf(stderr, "recip: the simulator does not know %s, at %p\n", what, place);
    exit(1);
}

#include "instrument/entry-points.h"
