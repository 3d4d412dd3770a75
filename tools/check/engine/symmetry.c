/* SPDX-License-Identifier: MIT */
#include "check/engine/symmetry.h"

struct symmetry symmetry = {.lowest = UINTPTR_MAX};

void symmetry_own(const void *memory, size_t stride)
{
    for (unsigned i = 0; i < symmetry.range_count; i++)
        if (symmetry.ranges[i].start == (uintptr_t)memory)
            return;
    if (symmetry.range_count == MAX_RANGES) {
        engine_fail(FAILURE_LIMIT, NULL, NULL, "more than %d kinds of memory belong to threads", MAX_RANGES);
        return;
    }
    uintptr_t start = (uintptr_t)memory, end = start + stride * CLOCKS;
    symmetry.ranges[symmetry.range_count].start = start;
    symmetry.ranges[symmetry.range_count].size = (uint32_t)(stride * CLOCKS);
    symmetry.ranges[symmetry.range_count++].stride = (uint32_t)stride;
    symmetry.lowest = start < symmetry.lowest ? start : symmetry.lowest;
    symmetry.highest = end > symmetry.highest ? end : symmetry.highest;
}

void symmetry_digest(struct hash *hash, const void *words, size_t size)
{
    enum { PIECE = 128 };
    uint64_t piece[PIECE];
    const char *at = words;
    for (size_t left = size, bytes; left > 0; left -= bytes, at += bytes) {
        bytes = left < sizeof piece ? left : sizeof piece;
        for (size_t i = 0; !symmetry.same && i < bytes / 8; i++)
            piece[i] = symmetry_word(digest_word(at + i * 8));
        digest_bytes(hash, symmetry.same ? (const void *)at : piece, bytes);
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
    symmetry.same = false;
    for (unsigned i = 1; i < execution.task_count; i++) {
        memcpy(symmetry.number_of, kinds, sizeof symmetry.number_of);
        symmetry.number_of[i] = 0;
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

static void use(const uint8_t *numbers)
{
    symmetry.same = true;
    for (unsigned i = 0; i < CLOCKS; i++) {
        symmetry.number_of[i] = numbers[i];
        symmetry.thread_of[numbers[i]] = (uint8_t)i;
        symmetry.same &= numbers[i] == i;
    }
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
    uint8_t numbers[CLOCKS];
    for (unsigned i = 0; i < CLOCKS; i++)
        numbers[i] = (uint8_t)(i && i < execution.task_count ? nth_like(i, rank_of(i, views, true)) : i);
    use(numbers);
}

void symmetry_none(void)
{
    symmetry.same = true;
    for (unsigned i = 0; i < CLOCKS; i++)
        symmetry.number_of[i] = symmetry.thread_of[i] = (uint8_t)i;
}
