#include "sim/event-list.h"

#include <stdlib.h>
#include <string.h>

#include "sim/must.h"

static const char *const access_words[] = {"load", "store", "modify"};

/* None if the innermost is not of our sources; of the calls around it those that are. */
static void add_lines(struct listed_event *event, const struct symbol *symbol)
{
    for (unsigned i = 0; symbol && symbol->lines[0].ours && i < symbol->depth; i++)
        if (symbol->lines[i].ours)
            event->lines[event->line_count++] = symbol->lines[i];
}

static struct listed_event listed(const struct happening *happening)
{
    struct listed_event event = {.happening = *happening};
    const char *operation = happening->site.operation;
    event.operation = operation ? operation : access_words[happening->access];
    happening_name(happening, event.what, sizeof event.what);
    add_lines(&event, symbol_of(happening->site.address));
    return event;
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
    return a->happening.phase == b->happening.phase && a->happening.outcome == b->happening.outcome &&
           strcmp(a->operation, b->operation) == 0 && strcmp(a->what, b->what) == 0 && same_lines(a, b);
}

static int by_phase_and_count(const void *a, const void *b)
{
    const struct happening *x = &((const struct listed_event *)a)->happening;
    const struct happening *y = &((const struct listed_event *)b)->happening;
    if (x->phase != y->phase)
        return (int)x->phase - (int)y->phase;
    return (x->count < y->count) - (x->count > y->count);
}

/* The compiler makes several calls of some lines. */
static void add(struct event_list *list, const struct happening *happening)
{
    struct listed_event event = listed(happening);
    for (size_t i = 0; i < list->size; i++)
        if (same(&list->values[i], &event)) {
            list->values[i].happening.count += happening->count;
            list->values[i].happening.remote += happening->remote;
            return;
        }
    list->values[list->size++] = event;
}

struct event_list event_list(const struct result *result)
{
    struct event_list list = {must(calloc(result->happening_count + 1, sizeof *list.values)), 0};
    for (size_t i = 0; i < result->happening_count; i++)
        add(&list, &result->happenings[i]);
    qsort(list.values, list.size, sizeof *list.values, by_phase_and_count);
    return list;
}
