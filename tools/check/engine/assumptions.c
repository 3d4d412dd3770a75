/* SPDX-License-Identifier: MIT */
#include "check/engine/assumptions.h"

#include <string.h>

#include "check/engine/execution.h"

enum { MAX_ADDRESSES = 1 << 12, TABLE_SIZE = MAX_ADDRESSES * 2 };

static struct use {                    /* of an address */
    uintptr_t address;                 /* 0: empty */
    uint8_t writers, sleepers, owners; /* a bit for each thread; owners: who was told that nobody else writes */
    bool awaited;
    bool parks_blindly;  /* a thread parks otherwise than in a loop that looks */
    bool sleep_together; /* two threads sleep at the same time, or may */
    bool woken_early;    /* a wake did not wait */
} table[TABLE_SIZE];
static unsigned address_count;

/* After so many owners that turned out to be none, no more are assumed. */
enum { MAX_REFUTED = 8 };
static unsigned refuted;

/* Where the code parks. Until it is known what comes after a sleep there, a wake may not hurry: the sleep might never
 * be seen. */
enum { MAX_PARKINGS = 64 };
static struct parking {
    const void *place;
    bool known;
} parkings[MAX_PARKINGS];
static unsigned parking_count, unknown_parkings;

/* And where it looks before and after. */
static const void *looks[MAX_PARKINGS];
static unsigned look_count;

/* Atomics that are accessed with several sizes. */
enum { MAX_MIXED = 16 };
static struct mixed {
    uintptr_t address;
    unsigned size;
} mixed[MAX_MIXED];
static unsigned mixed_count;

static bool assuming;

bool assumptions_allowed(void)
{
    return assuming;
}

void assumptions_begin(bool assume)
{
    assuming = assume;
    memset(table, 0, sizeof table);
    address_count = 0;
    refuted = 0;
    parking_count = unknown_parkings = look_count = 0;
    mixed_count = 0;
}

static struct use *use_at(uintptr_t address)
{
    static struct use none;
    unsigned slot = (unsigned)(address * UINT64_C(0x9e3779b97f4a7c15) >> 40) % TABLE_SIZE;
    while (table[slot].address && table[slot].address != address)
        slot = (slot + 1) % TABLE_SIZE;
    if (!table[slot].address && address_count == MAX_ADDRESSES) {
        engine_fail(FAILURE_LIMIT, NULL, NULL, "more than %d atomics are used", MAX_ADDRESSES);
        return &none;
    }
    address_count += !table[slot].address;
    table[slot].address = address;
    return &table[slot];
}

static bool several(unsigned threads)
{
    return threads & (threads - 1);
}

static void begin_again(bool really)
{
    execution.restart |= really;
    execution.pruned |= really;
}

static void refute(bool really)
{
    refuted += really;
    begin_again(really);
}

uintptr_t assumptions_word(uintptr_t address, unsigned *size)
{
    for (unsigned i = 0; i < mixed_count; i++)
        if (address - mixed[i].address < mixed[i].size && *size <= mixed[i].size) {
            *size = mixed[i].size;
            return mixed[i].address;
        }
    return address;
}

void assumptions_note_mixed(uintptr_t address, unsigned size)
{
    begin_again(true);
    for (unsigned i = 0; i < mixed_count; i++)
        if (mixed[i].address / size == address / size) { /* what was the largest is no more */
            mixed[i] = (struct mixed){address, size};
            return;
        }
    if (mixed_count == MAX_MIXED)
        engine_fail(FAILURE_LIMIT, NULL, NULL, "more than %d atomics are accessed with several sizes", MAX_MIXED);
    else
        mixed[mixed_count++] = (struct mixed){address, size};
}

void assumptions_note_write(uintptr_t address, unsigned thread)
{
    if (!thread)
        return; /* the main thread is alone */
    struct use *use = use_at(address);
    use->writers |= (uint8_t)(1u << thread);
    refute(use->owners & ~(1u << thread));
    use->owners &= (uint8_t)(1u << thread);
}

bool assumptions_only_writer(uintptr_t address, unsigned thread)
{
    struct use *use = use_at(address);
    bool allowed = refuted < MAX_REFUTED || use->owners >> thread & 1;
    if (!assuming || !allowed || use->awaited || use->writers & ~(1u << thread))
        return false;
    use->owners |= (uint8_t)(1u << thread);
    return true;
}

void assumptions_note_await(uintptr_t address)
{
    struct use *use = use_at(address);
    use->awaited = true;
    refute(use->owners);
    use->owners = 0;
}

static struct parking *parking_at(const void *place)
{
    static struct parking none;
    unsigned i = 0;
    while (i < parking_count && parkings[i].place != place)
        i++;
    if (i == MAX_PARKINGS) {
        engine_fail(FAILURE_LIMIT, NULL, NULL, "more than %d places of the code park", MAX_PARKINGS);
        return &none;
    }
    if (i == parking_count) {
        parkings[parking_count++] = (struct parking){.place = place};
        unknown_parkings++;
        begin_again(true);
    }
    return &parkings[i];
}

static bool is_shared(const struct use *use)
{
    return several(use->sleepers) && (!assuming || use->sleep_together || use->parks_blindly);
}

void assumptions_note_park(uintptr_t address, unsigned thread, const void *place)
{
    parking_at(place);
    assumptions_note_await(assumptions_word(address, &(unsigned){1}));
    struct use *use = use_at(address);
    bool shared = is_shared(use);
    use->sleepers |= (uint8_t)(1u << thread);
    begin_again(!shared && is_shared(use));
}

bool assumptions_is_look(const void *place)
{
    for (unsigned i = 0; i < look_count; i++)
        if (looks[i] == place)
            return true;
    return false;
}

static void learn_look(const void *place)
{
    if (look_count == MAX_PARKINGS) {
        engine_fail(FAILURE_LIMIT, NULL, NULL, "more than %d places of the code look and park", MAX_PARKINGS);
        return;
    }
    looks[look_count++] = place;
    begin_again(true);
}

void assumptions_note_after_park(uintptr_t address, const void *place, const void *look, bool looks_again)
{
    struct parking *parking = parking_at(place);
    struct use *use = use_at(address);
    if (look && !assumptions_is_look(look))
        learn_look(look);
    begin_again(!parking->known ||
                (!looks_again && !use->parks_blindly && (use->woken_early || several(use->sleepers))));
    unknown_parkings -= !parking->known;
    parking->known = true;
    use->parks_blindly |= !looks_again;
}

void assumptions_note_two_sleepers(uintptr_t address)
{
    struct use *use = use_at(address);
    begin_again(!use->sleep_together && several(use->sleepers));
    use->sleep_together = true;
}

bool assumptions_several_sleepers(uintptr_t address)
{
    return is_shared(use_at(address));
}

bool assumptions_wake_was_early(uintptr_t address)
{
    const struct use *use = use_at(address);
    return use->woken_early && !use->parks_blindly && !is_shared(use);
}

bool assumptions_one_sleeper(uintptr_t address)
{
    struct use *use = use_at(address);
    if (!assuming || unknown_parkings || use->parks_blindly || is_shared(use))
        return false;
    use->woken_early = true;
    return true;
}
