/* SPDX-License-Identifier: MIT */
#define RECIP_UNANNOTATED
#include "preload/report-groups.h"

#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

#include "preload/report-modules.h"
#include "preload/report-names.h"

enum { MAX_GROUPS = 1 << 12, MAX_RECORDS = 1 << 18, MAX_STACKS = 1 << 14 };

/* Address space for the largest report; pages come with use, so only groups that are used are looked at. */
struct workspace {
    struct group groups[MAX_GROUPS];
    uint16_t used[MAX_GROUPS];
    int used_count;
    uint16_t group_of_record[MAX_RECORDS]; /* + 1 */
    const void *key_of_stack[MAX_STACKS];
};

static struct workspace *workspace;

/* ---- Which group a mutex is in ---- */

/* The variable that the mutex is in, or part of. Neighbours in an array are asked for one after the other. */
static bool find_variable(const void *mutex, struct symbol *last)
{
    bool same = last->start && (uintptr_t)mutex - (uintptr_t)last->start < last->size;
    return same || module_variable(mutex, last);
}

/* If the function is a method: a number that stands for its class, odd and unlike an address; otherwise null. */
static const void *class_of(const void *address)
{
    struct symbol function;
    char scope[256];
    const void *call = (const char *)address - 1;
    if (!module_function(call, &function) || !scope_of_function(function.name, scope, sizeof scope) ||
        !module_has_class(call, scope))
        return NULL;
    uintptr_t hash = 1;
    for (const char *letter = scope; *letter; letter++)
        hash = (hash ^ (unsigned char)*letter) * UINT64_C(0x100000001b3);
    return (const void *)(hash | UINT64_C(0x8000000000000001));
}

static const void *key_of_stack(uint32_t number)
{
    static const char unknown;
    const struct stack *stack = stack_of(number);
    if (!stack || number >= MAX_STACKS)
        return &unknown;
    const void *known = workspace ? workspace->key_of_stack[number] : NULL;
    if (known)
        return known;
    const void *address = stack->frames[stack_own_frame(stack)], *class = class_of(address);
    if (workspace)
        workspace->key_of_stack[number] = class ? class : address;
    return class ? class : address;
}

static const void *key_of(const struct record *record, struct symbol *variable)
{
    if (find_variable(record->mutex, variable))
        return variable->start;
    return record->created ? record->created : key_of_stack(record->first);
}

const void *group_key(uint32_t index)
{
    uint32_t count;
    uint64_t uncounted;
    struct symbol variable = {0};
    return key_of(&statistics_records(&count, &uncounted)[index], &variable);
}

/* The group of that key, which may be new; null if there are too many. */
static struct group *group_of(const void *key)
{
    uint32_t first = (uint32_t)((uintptr_t)key * UINT64_C(0x9e3779b97f4a7c15) >> 52);
    for (uint32_t i = 0; i < MAX_GROUPS; i++) {
        struct group *group = &workspace->groups[(first + i) % MAX_GROUPS];
        if (group->key == key)
            return group;
        if (group->key)
            continue;
        group->key = key;
        workspace->used[workspace->used_count++] = (uint16_t)(group - workspace->groups);
        group->acquisitions_each.least = group->wait_each.least = UINT64_MAX;
        return group;
    }
    return NULL;
}

static struct group *find_group(const struct record *record, struct symbol *variable)
{
    const void *key = key_of(record, variable);
    struct group *group = group_of(key);
    if (group && key == variable->start && !group->name[0])
        name_of_variable(variable->name, group->name, sizeof group->name);
    return group;
}

/* ---- What it adds ---- */

static void widen(struct range *range, uint64_t value)
{
    range->least = value < range->least ? value : range->least;
    range->most = value > range->most ? value : range->most;
}

static void add_timeline(struct timeline *sum, const struct timeline *more)
{
    struct timeline part = *more;
    while (sum->shift < part.shift)
        statistics_double_slices(sum);
    while (part.shift < sum->shift)
        statistics_double_slices(&part);
    for (int i = 0; i < TIME_SLICES; i++)
        sum->waited[i] += part.waited[i];
}

static void add(struct group *group, const struct record *record)
{
    if (!group->mutexes++) {
        group->created = record->created;
        group->first = record->first;
    }
    group->acquisitions += record->acquisitions;
    group->contended += record->contended;
    group->handovers += record->handovers;
    group->parks += record->parks;
    group->wait_total += record->wait_total;
    group->hold_total += record->hold_total;
    group->wait_longest = record->wait_longest > group->wait_longest ? record->wait_longest : group->wait_longest;
    group->hold_longest = record->hold_longest > group->hold_longest ? record->hold_longest : group->hold_longest;
    widen(&group->acquisitions_each, record->acquisitions);
    widen(&group->wait_each, record->wait_total);
    for (int i = 0; record->contended && i < WAIT_BUCKETS; i++)
        group->waits[i] += record->waits[i];
    if (record->contended)
        add_timeline(&group->timeline, &record->timeline);
}

