/* SPDX-License-Identifier: MIT */
/* What the zoo keeps for each thread, and nothing for each pair of thread and lock. */
#ifndef RECIP_PORT_THREAD_H
#define RECIP_PORT_THREAD_H

#include <stdalign.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Two 64-byte lines: adjacent-line prefetchers pull them in pairs. */
#ifndef RECIP_LINE
#define RECIP_LINE 128
#endif

/* The wait element: the one place where a thread spins or sleeps. A thread waits for one lock at a time, so one element
 * serves all the locks that it holds. */
struct element {
    alignas(RECIP_LINE) _Atomic(uintptr_t) gate; /* closed until ownership arrives; gate.h */
    _Atomic(struct element *) eos;      /* end of segment: segment-end.h, and the mutex form of reciprocating.h */
    _Atomic(struct element *) deferred; /* who gave way in this segment: reciprocating-fair, reciprocating-shuffled */
    _Atomic(struct element *) below;    /* who waits below this one: reciprocating-shuffled */
    _Atomic(uintptr_t) reset_gate;      /* as gate, closed whenever nobody waits: gate-reset.h */
};

/* Of a waiter: who waits below it in the stack of arrivals, the nearest of each group of CPUs. For reciprocating-numa,
 * whose header explains it. */
enum { NEAREST_GROUPS = 16 };

struct nearest {
    alignas(RECIP_LINE / 2) _Atomic(uintptr_t) ready; /* 0 until the rest can be read */
    struct element *of[NEAREST_GROUPS];
};

struct node;
struct recip_waiter_;

/* How a thread finds out whether a mutex had better be left alone. */
struct trial {
    const void *mutex; /* the one that it last waited for */
    unsigned waits;    /* in so many more waits it goes on as it is */
    bool hot, decided; /* whether to leave it alone; it is no trial any more */
    uint16_t passes;   /* when the trial of short looks began, */
    int64_t ticks;     /* and the time then */
    int64_t alone;     /* ticks between two passes during the long look */
};

struct thread {
    struct element element;
    alignas(RECIP_LINE) _Atomic(uintptr_t) grant;  /* HemLock: the lock that this thread is passing on, or 0 */
    alignas(RECIP_LINE) struct nearest nearest[2]; /* reciprocating-numa */
    alignas(RECIP_LINE) struct node *nodes;        /* private: free queue nodes; node.h */
    unsigned nodes_kept;                           /* private: how many those are */
    bool keeps_nodes;                              /* private: they will be freed when the thread ends */
    unsigned nearest_in_use;                       /* private: of those two, as reciprocating-numa.h marks it */
    uint32_t random;                               /* private: state of random.h */
    uint64_t hapax;                                /* private: the next number to use; hapax.h */
    unsigned cpu, socket, place_calls;             /* private: where it last was; native-socket.c */
    const void *wake_due_for;                      /* the mutex whose release makes a wake-up, or null, */
    _Atomic(uintptr_t) *wake_due;                  /* and whose gate it wakes; src/mutex.c */
    uint64_t parks;                                /* private: how often it has slept in a lock */
    struct recip_waiter_ *left_behind;             /* private: elements that timed out; src/waiter.h */
    int64_t credit_since;                          /* private: its credit has grown since then; src/express.c */
    int64_t gave_way;                              /* private: when it last let other threads run; src/own-cpu.c */
    unsigned quick_yields;                         /* private: in a row; src/own-cpu.c */
    unsigned handovers;                            /* private: that it has waited for; src/mutex.c */
#ifdef RECIP_PORT
    struct recip_leadership_ {
        const void *mutex;
        uintptr_t successor, end;
    } kept; /* private: recip_kept_ of <recip.h>, where that is not for this world */
#endif
    const void *displaced_from; /* private: the mutex that it has just left to a leader */
    struct trial trial;         /* private: src/newcomer.c */
};

#endif
