/* SPDX-License-Identifier: MIT */
/* The execution graph: locations, the stores to each in modification order, and a hash of the whole.
 *
 * An event is named by its thread and its number in that thread. A store also has the thread's tick, which only grows:
 * the number is given back when a turn of a spin loop is taken out of the graph, the tick is not. */
#ifndef RECIP_CHECK_ENGINE_GRAPH_H
#define RECIP_CHECK_ENGINE_GRAPH_H

#include <stddef.h>

#include "check/engine/clock.h"
#include "check/engine/digest.h"

struct location;

struct store {
    struct location *location;
    struct store *before, *after; /* in modification order */
    struct store *source;         /* what it read, if it is a read-modify-write */
    struct store *taker;          /* the read-modify-write that read this one: it stands right behind */
    struct clock message;         /* what happened before whoever acquires from this store */
    struct clock seen;            /* what its thread had seen, whatever the orders: program order and reads-from */
    uint16_t first_read[CLOCKS];  /* the tick of each thread's first read of it without learning of it, or NEVER */
    uint64_t value;
    unsigned event; /* its place in the trace; 0: the initial value */
    uint16_t tick, number;
    uint8_t thread;
    uint8_t bytes;  /* which of the location's it wrote, a bit for each; the others are those of the store before */
    bool unwritten; /* stands for memory that nobody has written */
};

struct location {
    uintptr_t address;
    struct store *first, *last;
    unsigned count; /* of stores */
    uint8_t size;
};

/* Of all events but the turns of spin loops, and of those turns. */
extern struct hash graph_hash, graph_turns;

/* Limits of one execution; beyond them the exploration is not complete. */
enum { MAX_STORES = 1 << 13, MAX_LOCATIONS = 1 << 11 };

/* Forgets everything. */
void graph_reset(void);

/* The location that an access of that size belongs to, made on first use from what is in memory; null if there are too
 * many. */
struct location *graph_location(uintptr_t address, unsigned size);

/* The location that begins there, if there is one. */
struct location *graph_find(uintptr_t address);

/* All of them, in the order of their first use. */
const struct location *graph_locations(unsigned *count);

/* Whether coherence forbids a thread with this clock everything before the store: it, or a read of it, has happened. */
static inline bool graph_known(const struct store *store, const struct clock *now)
{
    bool known = store->tick <= now->at[store->thread];
    for (int i = 0; i < CLOCKS; i++)
        known |= store->first_read[i] <= now->at[i];
    return known;
}

/* A store right behind another in modification order; null if there are too many. */
struct store *graph_insert(struct store *behind, unsigned thread, unsigned tick, unsigned number, uint64_t value);

/* What happened before whoever acquires from these bytes of the store: some may be older than it. */
void graph_join_message(struct clock *clock, const struct store *store, unsigned bytes);

/* Takes the store out again. */
void graph_remove(struct store *store);

/* For snapshot.c. */
void graph_snapshot(void);

/* Puts a fact into the hash, or takes it out: the same four numbers, in any order among other facts. */
void graph_add(uint64_t a, uint64_t b, uint64_t c, uint64_t d);
void graph_subtract(uint64_t a, uint64_t b, uint64_t c, uint64_t d);
void graph_add_turn(uint64_t a, uint64_t b, uint64_t c, uint64_t d);

/* The name of an event as one number. */
static inline uint64_t event_name(unsigned thread, unsigned number)
{
    return (uint64_t)thread << 32 | number;
}

#endif
