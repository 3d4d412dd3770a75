/* SPDX-License-Identifier: MIT */
/* The simulated machine at work: threads as coroutines on CPUs, their accesses through the protocol engine, and a
 * scheduler for when there are more threads than CPUs. One world at a time. */
#ifndef RECIP_SIM_WORLD_H
#define RECIP_SIM_WORLD_H

#include "instrument/coroutine.h"
#include "port/thread.h"
#include "sim/coherence.h"
#include "sim/memory.h"

enum phase { PHASE_ELSEWHERE, PHASE_ACQUIRE, PHASE_CRITICAL, PHASE_RELEASE, PHASES };

/* What a thread suffered. */
struct counts {
    uint64_t misses, upgrades;
    uint64_t remote;                              /* of both, those whose line is homed on another socket, */
    uint64_t remote_by_home[MACHINE_MAX_SOCKETS]; /* and by which */
};

/* Where the source asks for an access, and what it calls it; nothing for the workload's own. */
struct site {
    const void *address; /* to which the instrumentation's call returns */
    const char *operation;
};

/* One kind of event: which access to what, from where, in which phase; how often. */
struct coherence_event {
    enum phase phase;
    struct site site;
    enum access access;
    enum outcome outcome;
    enum object object;
    bool own; /* the thread's own object, or another's */
    size_t offset;
    uint64_t count, remote;
};

struct buffered {
    uintptr_t address;
    size_t size; /* 0: written already, only its time is modelled */
    char value[8];
    enum phase phase;
    struct site site;
};

enum { STORE_BUFFER_MOST = 64 };

struct cpu {
    unsigned index, core, socket;
    struct sim_thread *running;
    sim_time slice_ends; /* a timer for another time is an old one */
};

struct sim_thread {
    unsigned index;
    struct thread *record;
    struct coroutine coroutine;
    struct cpu *cpu; /* null: not running */
    sim_time clock;  /* its time, not before the world's while it runs */
    bool due;        /* to be continued as soon as it has a CPU */
    struct sim_thread *next_ready;

    enum phase phase;
    struct site site;
    struct request request;
    sim_time granted;
    struct counts counts;
    bool waited_in_acquire; /* has spun there; for a run to clear */

    /* What it has looked at by atomic loads and read-modify-writes since the last turn of a spin loop: if that is one
     * line, the loop sleeps until it changes. */
    struct line *looked_at;
    uint32_t looked_version;
    bool looked_to_write, looked_elsewhere;
    struct watcher watcher;
    bool watching;
    bool spinning;      /* has not stored since the last turn */
    sim_time spin_ends; /* when it gives up, if the lock parks */

    struct buffered buffer[STORE_BUFFER_MOST];
    unsigned buffer_first, buffer_size;
    struct request buffer_request;
    unsigned buffer_cache;
    bool buffer_busy;    /* a store is under way, or the next is about to be */
    bool buffer_awaited; /* the thread waits until it is empty */

    _Atomic(uintptr_t) *parked_on;
};

struct world {
    const struct machine *machine;
    struct events events;
    struct coherence coherence;
    struct cpu *cpus;
    struct sim_thread *threads;
    unsigned thread_count;
    struct sim_thread *ready_first, *ready_last;
    struct sim_thread *current;
    struct coroutine outside;
    bool parks; /* spin loops give up after a while, to sleep */
    bool stopped;
    unsigned most_watchers; /* of one line at a time */
    void (*run)(struct sim_thread *thread);
    void (*modified)(struct sim_thread *thread);  /* a read-modify-write has changed memory */
    void (*accessing)(struct sim_thread *thread); /* the lock's code is about to */

    bool listing;
    struct coherence_event *coherence_events;
    size_t coherence_event_count;
};

extern struct world world;

/* A world of so many threads, each to execute `run`, which never returns. */
void world_make(const struct machine *machine, unsigned threads, uint64_t seed, void (*run)(struct sim_thread *));
void world_start(void);
void world_free(void);

/* For the running thread: */
void world_site(const void *address, const char *operation); /* of the accesses that follow */
void world_advance(sim_time time);                           /* computes for so long */
/* Before the value is read or changed: waits for the right. Where to read it. */
const void *world_load(const volatile void *address, size_t size);
void world_read(const void *address, size_t size); /* a plain load, which the caller does */
void world_store(volatile void *address, const void *value, size_t size);
void world_written(volatile void *address); /* a plain store, which the caller does */
void world_modify(volatile void *address);  /* before a read-modify-write */
void world_modified(void);                  /* after one that changed memory */
void world_drain(void);                     /* waits until the store buffer is empty */

/* Scheduler (schedule.c). */
void schedule_continue(void *thread); /* the event: runs it on, now or when it has a CPU */
void schedule_block(struct sim_thread *thread);
void schedule_ready(void *thread);
void schedule_leave(void); /* back to the world, from the running thread */

/* List of events (coherence-events.c). */
void coherence_event_record(struct sim_thread *thread, const struct request *request, uintptr_t address,
                            enum phase phase, struct site site);
void coherence_event_name(const struct coherence_event *event, char *text, size_t room);

#endif
