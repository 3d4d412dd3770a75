/* SPDX-License-Identifier: MIT */
#include "sim/coherence.h"

#include <stdlib.h>
#include <string.h>

#include "sim/must.h"
#include "sim/random.h"

static bool has_copy(const struct line *line, unsigned cache)
{
    return line->copies[cache / 64] >> cache % 64 & 1;
}

static unsigned other_copies(const struct line *line, unsigned cache)
{
    unsigned count = 0;
    for (int i = 0; i < CACHE_WORDS; i++)
        count += (unsigned)__builtin_popcountll(line->copies[i]);
    return count - has_copy(line, cache);
}

static bool may(const struct line *line, unsigned cache, bool write)
{
    if (!write)
        return has_copy(line, cache);
    return line->owner == (int)cache && line->owner_state != 'O';
}

char coherence_state(const struct line *line, unsigned cache)
{
    if (line->owner == (int)cache)
        return line->owner_state;
    return has_copy(line, cache) ? 'S' : 'I';
}

/* Lines: a hash table that grows, of lines that stay where they are. */

static size_t slot_of(const struct coherence *coherence, uintptr_t number)
{
    size_t slot = (size_t)(number * UINT64_C(0x9e3779b97f4a7c15) >> 32) & (coherence->room - 1);
    while (coherence->lines[slot] && coherence->lines[slot]->number != number)
        slot = (slot + 1) & (coherence->room - 1);
    return slot;
}

static void grow(struct coherence *coherence)
{
    struct line **old = coherence->lines;
    size_t room = coherence->room;
    coherence->room = room ? 2 * room : 1024;
    coherence->lines = must(calloc(coherence->room, sizeof *coherence->lines));
    for (size_t i = 0; i < room; i++)
        if (old[i])
            coherence->lines[slot_of(coherence, old[i]->number)] = old[i];
    free(old);
}

struct line *coherence_line(struct coherence *coherence, uintptr_t address)
{
    uintptr_t number = address / coherence->machine->line;
    size_t slot = slot_of(coherence, number);
    if (coherence->lines[slot])
        return coherence->lines[slot];
    if (2 * ++coherence->size > coherence->room) {
        grow(coherence);
        slot = slot_of(coherence, number);
    }
    struct line *line = must(calloc(1, sizeof *line));
    line->number = number;
    line->home = coherence->home_of(address);
    line->owner = NO_CACHE;
    return coherence->lines[slot] = line;
}

void coherence_init(struct coherence *coherence, const struct machine *machine, struct events *events,
                    unsigned (*home_of)(uintptr_t address), uint64_t seed)
{
    *coherence = (struct coherence){.machine = machine, .events = events, .home_of = home_of, .random = seed};
    coherence->invalidations = must(calloc(machine->sockets * machine->cores, sizeof *coherence->invalidations));
    grow(coherence);
}

void coherence_free(struct coherence *coherence)
{
    for (size_t i = 0; i < coherence->room; i++)
        free(coherence->lines[i]);
    free(coherence->lines);
    free(coherence->invalidations);
}

/* Watchers. */

static void wake_watchers(struct line *line, bool (*of)(const struct line *line, const struct watcher *watcher))
{
    struct watcher **link = &line->watchers, *woken = NULL, **last = &woken;
    while (*link) {
        struct watcher *watcher = *link;
        if (!of(line, watcher)) {
            link = &watcher->next;
            continue;
        }
        *link = watcher->next;
        *last = watcher;
        last = &watcher->next;
    }
    *last = NULL;
    while (woken) {
        struct watcher *watcher = woken;
        woken = watcher->next;
        watcher->wake(watcher);
    }
}

static bool is_watching(const struct line *line, const struct watcher *watcher)
{
    (void)line;
    (void)watcher;
    return true;
}

static bool has_lost_its_right(const struct line *line, const struct watcher *watcher)
{
    return !may(line, watcher->cache, watcher->writes);
}

unsigned coherence_watch(struct line *line, struct watcher *watcher, uint32_t version)
{
    if (line->version != version || has_lost_its_right(line, watcher))
        return 0;
    unsigned count = 1;
    struct watcher **link = &line->watchers;
    for (; *link; link = &(*link)->next)
        count++;
    watcher->next = NULL;
    *link = watcher;
    return count;
}

void coherence_unwatch(struct line *line, struct watcher *watcher)
{
    struct watcher **link = &line->watchers;
    while (*link && *link != watcher)
        link = &(*link)->next;
    if (*link)
        *link = watcher->next;
}

/* The line is written, by the one cache that may: who still watches it is a hardware thread of the same core. */
static void written(struct line *line)
{
    line->owner_state = 'M';
    line->version++;
    if (line->watchers)
        wake_watchers(line, is_watching);
}

