/* SPDX-License-Identifier: MIT */
/* One execution: its threads, what each is about to do, and what an access does to the graph. */
#ifndef RECIP_CHECK_ENGINE_EXECUTION_H
#define RECIP_CHECK_ENGINE_EXECUTION_H

#include "check/engine/engine.h"
#include "check/engine/graph.h"
#include "check/engine/handler.h"
#include "check/engine/liveness.h"
#include "check/engine/spin.h"

enum task_state {
    TASK_UNBORN, /* starts when another has ended */
    TASK_READY,  /* about to make its pending access */
    TASK_ASLEEP, /* parked at a word where others park too */
    TASK_FINISHED,
};

enum { MAX_WATCHED = 8, MAX_PICKED = 32 };

struct task {
    uint64_t kept;    /* with which number of the snapshots */
    uint64_t version; /* another one whenever its stack or its next operation may be: never the same for two */
    void (*body)(void *argument);
    void *argument;
    unsigned after;
    unsigned number;
    bool followed; /* another starts when it has ended */
    enum task_state state;
    struct operation pending;
    const void *place; /* of the last access or relax */
    uint64_t result;
    bool swapped, relaxing;
    uint16_t events, reads;     /* reads: since it last did anything else */
    uint8_t picks;              /* how many numbers it has chosen, where executions are counted, */
    uint8_t picked[MAX_PICKED]; /* and which */

    struct clock now;       /* what happened before the next event */
    struct clock learned;   /* what the next acquire fence adds to it */
    struct clock seen;      /* what came before in time, whatever the orders */
    struct clock published; /* what the last release fence gives to relaxed stores */

    /* The last event if it changed nothing: it can be taken out of the graph again. */
    struct {
        struct store *source, *written;
        const void *place;
        uintptr_t address;
        uint16_t size;
        bool first_read;
        bool failed_weakly;
        unsigned event;
        struct clock now, learned, seen, published;
    } idle;

    struct operation parked; /* after a sleep, until the next access; no place: none */
    const void *looked_at;   /* where in the code it looked right before */

    struct store *watched[MAX_WATCHED]; /* what it read since the last change or relax: a spin loop may wait for it */
    unsigned watched_count;
    bool looping;       /* at the second turn of a spin loop */
    bool moved;         /* it was chosen before others */
    bool failed_weakly; /* a weak compare-and-swap of it has failed for no reason */
    struct spin spin;
    struct handler handler;
};

struct choice {
    struct task *task;
    struct store *store; /* to read from, or to stand behind; null for a spurious wake-up and for a wake */
    struct task *woken;
    bool spurious;
    unsigned pick; /* the number that a thread chooses; 0: no signal, otherwise handler.h */
};

/* What came of a choice. A thread that would only wait is not let wait: the execution ends there, because those in
 * which it came later show the same. */
enum outcome {
    OUTCOME_PROGRESS,
    OUTCOME_WAITS,  /* for ever, if no other thread does something: it has seen the newest store */
    OUTCOME_SLEEPS, /* for ever, if nobody wakes it */
    OUTCOME_STALE,  /* it waits, but will see a newer store: that is another choice */
};

struct failure {
    enum failure_kind kind;
    unsigned thread;
    const void *place, *other;
    char text[320];
};

struct execution {
    struct task tasks[CLOCKS]; /* number 0 is the main thread */
    unsigned task_count;       /* including it */
    struct task *running;      /* null: setup, or the end */
    struct failure failure;
    bool alike;           /* threads of the same body and argument are interchangeable */
    bool endless;         /* threads may go on for ever: engine_endless */
    bool handlers;        /* a thread has a signal handler: then graphs are not counted */
    bool active;          /* otherwise instrumented code runs as any other */
    enum outcome outcome; /* of the last choice */
    bool told;            /* a ghost was, since the last choice */
    uint8_t admitted;     /* the threads that own a lock since the last choice, a bit for each */
    bool pruned;          /* another execution shows what this one would */
    bool restart;         /* an assumption was wrong, or graphs are too many: the exploration begins again */
};

extern struct execution execution;

/* Whether executions in the same state are one: then threads that are interchangeable are taken to be, and weak
 * compare-and-swaps fail as often as they like. */
void execution_merge(bool merge);

/* After an execution that was too long: if that may be because of such failures, they are no more free, and the
 * exploration has to begin again. A loop that stores before each try has no end otherwise. */
bool execution_limit_weak_failures(void);
bool execution_weak_failures_limited(void);

/* Whether all threads know at once what one of them does, as if all accesses were seq_cst and nothing raced. */
void execution_in_step(bool all_know);

/* Whether the question is what never ends: then no thread reads stores that are much older than the newest. */
void execution_by_state(bool by);

/* Before setup, and after it: the threads start and come to their first access. */
void execution_begin(void);
void execution_start(void);

/* Whether this execution has ended early: pruned or failed. */
bool execution_over(void);

/* A thread whose next access comes out the same whatever other threads do before it, or null. */
struct task *execution_independent(void);

/* The ways to go on, for one thread or, if `task` is null, for all whose turn it can be. */
unsigned execution_choices(struct task *task, struct choice *choices, unsigned most);

/* Another thread could have been chosen, or not. */
void execution_take(const struct choice *choice, bool any);

/* Whether the thread has just read, and may as well have done so right before its next access: nobody sees it read,
 * and what it could read it can read later. So that access need not be anyone else's turn. Nor is a choice after a
 * read. */
bool execution_reads_on(const struct task *task);

bool execution_finished(void);

/* Of the graph and of where the threads stand. */
struct hash execution_hash(void);

/* Whether acquire fences are used, in any execution since execution_forget. */
bool execution_has_fences(void);
void execution_forget(void);

/* What a step is about: for liveness.h, before and after it is taken. */
struct move execution_step(const struct choice *choice, unsigned number);

/* A bit for each thread that has not ended. */
unsigned execution_unfinished(void);

/* An acquire fence. If it is the first, the exploration has to begin again. */
void execution_fence(void);

/* A bit for each thread that could be chosen. */
unsigned execution_ready(void);

/* A thread that has looked does not park because of a wake that did not wait for others, before which it could have
 * slept: finds out whether it would have done so in vain, however often. The execution ends there. */
void execution_probe_sleep(struct task *task);

/* The threads that are left wait for ever: that is the failure. Of some, a bit for each, the trace shows it already. */
void execution_stuck(unsigned shown);

/* The threads go on for ever, and those whose bits are set get nowhere: that is the failure. */
void execution_never_ends(unsigned kept, unsigned owners);

/* Somebody writes to the stack of that thread, at that address. */
void execution_note_written(unsigned thread);

/* The main thread has seen them all end. */
void execution_join(void);

/* For snapshot.c. */
void execution_snapshot(void);

/* Gives memory back its initial values. The trace stays. */
void execution_end(void);

#endif
