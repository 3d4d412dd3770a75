/* SPDX-License-Identifier: MIT */
/* The mutex's words, and what everybody who waits does with them. The bits of the state are in <recip.h>; mutex.c says
 * who may change them. */
#ifndef RECIP_SRC_STATE_H
#define RECIP_SRC_STATE_H

#include <stdbool.h>

#include "port/port.h"

#include <recip.h>

#include "src/tunables.h"

#define LOCKED RECIP_LOCKED_
#define RESERVED RECIP_RESERVED_
#define EXPRESS RECIP_EXPRESS_
#define EXPRESS_SLEEPS RECIP_EXPRESS_SLEEPS_
#define BARRED RECIP_BARRED_
#define LEADER_SLEEPS RECIP_LEADER_SLEEPS_
#define WAKE_DUE RECIP_WAKE_DUE_
#define HANDS_OVER RECIP_HANDS_OVER_

/* Above the marks: how many express waiters nap, EXPRESS_SLEEPER each; one of them has been woken in vain, so that
 * release is to leave the mutex to it. */
#define EXPRESS_SLEEPER UINT32_C(0x10000)
#define EXPRESS_SLEEPERS_MAX UINT32_C(0xff0000)
#define EXPRESS_INSISTS UINT32_C(0x1000000)
#define EXPRESS_NAPPING (EXPRESS_SLEEPS | EXPRESS_SLEEPERS_MAX | EXPRESS_INSISTS)

/* Who sleeps at the state word. */
enum { LEADER_KIND = 1, EXPRESS_KIND = 2 };

static inline _Atomic(uint32_t) *state_of(recip_mutex_t *mutex)
{
    return (_Atomic(uint32_t) *)&mutex->state;
}

/* relaxed: a hint. */
static inline uint32_t state_load(recip_mutex_t *mutex)
{
    return atomic_load_explicit(state_of(mutex), memory_order_relaxed);
}

/* relaxed, here and in the next two: a mark says nothing about anything else. */
static inline bool state_change(recip_mutex_t *mutex, uint32_t from, uint32_t to)
{
    return atomic_compare_exchange_strong_explicit(state_of(mutex), &from, to, memory_order_relaxed,
                                                   memory_order_relaxed);
}

static inline void state_set(recip_mutex_t *mutex, uint32_t marks)
{
    atomic_fetch_or_explicit(state_of(mutex), marks, memory_order_relaxed);
}

static inline void state_clear(recip_mutex_t *mutex, uint32_t marks)
{
    atomic_fetch_and_explicit(state_of(mutex), ~marks, memory_order_relaxed);
}

/* Takes a mutex that is free or reserved. Marks of others stay; an express waiter that is awake marks again.
 * acquire: with the release of the owner before, in recip_release_ and in recip_mutex_unlock_slow_. */
static inline bool state_take(recip_mutex_t *mutex, uint32_t from, uint32_t marks)
{
    return atomic_compare_exchange_strong_explicit(state_of(mutex), &from, (marks & ~(RESERVED | EXPRESS)) | LOCKED,
                                                   memory_order_acquire, memory_order_relaxed);
}

/* ---- The bound ---- */

/* relaxed, as all accesses: owners are ordered by the mutex, and waiters only look. */
static inline uint16_t passes_load(recip_mutex_t *mutex)
{
    return __atomic_load_n(&mutex->passes, __ATOMIC_RELAXED);
}

/* + 1. Nobody writes it; atomic, because a plain read makes `recip check` record every access to its neighbours. */
static inline uint16_t bound_of(recip_mutex_t *mutex)
{
    return __atomic_load_n(&mutex->bound, __ATOMIC_RELAXED);
}

static inline bool bound_is_below(recip_mutex_t *mutex, unsigned limit)
{
    return (uint16_t)(bound_of(mutex) - 1) < limit;
}

static inline bool never_passed(recip_mutex_t *mutex)
{
    return bound_is_below(mutex, 1);
}

/* By the owner. */
static inline void start_count(recip_mutex_t *mutex)
{
    __atomic_store_n(&mutex->passes, (uint16_t)(1 - bound_of(mutex)), __ATOMIC_RELAXED);
}

/* ---- Looking ---- */

static inline void wait_awake(int64_t ticks)
{
    if (ticks > 0)
        port_wait(ticks);
}

/* What a waiter saw when it last looked how often others have passed. */
struct observation {
    uint16_t passes;
    int64_t ticks;
};

static inline struct observation observe(recip_mutex_t *mutex)
{
    return (struct observation){passes_load(mutex), port_ticks()};
}

/* Whether others have passed by so often since the last look that the mutex had better stay with them for a while:
 * a thread that competes for it takes the cache lines from its owner. */
static inline bool is_hot(recip_mutex_t *mutex, struct observation *last)
{
    struct observation now = observe(mutex);
    uint16_t passes = (uint16_t)(now.passes - last->passes);
    bool hot = passes >= FEW_PASSES && now.ticks - last->ticks < passes * recip_tuning.hot_gap;
    *last = now;
    return hot;
}

/* ---- How to wait: own-cpu.c ---- */

/* Let others run; for how many ticks they did. */
int64_t recip_yield(void);
/* The same, if this thread has not done so for a while. */
void recip_give_way_now_and_then(void);
/* Whether nobody else wanted this thread's CPU when it last asked. */
bool recip_has_own_cpu(void);

/* A wait without sleep: when it began, and when the thread last yielded in it. */
struct awake {
    int64_t since, yielded;
};

static inline struct awake awake_from_now(void)
{
    int64_t now = port_ticks();
    return (struct awake){now, now};
}

/* How long to stay awake: so long where threads may exceed CPUs, longer with a CPU of one's own. */
int64_t recip_patience(int64_t of_many);
/* Between two looks: whether to look again; yields now and then. */
bool recip_is_patient(struct awake *awake, int64_t patience, int64_t between_yields);

/* ---- Before the queue: express.c, newcomer.c. True if they have taken the mutex ---- */

/* By a thread that has credit, which it pays with: ask to be next. */
bool recip_mutex_take_express(recip_mutex_t *mutex);
/* By any thread: look for a while. */
bool recip_mutex_take_as_newcomer(recip_mutex_t *mutex);

/* By a leader: leave the mutex to the others for a long look, and learn whether it is hot. */
void recip_find_out_if_hot(recip_mutex_t *mutex);

/* The thread has waited since then: for that time its credit does not grow. */
void recip_credit_waited(int64_t since);
/* The thread has held up somebody who asked to be next: it has no credit now. */
void recip_credit_lose(void);

#endif
