/* SPDX-License-Identifier: MIT */
#include "check/engine/race.h"

#include "check/engine/assumptions.h"
#include "check/engine/snapshot.h"

/* What is kept of a word is what may still race: an access is dropped when a later one covers it. So there are few for
 * each word, and they are searched in order. */
enum { KEPT = 32, WORDS = 1 << 12, TABLE_SIZE = WORDS * 2, MAX_FREED = 64, ANY_THREAD = 0xff };

static struct word {
    uintptr_t address;
    bool plain, atomic; /* how threads access it, over all executions */
    uint8_t threads;    /* which ones: a bit for each, but the main thread, which is alone */
    uint64_t generation;
    uint64_t saved; /* with which number of the snapshots */
    bool listed;    /* below */
    unsigned count;
    struct access kept[KEPT];
} words[WORDS];
static unsigned word_count;

static struct word *touched[WORDS]; /* those with accesses in this execution */
static unsigned touched_count;

/* From address to word: open addressing, 0 is empty, otherwise one more than the index. */
static uint16_t table[TABLE_SIZE];

static struct {
    uintptr_t address;
    size_t size;
} freed[MAX_FREED]; /* over all executions: as if accessed by any thread, and not atomically */
static unsigned freed_count;

static uint64_t generation;

void race_forget(void)
{
    for (unsigned i = 0; i < TABLE_SIZE; i++)
        table[i] = 0;
    word_count = 0;
    freed_count = 0;
}

void race_reset(void)
{
    generation++;
    touched_count = 0;
}

static bool is_freed(uintptr_t address)
{
    for (unsigned i = 0; i < freed_count; i++)
        if (address + 8 > freed[i].address && address < freed[i].address + freed[i].size)
            return true;
    return false;
}

static struct word *word_at(uintptr_t address)
{
    unsigned slot = (unsigned)(address / 8 * UINT64_C(0x9e3779b97f4a7c15) >> 40) % TABLE_SIZE;
    while (table[slot] && words[table[slot] - 1].address != address)
        slot = (slot + 1) % TABLE_SIZE;
    if (!table[slot]) {
        if (word_count == WORDS)
            return NULL;
        words[word_count] = (struct word){
            .address = address,
            .plain = is_freed(address),
            .threads = is_freed(address) ? ANY_THREAD : 0,
        };
        table[slot] = (uint16_t)++word_count;
    }
    struct word *word = &words[table[slot] - 1];
    if (word->generation != generation) {
        word->generation = generation;
        word->count = 0;
        word->listed = false;
    }
    return word;
}

static bool races(const struct access *a, const struct access *b, const struct clock *now)
{
    return a->thread != b->thread && (a->bytes & b->bytes) && (a->writes || b->writes) && !(a->atomic && b->atomic) &&
           b->tick > now->at[b->thread];
}

/* Whether whatever will race with the older access will with this one: who knows of this one knows of both. */
static bool covers(const struct access *a, const struct access *older, const struct clock *now)
{
    if (older->bytes & ~a->bytes)
        return false;
    if (!assumptions_allowed())
        return a->thread == older->thread && a->writes == older->writes && a->atomic == older->atomic;
    bool knows = a->thread == older->thread || older->tick <= now->at[older->thread];
    return knows && a->writes >= older->writes && a->atomic <= older->atomic;
}

/* Whether that makes it a word whose atomic accesses count, and some may have been left out. The main thread is alone.
 */
static bool mixes(struct word *word, const struct access *access)
{
    bool mixed = word->plain && word->atomic;
    word->atomic |= access->atomic;
    word->plain |= !access->atomic && access->thread;
    return !mixed && word->plain && word->atomic && !access->atomic;
}

static bool is_shared(const struct word *word)
{
    return word->threads & (word->threads - 1);
}

/* Whether it has been one thread's so far, whose accesses have been left out. */
static bool shares(struct word *word, const struct access *access)
{
    bool shared = is_shared(word), used = word->threads;
    word->threads |= (uint8_t)(access->thread ? 1u << access->thread : 0);
    return used && !shared && is_shared(word);
}

static void will_change(struct word *word)
{
    if (word->saved == snapshot_serial())
        return;
    snapshot_keep(word->kept, word->count * sizeof word->kept[0]);
    snapshot_keep(&word->count, sizeof word->count);
    word->saved = snapshot_serial();
}

enum race race_access(uintptr_t address, const struct access *access, const struct clock *now, struct access *other)
{
    struct word *word = word_at(address & ~(uintptr_t)7);
    if (!word)
        return RACE_LIMIT;
    bool shares_now = shares(word, access), mixes_now = mixes(word, access);
    bool assuming = assumptions_allowed();
    if (assuming && (shares_now || mixes_now))
        return RACE_RESTART;
    if (assuming && ((access->atomic && !word->plain) || !is_shared(word)))
        return RACE_NONE;
    unsigned left = 0;
    will_change(word);
    for (unsigned i = 0; i < word->count; i++) {
        if (races(access, &word->kept[i], now)) {
            *other = word->kept[i];
            return RACE_FOUND;
        }
        if (!covers(access, &word->kept[i], now))
            word->kept[left++] = word->kept[i];
    }
    word->count = left;
    if (left == KEPT)
        return RACE_LIMIT;
    if (!word->listed)
        touched[touched_count++] = word;
    word->listed = true;
    word->kept[word->count++] = *access;
    return RACE_NONE;
}

enum race race_free(uintptr_t address, size_t size, const struct access *access, const struct clock *now,
                    struct access *other)
{
    bool known = false, mixed = false;
    for (unsigned i = 0; i < freed_count; i++)
        known |= freed[i].address == address && freed[i].size == size;
    if (!known) {
        if (freed_count == MAX_FREED)
            return RACE_LIMIT;
        freed[freed_count].address = address;
        freed[freed_count++].size = size;
    }
    for (unsigned w = 0; w < word_count; w++) {
        struct word *word = &words[w];
        if (word->address + 8 <= address || word->address >= address + size)
            continue;
        mixed |= (word->atomic && !word->plain) || !is_shared(word);
        word->plain = true;
        word->threads = ANY_THREAD;
        for (unsigned i = 0; word->generation == generation && i < word->count; i++)
            if (races(access, &word->kept[i], now)) {
                *other = word->kept[i];
                return RACE_FOUND;
            }
    }
    return mixed && assumptions_allowed() ? RACE_RESTART : RACE_NONE;
}

void race_each(void (*each)(uintptr_t address, const struct access *access, void *to), void *to)
{
    for (unsigned w = 0; w < touched_count; w++)
        for (unsigned i = 0; i < touched[w]->count; i++)
            each(touched[w]->address, &touched[w]->kept[i], to);
}

/* What the words hold is kept when it changes. */
void race_snapshot(void)
{
    unsigned count = touched_count;
    snapshot_bytes(&count, sizeof count);
    while (touched_count > count)
        touched[--touched_count]->listed = false;
}
