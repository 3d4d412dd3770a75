#include "check/engine/race.h"

/* What is kept of a word is what may still race: of one thread an access is dropped when a later one of the same kind
 * covers it. So there are few for each word, and they are searched in order. */
enum { KEPT = 32, WORDS = 1 << 12 };

struct word {
    uintptr_t address;
    uint32_t generation;
    unsigned count;
    struct access kept[KEPT];
};

static struct word words[WORDS];
static uint32_t generation = 1;

void race_reset(void)
{
    generation++;
}

static struct word *word_at(uintptr_t address)
{
    unsigned slot = (unsigned)(address / 8 * UINT64_C(0x9e3779b97f4a7c15) >> 52) % WORDS;
    for (unsigned tries = 0; tries < WORDS; tries++, slot = (slot + 1) % WORDS) {
        struct word *word = &words[slot];
        if (word->generation != generation) {
            word->generation = generation;
            word->address = address;
            word->count = 0;
            return word;
        }
        if (word->address == address)
            return word;
    }
    return NULL;
}

static bool races(const struct access *a, const struct access *b, const struct clock *now)
{
    return a->thread != b->thread && (a->bytes & b->bytes) && (a->writes || b->writes) && !(a->atomic && b->atomic) &&
           b->tick > now->at[b->thread];
}

static bool covers(const struct access *a, const struct access *b)
{
    return a->thread == b->thread && a->writes == b->writes && a->atomic == b->atomic && !(b->bytes & ~a->bytes);
}

enum race race_access(uintptr_t address, const struct access *access, const struct clock *now, struct access *other)
{
    struct word *word = word_at(address & ~(uintptr_t)7);
    if (!word)
        return RACE_LIMIT;
    unsigned left = 0;
    for (unsigned i = 0; i < word->count; i++) {
        if (races(access, &word->kept[i], now)) {
            *other = word->kept[i];
            return RACE_FOUND;
        }
        if (!covers(access, &word->kept[i]))
            word->kept[left++] = word->kept[i];
    }
    word->count = left;
    if (left == KEPT)
        return RACE_LIMIT;
    word->kept[word->count++] = *access;
    return RACE_NONE;
}

enum race race_free(uintptr_t address, size_t size, const struct access *access, const struct clock *now,
                    struct access *other)
{
    for (unsigned slot = 0; slot < WORDS; slot++) {
        const struct word *word = &words[slot];
        if (word->generation != generation || word->address + 8 <= address || word->address >= address + size)
            continue;
        for (unsigned i = 0; i < word->count; i++)
            if (races(access, &word->kept[i], now)) {
                *other = word->kept[i];
                return RACE_FOUND;
            }
    }
    return RACE_NONE;
}
