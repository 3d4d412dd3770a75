/* SPDX-License-Identifier: MIT */
#include "sim/events.h"

#include <stdlib.h>

#include "sim/must.h"

static bool before(const struct event *a, const struct event *b)
{
    return a->time != b->time ? a->time < b->time : a->sequence < b->sequence;
}

/* Puts the event into the hole, or what is below it, if that comes sooner. */
static void sift_down(struct events *events, size_t hole, struct event event)
{
    struct event *heap = events->heap;
    for (size_t child = 2 * hole + 1; child < events->size; child = 2 * hole + 1) {
        if (child + 1 < events->size && before(&heap[child + 1], &heap[child]))
            child++;
        if (!before(&heap[child], &event))
            break;
        heap[hole] = heap[child];
        hole = child;
    }
    heap[hole] = event;
}

static void make_room(struct events *events)
{
    events->room = events->room ? 2 * events->room : 64;
    events->heap = must(realloc(events->heap, events->room * sizeof *events->heap));
}

void events_add(struct events *events, sim_time time, void (*happen)(void *subject), void *subject)
{
    struct event event = {time, events->sequence++, happen, subject};
    if (events->vacant) {
        events->vacant = false;
        sift_down(events, 0, event);
        return;
    }
    if (events->size == events->room)
        make_room(events);
    size_t hole = events->size++;
    while (hole > 0 && before(&event, &events->heap[(hole - 1) / 2])) {
        events->heap[hole] = events->heap[(hole - 1) / 2];
        hole = (hole - 1) / 2;
    }
    events->heap[hole] = event;
}

sim_time events_next(const struct events *events)
{
    if (!events->vacant)
        return events->size ? events->heap[0].time : SIM_NEVER;
    sim_time left = events->size > 1 ? events->heap[1].time : SIM_NEVER;
    sim_time right = events->size > 2 ? events->heap[2].time : SIM_NEVER;
    return left < right ? left : right;
}

/* Fills the place of the event that has happened with the last one. */
static void fill_vacancy(struct events *events)
{
    events->vacant = false;
    struct event last = events->heap[--events->size];
    if (events->size)
        sift_down(events, 0, last);
}

/* Most events lead to another one, which takes the place of the first. */
bool events_step(struct events *events)
{
    if (events->vacant)
        fill_vacancy(events);
    if (!events->size)
        return false;
    struct event event = events->heap[0];
    events->vacant = true;
    events->now = event.time;
    event.happen(event.subject);
    return true;
}

void events_free(struct events *events)
{
    free(events->heap);
    *events = (struct events){0};
}