bool coherence_hit(struct line *line, unsigned cache, enum access access)
{
    bool write = access != ACCESS_LOAD;
    if (!may(line, cache, write))
        return false;
    if (write)
        written(line);
    return true;
}

/* Latencies. */

static unsigned socket_of(const struct coherence *coherence, unsigned cache)
{
    return cache / coherence->machine->cores;
}

/* Whether a copy besides the requester's own is on that socket. */
static bool copy_on(const struct coherence *coherence, const struct line *line, unsigned socket, unsigned besides)
{
    unsigned cores = coherence->machine->cores;
    for (unsigned cache = socket * cores; cache < (socket + 1) * cores; cache++)
        if (cache != besides && has_copy(line, cache))
            return true;
    return false;
}

/* The socket that the answer comes from: the owner's; else, for a read, the nearest copy, and for a write the furthest,
 * as all have to be taken away; else the home's memory. */
static unsigned answering_socket(const struct coherence *coherence, const struct request *request)
{
    const struct line *line = request->line;
    unsigned near = socket_of(coherence, request->cache);
    bool write = request->access != ACCESS_LOAD;
    if (line->owner != NO_CACHE && line->owner != (int)request->cache && !(write && line->owner_state == 'O'))
        return socket_of(coherence, (unsigned)line->owner);
    unsigned answer = other_copies(line, request->cache) ? near : line->home;
    bool near_copy = copy_on(coherence, line, near, request->cache);
    for (unsigned socket = 0; socket < coherence->machine->sockets; socket++)
        if (socket != near && (write || !near_copy) && copy_on(coherence, line, socket, request->cache))
            answer = socket;
    return answer;
}

/* Whether a copy besides the requester's own is within its cluster, or outside of it. */
static bool copy_in_cluster(const struct coherence *coherence, const struct request *request, bool within)
{
    const struct machine *machine = coherence->machine;
    unsigned size = machine->cores / machine->clusters, first = request->cache / size * size;
    for (unsigned cache = 0; cache < machine->sockets * machine->cores; cache++)
        if (cache != request->cache && (cache - first < size) == within && has_copy(request->line, cache))
            return true;
    return false;
}

/* Where a socket has several clusters, the last level of each knows what is in it. A read is settled there if it finds
 * the line, a write if nobody else has it. */
static bool settled_in_cluster(const struct coherence *coherence, const struct request *request)
{
    if (coherence->machine->clusters == 1 || !copy_in_cluster(coherence, request, true))
        return false;
    return request->access == ACCESS_LOAD || !copy_in_cluster(coherence, request, false);
}

/* Out of the cluster and back, unless memory answers: its latency has that. */
static unsigned cluster_hops_of(const struct coherence *coherence, const struct request *request)
{
    if (coherence->machine->clusters == 1 || !copy_in_cluster(coherence, request, false))
        return 0;
    return settled_in_cluster(coherence, request) ? 0 : 2;
}

static unsigned hops_of(const struct coherence *coherence, const struct request *request)
{
    if (settled_in_cluster(coherence, request))
        return 0;
    unsigned from = socket_of(coherence, request->cache), home = request->line->home;
    unsigned answer = answering_socket(coherence, request);
    if (answer == from && coherence->machine->adjudication == ADJUDICATION_SOCKET &&
        other_copies(request->line, request->cache))
        return 0;
    return (from != home) + (home != answer) + (answer != from);
}

/* Taking copies away is a round trip through the last level to the caches that have them, data or no data: a write that
 * finds clean copies waits for it as an upgrade does, while its data come from the last level. */
static sim_time base_latency(const struct machine *machine, const struct request *request)
{
    const struct line *line = request->line;
    bool write = request->access != ACCESS_LOAD, upgrade = request->outcome == OUTCOME_UPGRADE;
    unsigned others = other_copies(line, request->cache);
    sim_time further = write && others > 1 ? (others - 1) * machine->invalidate : 0;
    if (!upgrade && line->owner != NO_CACHE)
        return (!write && machine->fetch ? machine->fetch : machine->transfer) + further;
    if (!upgrade && !others)
        return machine->memory;
    sim_time round_trip = machine_upgrade(machine);
    if (!upgrade && round_trip < machine->shared)
        round_trip = machine->shared;
    return write ? round_trip + further : machine->shared;
}

static sim_time latency_of(struct coherence *coherence, const struct request *request)
{
    const struct machine *machine = coherence->machine;
    sim_time now = coherence->events->now, latency = base_latency(machine, request);
    latency += cluster_hops_of(coherence, request) * machine->cluster_hop;
    unsigned hops = hops_of(coherence, request);
    if (machine->jitter) {
        uint64_t spread = 2 * machine->jitter * latency / 100;
        latency += random_below(&coherence->random, spread + 1) - spread / 2;
    }
    if (hops) {
        sim_time free = coherence->link_free > now ? coherence->link_free : now;
        coherence->link_free = free + hops * machine->link_occupancy;
        latency += hops * machine->hop + (free - now);
    }
    return latency;
}

