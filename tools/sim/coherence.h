/* SPDX-License-Identifier: MIT */
/* The protocol engine: private caches of unlimited size, one for each core, kept coherent line by line.
 *
 * | state | a cache that has the line in it may                                     |
 * |-------|-------------------------------------------------------------------------|
 * | M     | read and write; memory is out of date                                   |
 * | E     | read, and write without asking, which makes it M                        |
 * | O     | read; answers for memory, which is out of date (MOESI only)             |
 * | S     | read                                                                    |
 * | I     | nothing                                                                 |
 *
 * A transaction is a request that a cache cannot serve itself. Those for one line are served in the order of their
 * arrival: a write alone, reads pipelined, one read_occupancy apart. Half-way through its latency the other caches lose
 * what they have to lose; at its end the requester has its right and the access happens. So a cache that has got a line
 * keeps it for at least half a latency, whoever waits for it.
 */
#ifndef RECIP_SIM_COHERENCE_H
#define RECIP_SIM_COHERENCE_H

#include <stdbool.h>
#include <stdint.h>

#include "sim/machine.h"

enum access { ACCESS_LOAD, ACCESS_STORE, ACCESS_RMW };

/* What an access met: its right was there; the line was not; the line was there, to read only. */
enum outcome { OUTCOME_HIT, OUTCOME_MISS, OUTCOME_UPGRADE };

enum { CACHE_WORDS = MACHINE_MAX_CPUS / 64, NO_CACHE = -1 };

struct request;
struct watcher;

struct line {
    uintptr_t number; /* address / size */
    unsigned home;
    int owner;                    /* the cache in state M, E or O, or NO_CACHE */
    char owner_state;             /* 'M', 'E' or 'O' */
    bool served;                  /* a write is on its way, or the pipeline of reads is taken */
    unsigned reads;               /* on their way */
    uint64_t copies[CACHE_WORDS]; /* the caches that have it, the owner among them */
    uint32_t version;             /* counts the writes */
    struct request *first, *last; /* that wait for their turn */
    struct watcher *watchers;
    sim_time free; /* since when no transaction is served */
};

struct request {
    enum access access;
    unsigned cache;
    void (*done)(struct request *request); /* the right is there, now */
    void *subject;
    sim_time since; /* 0, or from when it could have been under way: its latency is shorter by that */

    /* the engine's, and to be read in done: */
    struct coherence *coherence;
    struct line *line;
    enum outcome outcome;
    bool remote; /* a transaction, and the line's home is another socket */
    sim_time latency;
    struct request *next;
};

/* A spinning thread, asleep until its line is taken from its cache or written by it. */
struct watcher {
    unsigned cache;
    bool writes; /* spins with read-modify-writes: losing the right to write wakes it too */
    void (*wake)(struct watcher *watcher);
    void *subject;
    struct watcher *next;
};

struct coherence {
    const struct machine *machine;
    struct events *events;
    unsigned (*home_of)(uintptr_t address);
    struct line **lines; /* by hash of number; a power of two */
    size_t size, room;
    sim_time link_free;
    uint64_t random;
    uint64_t *invalidations; /* copies lost, by cache */
};

void coherence_init(struct coherence *coherence, const struct machine *machine, struct events *events,
                    unsigned (*home_of)(uintptr_t address), uint64_t seed);
void coherence_free(struct coherence *coherence);

struct line *coherence_line(struct coherence *coherence, uintptr_t address);

/* True, and the access has happened, if the cache has the right to it. */
bool coherence_hit(struct line *line, unsigned cache, enum access access);

/* Otherwise: a transaction. The caller has filled in access, cache, done and subject, and keeps the request until then.
 */
void coherence_request(struct coherence *coherence, struct line *line, struct request *request);

/* Watches the line if its cache still has its right to it and nobody has written since `version`. How many watch it
 * now, or 0: look again instead. */
unsigned coherence_watch(struct line *line, struct watcher *watcher, uint32_t version);
void coherence_unwatch(struct line *line, struct watcher *watcher);

/* 'M', 'E', 'O', 'S' or 'I'. */
char coherence_state(const struct line *line, unsigned cache);

#endif
