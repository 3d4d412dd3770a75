/* SPDX-License-Identifier: MIT */
/* The virtual clock: what is to happen, in order of time; at one time, in the order in which it was asked for. */
#ifndef RECIP_SIM_EVENTS_H
#define RECIP_SIM_EVENTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Picoseconds. */
typedef uint64_t sim_time;
#define SIM_NANOSECOND ((sim_time)1000)
#define SIM_NEVER UINT64_MAX

struct event {
    sim_time time;
    uint64_t sequence;
    void (*happen)(void *subject);
    void *subject;
};

struct events {
    struct event *heap;
    size_t size, room;
    bool vacant; /* the first has happened, and its place is free */
    sim_time now;
    uint64_t sequence;
};

void events_add(struct events *events, sim_time time, void (*happen)(void *subject), void *subject);

/* The time of the next one, or SIM_NEVER. */
sim_time events_next(const struct events *events);

/* Moves the clock on to the next one and lets it happen. False: there is none. */
bool events_step(struct events *events);

void events_free(struct events *events);

#endif