bool groups_make(struct groups *groups)
{
    uint32_t count;
    struct symbol variable = {0};
    *groups = (struct groups){0};
    const struct record *records = statistics_records(&count, &groups->uncounted);
    groups->has_records = records;
    void *memory =
        mmap(NULL, sizeof *workspace, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    workspace = memory == MAP_FAILED ? NULL : memory;
    for (uint32_t i = 1; i <= count; i++) {
        if (!records[i].acquisitions)
            continue;
        add(&groups->total, &records[i]);
        struct group *group = workspace ? find_group(&records[i], &variable) : NULL;
        if (!group)
            continue;
        groups->places += group->mutexes == 0;
        add(group, &records[i]);
        workspace->group_of_record[i] = (uint16_t)(group - workspace->groups + 1);
    }
    return workspace;
}

void groups_end(void)
{
    if (workspace)
        munmap(workspace, sizeof *workspace);
    workspace = NULL;
}

/* ---- Which are shown ---- */

static bool is_busier(const struct group *a, const struct group *b)
{
    return a->wait_total != b->wait_total ? a->wait_total > b->wait_total : a->acquisitions > b->acquisitions;
}

/* An insertion sort that keeps the first `max`. */
int groups_busiest(const struct group **chosen, int max)
{
    int size = 0;
    for (int i = 0; workspace && i < workspace->used_count; i++) {
        const struct group *group = &workspace->groups[workspace->used[i]];
        if (!group->mutexes || (size == max && !is_busier(group, chosen[max - 1])))
            continue;
        int place = size < max ? size++ : max - 1;
        for (; place > 0 && is_busier(group, chosen[place - 1]); place--)
            chosen[place] = chosen[place - 1];
        chosen[place] = group;
    }
    return size;
}

int threads_busiest(const struct thread_record **chosen, int max)
{
    int size = 0;
    uint32_t count, all;
    const struct thread_record *threads = statistics_threads(&count, &all);
    for (uint32_t i = 0; i < count; i++) {
        const struct thread_record *thread = &threads[i];
        if (size == max && thread->wait_total <= chosen[max - 1]->wait_total)
            continue;
        int place = size < max ? size++ : max - 1;
        for (; place > 0 && thread->wait_total > chosen[place - 1]->wait_total; place--)
            chosen[place] = chosen[place - 1];
        chosen[place] = thread;
    }
    return size;
}

/* ---- Who waited ---- */

enum { MAX_STACKS_OF_GROUP = 64 };

int group_waiters(const struct group *group, struct group_waiters chosen[GROUP_WAITERS])
{
    struct group_waiters all[MAX_STACKS_OF_GROUP];
    int count = 0, size = 0;
    uint32_t samples;
    const struct wait_sample *sample = statistics_samples(&samples);
    for (uint32_t i = 0; i < samples; i++) {
        uint64_t key = atomic_load_explicit(&sample[i].key, memory_order_relaxed);
        uint32_t stack = (uint32_t)key;
        if (!key || workspace->group_of_record[key >> 32] != group - workspace->groups + 1)
            continue;
        int place = 0;
        while (place < count && all[place].stack != stack)
            place++;
        if (place == MAX_STACKS_OF_GROUP)
            continue;
        if (place == count)
            all[count++] = (struct group_waiters){.stack = stack};
        all[place].waits += atomic_load_explicit(&sample[i].waits, memory_order_relaxed);
        all[place].waited += atomic_load_explicit(&sample[i].waited, memory_order_relaxed);
    }
    while (size < GROUP_WAITERS && size < count) {
        int most = size;
        for (int i = size + 1; i < count; i++)
            most = all[i].waited > all[most].waited ? i : most;
        struct group_waiters first = all[most];
        all[most] = all[size];
        all[size] = chosen[size] = first;
        size++;
    }
    return size;
}

/* The shortest wait that belongs to the next bucket. */
static uint64_t end_of_bucket(unsigned bucket)
{
    uint64_t octave = UINT64_C(1) << bucket / 2;
    return bucket % 2 ? 2 * octave : octave + octave / 2;
}

uint64_t group_wait_quantile(const struct group *group, double part)
{
    uint64_t seen = 0;
    for (unsigned bucket = 0; bucket < WAIT_BUCKETS; bucket++) {
        seen += group->waits[bucket];
        if (seen && (double)seen >= part * (double)group->contended)
            return end_of_bucket(bucket) < group->wait_longest ? end_of_bucket(bucket) : group->wait_longest;
    }
    return 0;
}
