/* SPDX-License-Identifier: MIT */
#include "check/engine/leak.h"

#include "check/engine/execution.h"
#include "check/engine/memory.h"

static struct block unfreed[MAX_BLOCKS];
static unsigned unfreed_count;
static bool reached[MAX_BLOCKS];
static unsigned to_follow[MAX_BLOCKS], to_follow_count; /* reached, and not looked into yet */

static void reach(uint64_t word)
{
    for (unsigned i = 0; i < unfreed_count; i++)
        if (!reached[i] && word - unfreed[i].address < unfreed[i].size) {
            reached[i] = true;
            to_follow[to_follow_count++] = i;
        }
}

static void reach_all(void)
{
    memset(reached, 0, sizeof reached);
    to_follow_count = 0;
    memory_each_word(reach);
    while (to_follow_count > 0) {
        const struct block *block = &unfreed[to_follow[--to_follow_count]];
        for (size_t at = 0; at + 8 <= block->size; at += 8)
            reach(memory_read(block->address + at, 8));
    }
}

/* Tells of those that are not reached. */
static void tell(void)
{
    const struct block *first = NULL;
    unsigned count = 0;
    for (unsigned i = 0; i < unfreed_count; i++)
        if (!reached[i] && ++count == 1)
            first = &unfreed[i];
    if (count == 1)
        engine_fail(FAILURE_LEAKED, first->place, NULL, "a block of %zu bytes has leaked; it was allocated here",
                    first->size);
    else if (first)
        engine_fail(FAILURE_LEAKED, first->place, NULL,
                    "%u blocks have leaked; the first, of %zu bytes, was allocated here", count, first->size);
}

void leak_check(void)
{
    unfreed_count = memory_unfreed(unfreed);
    if (unfreed_count == 0 || execution_over())
        return;
    reach_all();
    tell();
}

void engine_check_leaks(bool (*is_kept)(const void *memory))
{
    unfreed_count = memory_unfreed(unfreed);
    for (unsigned i = 0; i < unfreed_count; i++)
        reached[i] = is_kept((const void *)unfreed[i].address);
    tell();
}
