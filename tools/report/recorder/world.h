/* Threads of the recorder: each advances by one access to shared memory when it is told to, and nobody else moves. */
#ifndef RECIP_REPORT_RECORDER_WORLD_H
#define RECIP_REPORT_RECORDER_WORLD_H

#include <stdbool.h>

#include "report/recorder/subject.h"
#include "instrument/coroutine.h"

enum { MOST_PLAYERS = 6, FRAMES = 4 };

enum operation { LOAD, STORE, EXCHANGE, COMPARE };

/* One access, as it happened. */
struct access {
    enum operation operation;
    const void *address;
    uintptr_t before, after;
    int order;                  /* as __ATOMIC_RELAXED and the others count; of a compare-and-swap that of success */
    const void *frames[FRAMES]; /* return addresses, innermost first */
};

enum order { NOTHING, ACQUIRE, RELEASE };

struct player {
    struct thread thread;
    struct reciprocating_context context;
    enum order order; /* what it is at; NOTHING when it has done it */
    struct coroutine coroutine;
    _Alignas(16) char stack[1 << 16];
};

struct world {
    struct reciprocating_lock lock;
    struct player players[MOST_PLAYERS];
};

void world_start(struct world *world, int players);

/* The player makes its next access, and goes on until it is about to make another, or has done what it was told. */
struct access world_step(struct world *world, int player);

#endif
