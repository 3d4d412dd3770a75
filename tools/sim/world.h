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
    sim_time since; /* in the buffer */
};

/* The last line that a thread has waited for, and what it found there. */
struct missed {
    sim_time began, ended;
    uintptr_t value;
};

enum { MAX_STORE_BUFFER = 64 };

/* A CPU and the threads that are ready to run on it. */
struct cpu {
    unsigned index, core, socket;
    struct sim_thread *running;
    struct sim_thread *ready; /* the others, by their share of CPU time, the least first */
    unsigned ready_count;
    int64_t least_share;  /* of those that are here: newcomers start from it */
    sim_time slice_began; /* when the running thread came */
    sim_time slice_ends;  /* a timer for another time is an old one */
    sim_time busy_since, busy;
};

/* What the scheduler and the kernel did with a thread. */
struct doings {
    uint64_t parks;           /* sleeps at a word */
    uint64_t wakes;           /* sleepers that it woke, */
    uint64_t wakes_of_nobody; /* and calls that found none */
    uint64_t woken_in_vain;   /* sleeps that were followed by another before the thread was admitted */
    uint64_t naps, yields, barriers;
    uint64_t preempted, preempted_owner; /* lost its CPU to another thread; of these, in a critical section */
    uint64_t migrations;                 /* went on at another CPU */
};

/* A load of this turn of a spin loop, and what it found. */
struct look {
    struct line *line;
    uint32_t version;
    uintptr_t address;
    size_t size;
    uint64_t value;
};

enum { MAX_LOOKS = 8 };

/* How a thread spins; spin.c. */
struct spin {
    struct look looks[MAX_LOOKS];
    struct watcher watchers[MAX_LOOKS];
    unsigned look_count; /* in a turn */
    unsigned looked;     /* in this turn, so far */
    bool turn_over;      /* the next look starts another turn */
    unsigned alike;      /* turns that were, */
    sim_time began;      /* since then */
    bool resting;        /* asleep until a line changes, or until */
    sim_time rest_ends;
    sim_time known_until; /* nothing that it looked at has changed before */
    bool behind;          /* its clock is before that: it makes up for the turns that it slept through */
    sim_time lost;        /* from then on until it had its CPU again */
};

struct sim_thread {
    unsigned index;
    struct thread *record;
    struct coroutine coroutine;
    sim_time clock; /* its time, not before the world's while it runs */
    bool due;       /* to be continued as soon as it has a CPU */

    /* Scheduling. */
    struct cpu *cpu;  /* null: not running */
    struct cpu *last; /* where it ran last */
    bool is_ready;    /* in the queue of `last` */
    struct sim_thread *next_ready;
    int64_t share;        /* CPU time that it has had, as the scheduler counts it; without what it has had since */
    sim_time share_since; /* then */
    sim_time stopped;     /* when it last had a CPU */
    sim_time ready_since;
    sim_time left; /* of the computation that it was in when it lost its CPU */
    struct doings doings;

    enum phase phase;
    struct site site;
    struct request request;
    sim_time granted;
    struct counts counts;
    bool waited_in_acquire; /* has spun or slept there; for a run to clear */
    bool woken;             /* since it was last admitted; for a run to clear */

    /* What its core does ahead; ahead.c. */
    sim_time computed; /* while read-modify-writes were under way: so much of what follows takes no time */
    unsigned stores;   /* since the last of them */
    struct missed missed;
    bool turned; /* a spin loop, since the last miss */

    /* What it has looked at by atomic loads and read-modify-writes since the last turn of a spin loop: if that is one
     * line, the loop sleeps until it changes. For locks that spin for as long as it takes; others: spin. */
    struct line *looked_at;
    uint32_t looked_version;
    bool looked_to_write, looked_elsewhere;
    struct watcher watcher;
    bool watching;
    struct spin spin;

    struct buffered buffer[MAX_STORE_BUFFER];
    unsigned buffer_first, buffer_size;
    uint64_t buffer_taken; /* stores that have left it, ever */
    struct request buffer_request;
    unsigned buffer_cache;
    bool buffer_busy;    /* a store is under way, or the next is about to be */
    bool buffer_awaited; /* the thread waits until it is empty */

