#include "check/engine/habits.h"

#include <string.h>

#include "check/engine/execution.h"

enum { MOST_HABITS = 1 << 12, TABLE_SIZE = MOST_HABITS * 2 };

static struct habit {
    uintptr_t address;                 /* 0: empty */
    uint8_t writers, sleepers, owners; /* a bit for each thread; owners: who was told that nobody else writes */
    bool awaited;
    bool hasty;   /* a thread parks otherwise than in a loop that looks */
    bool crowded; /* two threads sleep at the same time, or may */
    bool trusted; /* a wake did not wait */
} table[TABLE_SIZE];
static unsigned habit_count;

/* After so many owners that were none, no more are believed in. */
enum { MOST_DISAPPOINTMENTS = 8 };
static unsigned disappointments;

/* Where the code parks. Until it is known what comes after a sleep there, a wake may not hurry: the sleep might never
 * be seen. */
enum { MOST_PARKINGS = 64 };
static struct parking {
    const void *place;
    bool known;
} parkings[MOST_PARKINGS];
static unsigned parking_count, unknown_parkings;

/* And where it looks before and after. */
static const void *looks[MOST_PARKINGS];
static unsigned look_count;

static bool assuming;

bool habits_assumed(void)
{
    return assuming;
}

void habits_begin(bool assume)
{
    assuming = assume;
    memset(table, 0, sizeof table);
    habit_count = 0;
    disappointments = 0;
    parking_count = unknown_parkings = look_count = 0;
}

static struct habit *habit_at(uintptr_t address)
{
    static struct habit none;
    unsigned slot = (unsigned)(address * UINT64_C(0x9e3779b97f4a7c15) >> 40) % TABLE_SIZE;
    while (table[slot].address && table[slot].address != address)
        slot = (slot + 1) % TABLE_SIZE;
    if (!table[slot].address && habit_count == MOST_HABITS) {
        engine_fail(FAILURE_LIMIT, NULL, NULL, "more than %d atomics are used", MOST_HABITS);
        return &none;
    }
    habit_count += !table[slot].address;
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

static void disappoint(bool really)
{
    disappointments += really;
    begin_again(really);
}

void habits_write(uintptr_t address, unsigned thread)
{
    if (!thread)
        return; /* the main thread is alone */
    struct habit *habit = habit_at(address);
    habit->writers |= (uint8_t)(1u << thread);
    disappoint(habit->owners & ~(1u << thread));
    habit->owners &= (uint8_t)(1u << thread);
}

bool habits_owned(uintptr_t address, unsigned thread)
{
    struct habit *habit = habit_at(address);
    bool believed = disappointments < MOST_DISAPPOINTMENTS || habit->owners >> thread & 1;
    if (!assuming || !believed || habit->awaited || habit->writers & ~(1u << thread))
        return false;
    habit->owners |= (uint8_t)(1u << thread);
    return true;
}

void habits_await(uintptr_t address)
{
    struct habit *habit = habit_at(address);
    habit->awaited = true;
    disappoint(habit->owners);
    habit->owners = 0;
}

static struct parking *parking_at(const void *place)
{
    static struct parking none;
    unsigned i = 0;
    while (i < parking_count && parkings[i].place != place)
        i++;
    if (i == MOST_PARKINGS) {
        engine_fail(FAILURE_LIMIT, NULL, NULL, "more than %d places of the code park", MOST_PARKINGS);
        return &none;
    }
    if (i == parking_count) {
        parkings[parking_count++] = (struct parking){.place = place};
        unknown_parkings++;
        begin_again(true);
    }
    return &parkings[i];
}

static bool is_shared(const struct habit *habit)
{
    return several(habit->sleepers) && (!assuming || habit->crowded || habit->hasty);
}

void habits_park(uintptr_t address, unsigned thread, const void *place)
{
    parking_at(place);
    habits_await(address);
    struct habit *habit = habit_at(address);
    bool shared = is_shared(habit);
    habit->sleepers |= (uint8_t)(1u << thread);
    begin_again(!shared && is_shared(habit));
}

bool habits_is_look(const void *place)
{
    for (unsigned i = 0; i < look_count; i++)
        if (looks[i] == place)
            return true;
    return false;
}

static void learn_look(const void *place)
{
    if (look_count == MOST_PARKINGS) {
        engine_fail(FAILURE_LIMIT, NULL, NULL, "more than %d places of the code look and park", MOST_PARKINGS);
        return;
    }
    looks[look_count++] = place;
    begin_again(true);
}

void habits_slept(uintptr_t address, const void *place, const void *look, bool looks_again)
{
    struct parking *parking = parking_at(place);
    struct habit *habit = habit_at(address);
    if (look && !habits_is_look(look))
        learn_look(look);
    begin_again(!parking->known || (!looks_again && !habit->hasty && (habit->trusted || several(habit->sleepers))));
    unknown_parkings -= !parking->known;
    parking->known = true;
    habit->hasty |= !looks_again;
}

void habits_crowd(uintptr_t address)
{
    struct habit *habit = habit_at(address);
    begin_again(!habit->crowded && several(habit->sleepers));
    habit->crowded = true;
}

bool habits_shared_bed(uintptr_t address)
{
    return is_shared(habit_at(address));
}

bool habits_trusted(uintptr_t address)
{
    const struct habit *habit = habit_at(address);
    return habit->trusted && !habit->hasty && !is_shared(habit);
}

bool habits_private_bed(uintptr_t address)
{
    struct habit *habit = habit_at(address);
    if (!assuming || unknown_parkings || habit->hasty || is_shared(habit))
        return false;
    habit->trusted = true;
    return true;
}
