/* SPDX-License-Identifier: MIT */
/* Whether something never ends: the states of a program and what leads from one to the other, and whether threads can
 * go round in them for ever although each of them gets its turns and each store is seen in the end. */
#ifndef RECIP_CHECK_ENGINE_LIVENESS_H
#define RECIP_CHECK_ENGINE_LIVENESS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "check/engine/digest.h"

/* What a thread does at one of its turns. */
struct move {
    uintptr_t address;  /* of the atomic */
    uint8_t taken;      /* which of the choices there are */
    uint8_t thread;     /* whose turn */
    uint8_t admits;     /* the threads that own a lock by it, a bit for each */
    bool any;           /* any thread could have been chosen */
    bool writes, stale; /* it changes the atomic; it reads what is not the newest store */
    bool spurious;      /* it wakes, or fails, for no reason: that does not happen for ever */
};

/* The state before the first: nothing has happened. */
enum { LIVENESS_START = 0 };

void liveness_begin(void);

/* The number of a state, which is made on first sight; whether that is now. */
unsigned liveness_state(struct hash hash, bool *is_new);
unsigned liveness_count(void);
size_t liveness_bytes(void);
struct hash liveness_hash(unsigned state);

/* These steps lead from the state to another. Those from one state come one after another. */
void liveness_edge(unsigned from, unsigned to, const struct move *steps, unsigned count);

/* Of a state: which threads could take a step, have not ended, and would wait in vain if they took one; a bit for each.
 */
void liveness_threads(unsigned state, uint8_t ready, uint8_t unfinished);
void liveness_waits(unsigned state, unsigned thread);

/* The steps that lead there from the start, state by state: calls `each` with those to the next state, until it returns
 * false. */
typedef bool liveness_visitor(const struct move *steps, unsigned count, unsigned to);
bool liveness_path(unsigned to, liveness_visitor *each);

/* A circle that can be gone round for ever. */
struct circle {
    unsigned state; /* one of it */
    uint8_t kept;   /* the threads that get nowhere in it */
    uint8_t owners; /* those that own a lock in it, again and again; 0: nobody gets anywhere */
};

/* True if there is one in which no thread that has not ended owns a lock (any: or in which one of them does not). */
bool liveness_find(struct circle *circle, bool any);

/* The steps once round that circle. */
bool liveness_round(const struct circle *circle, liveness_visitor *each);

#endif