    /* Asleep. */
    const volatile void *asleep_at; /* a word; null if by the clock only */
    uint32_t asleep_as;             /* of these kinds */
    struct bucket *bucket;          /* in which */
    struct sim_thread *next_asleep;
    sim_time sleep_ends; /* SIM_NEVER: when it is woken; a timer for another time is an old one */
    sim_time way_back;   /* of an idle CPU after its timer, where that is not in sleep_ends */
    bool timed_out;

    bool in_section; /* between the two steps of a release, */
    bool aborted;    /* and to start again */
};

struct recip_waiter_;

struct world {
    const struct machine *machine;
    struct events events;
    struct coherence coherence;
    struct cpu *cpus;
    struct sim_thread *threads;
    unsigned thread_count;
    struct sim_thread *current;
    struct coroutine outside;
    bool counts_turns; /* spin loops give up after a while, to sleep */
    bool stopped;
    unsigned most_watchers; /* of one line at a time */
    void (*run)(struct sim_thread *thread);
    void (*modified)(struct sim_thread *thread);  /* a read-modify-write has changed memory */
    void (*accessing)(struct sim_thread *thread); /* the lock's code is about to */

    struct recip_waiter_ *free_waiters;
    uint64_t random; /* for what is not a transaction */

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
void world_advance_unevenly(sim_time time);                  /* more or less so long, by the machine's jitter */
/* Before the value is read or changed: waits for the right. Where to read it. */
const void *world_load(const volatile void *address, size_t size);
void world_read(const void *address, size_t size); /* a plain load, which the caller does */
void world_store(volatile void *address, const void *value, size_t size);
bool world_store_unless_aborted(volatile void *address, const void *value, size_t size); /* the release of two steps */
void world_written(volatile void *address); /* a plain store, which the caller does */
void world_modify(volatile void *address);  /* before a read-modify-write */
void world_modified(void);                  /* after one that changed memory */
void world_drain(void);                     /* waits until the store buffer is empty */

/* A core that computes ahead (ahead.c): does a read-modify-write that hits; computes for so long, or has done so; since
 * when an access that has come could have been under way, 0 for not before now; one has missed, which could have begun
 * so early. */
void ahead_do_atomic(struct sim_thread *thread);
void ahead_compute(struct sim_thread *thread, sim_time time);
sim_time ahead_could_begin(const struct sim_thread *thread, uintptr_t address, enum access access, sim_time came);
void ahead_note_miss(struct sim_thread *thread, uintptr_t address, enum access access, sim_time began);

/* Scheduler (schedule.c). */
void schedule_continue(void *thread); /* the event: runs it on, now or when it has a CPU */
void schedule_block(struct sim_thread *thread);
void schedule_start(void *thread);
void schedule_wake(struct sim_thread *thread);  /* by another thread, */
void schedule_timer(struct sim_thread *thread); /* or by the clock */
void schedule_yield(struct sim_thread *thread);
void schedule_interrupt(struct cpu *cpu, sim_time time); /* takes so much of the running thread's */
void schedule_count_busy(struct cpu *cpu);               /* up to now */
void schedule_leave(void);                               /* back to the world, from the running thread */

/* The locks' surroundings (port.c), for the world's machine. */
void port_begin(void);

/* Sleeping (sleep.c). */
void sleep_reset(void);
/* The running thread. An idle CPU takes `way_back` more; 0 if `time` is so much later, as that of a nap. */
void sleep_until(sim_time time, sim_time way_back);

/* Spinning (spin.c): what it looks at; what it would find while it makes up for turns. */
void spin_look(struct sim_thread *thread, struct line *line, uintptr_t address, size_t size, uint64_t value);
const void *spin_known(struct sim_thread *thread, uintptr_t address, size_t size); /* or null */
bool spin_private(struct sim_thread *thread, uintptr_t address, enum access access);
void spin_catch_up(struct sim_thread *thread);
void spin_stop(struct sim_thread *thread);
void spin_unlike(struct sim_thread *thread);

/* List of events (coherence-events.c). */
void coherence_event_record(struct sim_thread *thread, const struct request *request, uintptr_t address,
                            enum phase phase, struct site site);
void coherence_event_name(const struct coherence_event *event, char *text, size_t room);

#endif
