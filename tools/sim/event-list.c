/* SPDX-License-Identifier: MIT */
#include "sim/event-list.h"

#include <stdlib.h>
#include <string.h>

#include "sim/must.h"

static const char *const access_words[] = {"load", "store", "modify"};

/* None if the innermost is not of our sources; of the calls around it those that are. */
static void add_lines(struct listed_event *entry, const struct symbol *symbol)
{
    for (unsigned i = 0; symbol && symbol->lines[0].ours && i < symbol->depth; i++)
        if (symbol->lines[i].ours)
            entry->lines[entry->line_count++] = symbol->lines[i];
}

static struct listed_event listed(const struct coherence_event *event)
{
    struct listed_event entry = {.event = *event};
    const char *operation = event->site.operation;
    entry.operation = operation ? operation : access_words[event->access];
    coherence_event_name(event, entry.what, sizeof entry.what);
    add_lines(&entry, symbol_of(event->site.address));
    return entry;
}

static bool same_lines(const struct listed_event *a, const struct listed_event *b)
{
    if (a->line_count != b->line_count)
        return false;
    for (unsigned i = 0; i < a->line_count; i++)
        if (a->lines[i].number != b->lines[i].number || strcmp(a->lines[i].file, b->lines[i].file) != 0)
            return false;
    return true;
}

static bool same(const struct listed_event *a, const struct listed_event *b)
{
    return a->event.phase == b->event.phase && a->event.outcome == b->event.outcome &&
           strcmp(a->operation, b->operation) == 0 && strcmp(a->what, b->what) == 0 && same_lines(a, b);
}

static int by_phase_and_count(const void *a, const void *b)
{
    const struct coherence_event *x = &((const struct listed_event *)a)->event;
    const struct coherence_event *y = &((const struct listed_event *)b)->event;
    if (x->phase != y->phase)
        return (int)x->phase - (int)y->phase;
    return (x->count < y->count) - (x->count > y->count);
}

/* The compiler makes several calls of some lines. */
static void add(struct event_list *list, const struct coherence_event *event)
{
    struct listed_event entry = listed(event);
    for (size_t i = 0; i < list->size; i++)
        if (same(&list->values[i], &entry)) {
            list->values[i].event.count += event->count;
            list->values[i].event.remote += event->remote;
            return;
        }
    list->values[list->size++] = entry;
}

struct event_list event_list(const struct result *result)
{
    struct event_list list = {must(calloc(result->coherence_event_count + 1, sizeof *list.values)), 0};
    for (size_t i = 0; i < result->coherence_event_count; i++)
        add(&list, &result->coherence_events[i]);
    qsort(list.values, list.size, sizeof *list.values, by_phase_and_count);
    return list;
}
