/* SPDX-License-Identifier: MIT */
#include "sim/events.h"

#include <stdlib.h>

#include "sim/must.h"

static bool before(const struct event *a, const struct event *b)
{
    return a->time != b->time ? a->time < b->time : a->sequence < b->sequence;
}

void events_add(struct events *events, sim_time time, void (*happen)(void *subject), void *subject)
{
    if (events->size == events->room) {
        events->room = events->room ? 2 * events->room : 64;
        events->heap = must(realloc(events->heap, events->room * sizeof *events->heap));
    }
    struct event event = {time, events->sequence++, happen, subject};
    size_t hole = events->size++;
    while (hole > 0 && before(&event, &events->heap[(hole - 1) / 2])) {
        events->heap[hole] = events->heap[(hole - 1) / 2];
        hole = (hole - 1) / 2;
    }
    events->heap[hole] = event;
}

sim_time events_next(const struct events *events)
{
    return events->size ? events->heap[0].time : SIM_NEVER;
}

static void remove_first(struct events *events)
{
    struct event last = events->heap[--events->size];
    size_t hole = 0;
    for (;;) {
        size_t child = 2 * hole + 1;
        if (child >= events->size)
            break;
        if (child + 1 < events->size && before(&events->heap[child + 1], &events->heap[child]))
            child++;
        if (!before(&events->heap[child], &last))
            break;
        events->heap[hole] = events->heap[child];
        hole = child;
    }
    events->heap[hole] = last;
}

bool events_step(struct events *events)
{
    if (!events->size)
        return false;
    struct event event = events->heap[0];
    remove_first(events);
    events->now = event.time;
    event.happen(event.subject);
    return true;
}

void events_free(struct events *events)
{
    free(events->heap);
    *events = (struct events){0};
}
