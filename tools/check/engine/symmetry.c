/* SPDX-License-Identifier: MIT */
#include "check/engine/symmetry.h"

enum { MAX_RANGES = 8 };

static struct {
    uintptr_t start;
    size_t stride;
} ranges[MAX_RANGES];
static unsigned range_count;
static uintptr_t lowest = UINTPTR_MAX, highest; /* of them all */

static uint8_t number_of[CLOCKS], thread_of[CLOCKS];

void symmetry_own(const void *memory, size_t stride)
{
    for (unsigned i = 0; i < range_count; i++)
        if (ranges[i].start == (uintptr_t)memory)
            return;
    if (range_count == MAX_RANGES) {
        engine_fail(FAILURE_LIMIT, NULL, NULL, "more than %d kinds of memory belong to threads", MAX_RANGES);
        return;
    }
    uintptr_t start = (uintptr_t)memory, end = start + stride * CLOCKS;
    ranges[range_count].start = start;
    ranges[range_count++].stride = stride;
    lowest = start < lowest ? start : lowest;
    highest = end > highest ? end : highest;
}

unsigned symmetry_number(unsigned thread)
{
    return number_of[thread];
}

unsigned symmetry_thread(unsigned number)
{
    return thread_of[number];
}

uint64_t symmetry_word(uint64_t word)
{
    for (unsigned i = 0; word >= lowest && word < highest && i < range_count; i++) {
        uint64_t offset = word - ranges[i].start, stride = ranges[i].stride;
        if (offset < stride * CLOCKS)
            return word + (number_of[offset / stride] - offset / stride) * stride;
    }
    return word;
}

bool symmetry_owned(uintptr_t address)
{
    for (unsigned i = 0; i < range_count; i++)
        if (address - ranges[i].start < ranges[i].stride * CLOCKS)
            return true;
    return false;
}

void symmetry_digest(struct hash *hash, const void *words, size_t size)
{
    for (size_t i = 0; i < size; i += sizeof(uint64_t)) {
        uint64_t word;
        memcpy(&word, (const char *)words + i, sizeof word);
        digest_add(hash, symmetry_word(word));
    }
}

bool symmetry_alike(const struct task *task, const struct task *other)
{
    return task == other ||
           (task->body == other->body && task->argument == other->argument && task->after == other->after &&
            !task->followed && !other->followed && task->handler.body == other->handler.body &&
            task->handler.argument == other->handler.argument);
}

static bool is_before(const struct hash *a, const struct hash *b)
{
    return a->low != b->low ? a->low < b->low : a->high < b->high;
}

/* What each thread does, as it looks from there: itself has the number 0, another that of the kind it is of. True if no
 * two of those that are alike do the same. */
static bool see(void (*view)(struct hash *hash, const struct task *task), const uint8_t *kinds, struct hash *views)
{
    bool distinct = true;
    for (unsigned i = 1; i < execution.task_count; i++) {
        memcpy(number_of, kinds, sizeof number_of);
        number_of[i] = 0;
        views[i] = (struct hash){1, 2};
        view(&views[i], &execution.tasks[i]);
        for (unsigned j = 1; j < i; j++)
            distinct &= views[i].low != views[j].low || !symmetry_alike(&execution.tasks[i], &execution.tasks[j]);
    }
    return distinct;
}

/* How many of those that are alike come before it by their views. */
static unsigned rank_of(unsigned thread, const struct hash *views, bool break_ties)
{
    unsigned before = 0;
    for (unsigned i = 1; i < execution.task_count; i++)
        if (symmetry_alike(&execution.tasks[i], &execution.tasks[thread]))
            before += is_before(&views[i], &views[thread]) ||
                      (break_ties && i < thread && !is_before(&views[thread], &views[i]));
    return before;
}

/* The number of the thread of that rank among those that are alike. */
static unsigned nth_like(unsigned thread, unsigned rank)
{
    unsigned i = 1;
    while (!symmetry_alike(&execution.tasks[i], &execution.tasks[thread]) || rank-- > 0)
        i++;
    return i;
}

void symmetry_find(void (*view)(struct hash *hash, const struct task *task))
{
    uint8_t kinds[CLOCKS];
    struct hash views[CLOCKS];
    for (unsigned i = 0; i < CLOCKS; i++)
        kinds[i] = (uint8_t)(i && i < execution.task_count ? nth_like(i, 0) : i);
    if (!see(view, kinds, views)) {
        for (unsigned i = 1; i < execution.task_count; i++)
            kinds[i] = (uint8_t)nth_like(i, rank_of(i, views, false));
        see(view, kinds, views);
    }
    for (unsigned i = 0; i < CLOCKS; i++)
        kinds[i] = (uint8_t)(i && i < execution.task_count ? nth_like(i, rank_of(i, views, true)) : i);
    for (unsigned i = 0; i < CLOCKS; i++) {
        number_of[i] = kinds[i];
        thread_of[kinds[i]] = (uint8_t)i;
    }
}

void symmetry_none(void)
{
    for (unsigned i = 0; i < CLOCKS; i++)
        number_of[i] = thread_of[i] = (uint8_t)i;
}
