/* SPDX-License-Identifier: MIT */
/* The check world's part of the port for the mutex: time, forks, the release that is no atomic operation, and the
 * barrier against it.
 *
 * A release in two steps is a section. A barrier sends every other thread that is in one back to its start, or waits if
 * it has begun to commit; whichever, the two know of each other then.
 */
#ifndef RECIP_CHECK_PORT_MUTEX_H
#define RECIP_CHECK_PORT_MUTEX_H

#include <stdbool.h>

#include <recip-check.h>

#include "port/release.h"

#define PORT_HAS_MUTEX

enum { MAX_SECTIONS = 8, COMMITTING = 1 };

/* What a client chooses in setup. */
extern struct recip_check_world {
    unsigned rseq_threads; /* release is in two steps, and so many threads, from 1 on, make some; 0: it is atomic */
    unsigned epoch;        /* how often the process has forked */
    void (*settled)(unsigned thread); /* what a ghost wants to know: a barrier has returned; may be null */
} recip_check_world;

/* It also chooses who looks how often (recip_tuning); by default nobody looks twice. Not the turns of a spin loop,
 * whose number is not modelled. */
#define PORT_HAS_TUNING

/* For each thread: its section, and what it remembers of it; what each remembers of those of the others. */
extern _Atomic(unsigned) recip_check_section[MAX_SECTIONS];
extern unsigned recip_check_met[MAX_SECTIONS], recip_check_made[MAX_SECTIONS][MAX_SECTIONS];

/* Elements of timed waiters that have not been freed. */
unsigned recip_check_elements(void);
/* Threads that have put off a wake-up. */
unsigned recip_check_wakes_due(void);

/* Another thread says when. */
struct deadline {
    _Atomic(int) passed;
};

/* A turn of waiting for the word or for the deadline. */
#define CHECK_PARK_UNTIL(word, expected, deadline)                                                                     \
    do {                                                                                                               \
        if (!(deadline)) {                                                                                             \
            check_park(word, sizeof *(word), expected);                                                                \
            return true;                                                                                               \
        }                                                                                                              \
        while (atomic_load_explicit(word, memory_order_relaxed) == (expected)) {                                       \
            if (atomic_load_explicit(&((struct deadline *)(deadline))->passed, memory_order_relaxed))                  \
                return false;                                                                                          \
            port_relax();                                                                                              \
        }                                                                                                              \
        return true;                                                                                                   \
    } while (0)

static inline bool port_park_until(_Atomic(uintptr_t) *word, uintptr_t expected, const struct deadline *deadline)
{
    CHECK_PARK_UNTIL(word, expected, deadline);
}

/* Who sleeps at a word as which kind is not told apart: a wake-up may come for nobody, or to one whom it is not for. */
static inline bool port_park_as(_Atomic(uint32_t) *word, uint32_t expected, uint32_t kind,
                                const struct deadline *deadline)
{
    (void)kind;
    CHECK_PARK_UNTIL(word, expected, deadline);
}

/* The time is over at once: any time may pass between two accesses. */
static inline bool port_nap_at(_Atomic(uint32_t) *word, uint32_t expected, uint32_t kind, int64_t nanoseconds)
{
    (void)word;
    (void)expected;
    (void)kind;
    (void)nanoseconds;
    return false;
}

static inline void port_wake_as(_Atomic(uint32_t) *word, uint32_t kind)
{
    (void)kind;
    check_wake(word);
}

static inline void port_park32(_Atomic(uint32_t) *word, uint32_t expected)
{
    check_park(word, sizeof *word, expected);
}

static inline void port_wake32(_Atomic(uint32_t) *word)
{
    check_wake(word);
}

/* Where no client asks for two steps, release is the atomic one of recip-inline.h. */
#define RECIP_RELEASES_ATOMICALLY_ (!recip_check_world.rseq_threads)

/* A section holds the number of barriers that it has met, times two, and COMMITTING from when it can no longer be sent
 * back until it has stored. The owner remembers the number of its last one: a section that meets another starts again,
 * even where the barrier came before its compare, which shows nothing less: the compare it makes then is the one that
 * it would have made. All changes acquire and release: what a barrier's caller wrote before is known to every compare
 * that counts after it, and what a section stored is known to the barrier that found it committed. */
static inline bool port_release_fast(_Atomic(uint32_t) *state)
{
    _Atomic(unsigned) *section = &recip_check_section[check_self()];
    unsigned met = recip_check_met[check_self()];
    do
        if (atomic_load_explicit(release_marks_byte(state), memory_order_relaxed) != 0)
            return false;
    while (!atomic_compare_exchange_strong_explicit(section, &met, met | COMMITTING, memory_order_acq_rel,
                                                    memory_order_acquire));
    recip_check_met[check_self()] = met;
    atomic_store_explicit(release_lock_byte(state), 0, memory_order_release);
    atomic_store_explicit(section, met, memory_order_release);
    return true;
}

static inline void port_barrier(void)
{
    for (unsigned i = 1; i <= recip_check_world.rseq_threads; i++) {
        if (i == check_self())
            continue;
        unsigned met = recip_check_made[check_self()][i];
        while (!atomic_compare_exchange_strong_explicit(&recip_check_section[i], &met, met + 2, memory_order_acq_rel,
                                                        memory_order_relaxed))
            if (met & COMMITTING) {
                check_relax();
                met &= ~COMMITTING;
            }
        recip_check_made[check_self()][i] = met + 2;
    }
    if (recip_check_world.settled)
        check_ghost_call(recip_check_world.settled);
}

/* A moment in which others may do anything, as between any two accesses. */
static inline void port_yield(void)
{
}

static inline bool port_nap(int64_t nanoseconds)
{
    (void)nanoseconds;
    return true;
}

/* No time passes: a patience of 0 is over at once, any other never. */
static inline int64_t port_ticks(void)
{
    return 0;
}

static inline void port_wait(int64_t ticks)
{
    (void)ticks;
    port_relax();
}

static inline unsigned port_epoch(void)
{
    return recip_check_world.epoch;
}

#endif