/* Transactions. */

static void serve(struct coherence *coherence, struct line *line);

/* All but the requester's. */
static void lose_copies(struct request *request)
{
    struct line *line = request->line;
    for (unsigned i = 0; i < CACHE_WORDS; i++) {
        uint64_t lost = line->copies[i];
        if (request->cache / 64 == i)
            lost &= ~(UINT64_C(1) << request->cache % 64);
        line->copies[i] &= ~lost;
        for (; lost; lost &= lost - 1)
            request->coherence->invalidations[i * 64 + (unsigned)__builtin_ctzll(lost)]++;
    }
}

static void write_takes(void *subject)
{
    struct request *request = subject;
    struct line *line = request->line;
    lose_copies(request);
    if (line->owner != (int)request->cache)
        line->owner = NO_CACHE;
    wake_watchers(line, has_lost_its_right);
}

static void write_ends(void *subject)
{
    struct request *request = subject;
    struct line *line = request->line;
    line->owner = (int)request->cache;
    line->copies[request->cache / 64] |= UINT64_C(1) << request->cache % 64;
    line->served = false;
    line->free = request->coherence->events->now;
    written(line);
    request->done(request);
    serve(request->coherence, line);
}

static void read_takes(void *subject)
{
    struct request *request = subject;
    struct line *line = request->line;
    if (line->owner == NO_CACHE)
        return;
    if (line->owner_state == 'M' && request->coherence->machine->protocol == PROTOCOL_MIGRATORY)
        lose_copies(request);
    if (line->owner_state == 'M' && request->coherence->machine->protocol == PROTOCOL_MOESI)
        line->owner_state = 'O';
    else if (line->owner_state != 'O')
        line->owner = NO_CACHE;
    wake_watchers(line, has_lost_its_right);
}

static void read_ends(void *subject)
{
    struct request *request = subject;
    struct line *line = request->line;
    line->reads--;
    line->free = request->coherence->events->now;
    if (!other_copies(line, request->cache) && !line->reads) {
        line->owner = (int)request->cache;
        line->owner_state = 'E';
    }
    line->copies[request->cache / 64] |= UINT64_C(1) << request->cache % 64;
    request->done(request);
    serve(request->coherence, line);
}

static void pipeline_free(void *subject)
{
    struct request *request = subject;
    request->line->served = false;
    serve(request->coherence, request->line);
}

/* By the time that it could have been under way, with its line free. */
static void shorten(const struct coherence *coherence, struct request *request)
{
    if (!request->since)
        return;
    sim_time since = request->since > request->line->free ? request->since : request->line->free;
    sim_time head_start = coherence->events->now > since ? coherence->events->now - since : 0;
    request->latency -= head_start < request->latency ? head_start : request->latency;
}

static void begin(struct coherence *coherence, struct line *line, struct request *request)
{
    struct events *events = coherence->events;
    const struct machine *machine = coherence->machine;
    bool write = request->access != ACCESS_LOAD;
    request->outcome = has_copy(line, request->cache) ? OUTCOME_UPGRADE : OUTCOME_MISS;
    request->remote = line->home != socket_of(coherence, request->cache);
    request->latency = latency_of(coherence, request);
    shorten(coherence, request);
    line->served = true;
    sim_time half = events->now + request->latency / 2, end = events->now + request->latency;
    if (write) {
        events_add(events, half, write_takes, request);
        events_add(events, end, write_ends, request);
        return;
    }
    line->reads++;
    sim_time occupied = machine->read_occupancy < request->latency ? machine->read_occupancy : request->latency;
    if (line->owner != NO_CACHE && line->owner_state != 'O')
        events_add(events, half, read_takes, request);
    events_add(events, events->now + occupied, pipeline_free, request);
    events_add(events, end, read_ends, request);
}

/* A hardware thread of the same core has brought the line in the meantime. */
static void found(void *subject)
{
    struct request *request = subject;
    request->done(request);
}

static void serve(struct coherence *coherence, struct line *line)
{
    while (line->first && !line->served) {
        struct request *request = line->first;
        bool write = request->access != ACCESS_LOAD;
        if (write && line->reads)
            return;
        line->first = request->next;
        if (coherence_hit(line, request->cache, request->access)) {
            request->outcome = OUTCOME_HIT;
            request->remote = false;
            events_add(coherence->events, coherence->events->now, found, request);
        } else {
            begin(coherence, line, request);
        }
    }
}

void coherence_request(struct coherence *coherence, struct line *line, struct request *request)
{
    request->coherence = coherence;
    request->line = line;
    request->next = NULL;
    if (line->first)
        line->last->next = request;
    else
        line->first = request;
    line->last = request;
    serve(coherence, line);
}
