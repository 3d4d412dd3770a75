/* SPDX-License-Identifier: MIT */
/* A lock behind function pointers: how tests, bench, check, sim, table and preload know a lock. The list of them is the
 * registry (registry.def); the facts that follow from the types are taken from the types. */
#ifndef RECIP_ZOO_ALGORITHM_H
#define RECIP_ZOO_ALGORITHM_H

#include <stdalign.h>
#include <stdbool.h>
#include <stddef.h>

enum recip_family {
    RECIP_FAMILY_PAPER,  /* of "Reciprocating Locks": the formulations, the variations, the retrograde ticket locks */
    RECIP_FAMILY_MUTEX,  /* the library's mutex */
    RECIP_FAMILY_SYSTEM, /* the C library's mutexes, and their algorithms */
    RECIP_FAMILY_QUEUE,  /* waiters in a queue or a stack: MCS, CLH and their relatives */
    RECIP_FAMILY_TICKET, /* waiters with a number */
    RECIP_FAMILY_SPIN,   /* waiters that the lock knows nothing of */
    RECIP_FAMILY_NUMA,   /* waiters of the owner's socket come first */
    RECIP_FAMILY_FEW,    /* lets few threads compete, and keeps the others apart */
};

enum recip_waits {
    RECIP_WAITS_OWN,       /* at its own element, where it can also park */
    RECIP_WAITS_FIRST,     /* the same, until it is first in line: then it spins at a word of the lock */
    RECIP_WAITS_NEIGHBOUR, /* at a word of its neighbour in the queue, or at a hashed slot */
    RECIP_WAITS_GLOBAL,    /* at a word that all waiters share */
    RECIP_WAITS_LEADER,    /* at its own element until it leads, then at the lock's word; parks */
    RECIP_WAITS_FUTEX,     /* asleep at a word that all waiters share */
    RECIP_WAITS_SYSTEM,    /* wherever the system's own lock does */
};

enum recip_admission {
    RECIP_ADMITS_FIFO,
    RECIP_ADMITS_RECIPROCATING, /* segments, oldest first; within a segment newest first */
    RECIP_ADMITS_SEGMENTS,      /* segments, oldest first; within a segment any order */
    RECIP_ADMITS_GATED,         /* segments, oldest first; within a segment the first arrival, then newest first */
    RECIP_ADMITS_LANES,         /* two lanes of segments, taking turns */
    RECIP_ADMITS_ANY,           /* no order promised */
};

enum recip_trait {
    RECIP_STACK = 1,          /* its elements may be on the stack (RECIP_ELEMENTS_ON_STACK) */
    RECIP_OBLIVIOUS = 2,      /* one thread may acquire and another release */
    RECIP_FAIR = 4,           /* long-term admissions are even under constant load */
    RECIP_NEEDS_INIT = 8,     /* an all-zero lock is not ready: it has to be initialised */
    RECIP_NEEDS_DESTROY = 16, /* keeps memory of its own: has to be destroyed */
    RECIP_NODES = 32,         /* takes a node from the heap for each lock held */
    RECIP_NATIVE = 64,        /* calls the system: exists in the native world only */
    RECIP_ARRIVALS = 128, /* its arrivals are a word that the owner detaches: `recip check --coverage` looks for it */
    RECIP_SEGMENT_END = 256, /* with ARRIVALS: it knows the end of a segment by an element's address */
    RECIP_BOUNDED = 4096, /* admits in any order or by lanes, and a count bounds the admissions before a waiter's own */
    RECIP_SOCKETS = 2048, /* asks which socket a thread runs on: threads are not alike */
    RECIP_DEMOTES = 8192, /* uses CLDEMOTE, a hint to the caches: cpu-fit.h */
    RECIP_NON_TEMPORAL = 16384, /* hands over by a store past the caches: no parking form; cpu-fit.h */
    RECIP_MONITORS = 131072,    /* this form has the CPU watch the word that it waits at: cpu-fit.h */
    RECIP_NUMBERED = 32768,     /* counts without end: acquisitions, or threads that it lets in */
    RECIP_RETRIES = 65536, /* before a thread has arrived it may have to try again, for as long as others come and go */
    RECIP_FEATURED = 1024, /* reports show it from the start, other locks when they are asked for */
};

/* Two forms: `lock` with an explicit context, and `mutex` that keeps the context in its body. Both start as zeroes, or
 * by init, which serves both because the lock stands first in the mutex. */
struct recip_algorithm {
    const char *id;
    const char *form; /* what the id ends with: "-park" or "-monitor" if the lock is listed without that too, else "" */
    const char *summary;
    const char *source; /* where it is described */
    enum recip_family family;
    enum recip_waits waits;
    enum recip_admission admission;
    unsigned traits;
    bool parks;
    unsigned max_threads; /* 0: any number */

    size_t lock_size, context_size, mutex_size, alignment;

    void (*init)(void *lock);
    void (*destroy)(void *lock);
    void (*acquire)(void *lock, void *context);
    bool (*try_acquire)(void *lock, void *context);
    void (*release)(void *lock, void *context);
    void (*mutex_lock)(void *mutex);
    bool (*mutex_trylock)(void *mutex);
    void (*mutex_unlock)(void *mutex);
};

/* The form ID-park or ID-monitor of a lock that is listed as ID too. */
static inline bool recip_algorithm_is_second_form(const struct recip_algorithm *lock)
{
    return lock->form[0];
}

/* Room for any context; no lock or mutex is larger than the other (asserted for each in algorithm.c.in). */
struct recip_any_context {
    alignas(16) char bytes[32];
};

#define RECIP_LOCK_SIZE_MAX 512

/* All of them, in the order of the registry, the parking form of each behind its spinning form. */
extern const struct recip_algorithm *const recip_algorithms[];
extern const size_t recip_algorithm_count;

/* "paper", "queue", ... */
const char *recip_family_word(enum recip_family family);

/* Null if there is none of that id. */
const struct recip_algorithm *recip_algorithm_find(const char *id);

#endif
