/* SPDX-License-Identifier: MIT */
/* Threads that are stepped: each makes its next access to shared memory when it is told to, and no other runs
 * meanwhile.
 */
#ifndef RECIP_REPORT_RECORDER_STEPPED_THREADS_H
#define RECIP_REPORT_RECORDER_STEPPED_THREADS_H

#include "instrument/coroutine.h"
#include "report/recorder/recorded-lock.h"

enum { MAX_THREADS = 6, FRAMES = 4 };

enum operation { LOAD, STORE, EXCHANGE, COMPARE_EXCHANGE };

/* One access, as it happened. */
struct access {
    enum operation operation;
    const volatile void *address;
    uintptr_t before, after;
    int order;                  /* as __ATOMIC_RELAXED and the others count; of a compare-and-swap that of success */
    const void *frames[FRAMES]; /* return addresses, innermost first */
};

enum task { TASK_NONE, TASK_ACQUIRE, TASK_RELEASE };

struct stepped_thread {
    struct thread record;
    struct reciprocating_context context;
    enum task task; /* what it is at; none when it has done it */
    struct coroutine coroutine;
    _Alignas(16) char stack[1 << 16];
};

struct stepped_threads {
    struct reciprocating_lock lock;
    struct stepped_thread threads[MAX_THREADS];
};

void stepped_start(struct stepped_threads *stepped, int threads);

/* The thread makes its next access, and goes on until it is about to make another, or has done its task. */
struct access stepped_step(struct stepped_threads *stepped, int thread);

/* Called by a thread that is about to make an access: returns when it is told to make it. Where the access is to be
 * noted; the frames are there, from `frame` on. */
struct access *stepped_await_turn(void **frame);

#endif
