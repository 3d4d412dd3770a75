/* SPDX-License-Identifier: MIT */
/* The engine as the code that is explored sees it: what the instrumentation, the port and the clients call. */
#ifndef RECIP_CHECK_ENGINE_ENGINE_H
#define RECIP_CHECK_ENGINE_ENGINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "instrument/change.h"

enum action {
    ACTION_LOAD,
    ACTION_STORE,
    ACTION_CHANGE,  /* a read-modify-write that always writes */
    ACTION_COMPARE, /* compare-and-swap */
    ACTION_PARK,
    ACTION_WAKE,
    ACTION_CHOOSE,    /* no access: a number below the operand */
    ACTION_INTERRUPT, /* none either: whether a signal handler runs before what else the operation says */
};

/* One access. The orders are the compiler's __ATOMIC_ constants. */
struct operation {
    enum action action;
    enum change change;
    uint8_t order, failure_order;
    uint16_t size;
    uint32_t weak; /* as wide as it is so that there are no bytes between: it lies on the stacks, which are part of a
                      state */
    uintptr_t address;
    uint64_t operand;        /* what is stored, added, ... */
    uint64_t expected;       /* by a compare-and-swap or a park */
    const void *place;       /* the return address: where in the code */
    const void *expected_at; /* where the code has the expected value */
    const void *frame;       /* on the stack: from here on are the frames of the code that asks, before are ours; may be
                                null */
};

/* The value that was read; for a compare-and-swap in `*swapped` whether it wrote. */
uint64_t engine_access(const struct operation *operation, bool *swapped);

void engine_fence(int order, const void *place, const void *frame);

/* A number below `of`, at most MAX_PICKS: each is explored. */
enum { MAX_PICKS = 64 };
unsigned engine_choose(unsigned of, const void *place, const void *frame);

/* In setup: a signal handler of a thread (handler.h). */
void engine_handler(unsigned thread, void (*body)(void *argument), void *argument);

/* Before a plain access: a signal may come. */
void engine_interrupt(uintptr_t address, size_t size, const void *place, const void *frame);

/* A fence between a thread and its signal handlers. */
void engine_signal_fence(int order, const void *place, const void *frame);

/* A plain access, which the caller makes itself right after. */
void engine_plain(uintptr_t address, size_t size, bool writes, const void *place);

/* One turn of a spin loop: the thread goes on when something that it has read changes. */
void engine_relax(const void *place);

void *engine_allocate(size_t alignment, size_t size, const void *place);

/* The size of what was allocated there; 0 if it is none. */
size_t engine_allocated(const void *memory);

/* How much of what was allocated has not been freed, in blocks. */
unsigned engine_blocks(void);

/* At the end: what has been allocated and not freed, and is not kept, has leaked, which is a failure. */
void engine_check_leaks(bool (*is_kept)(const void *memory));

/* Whether an execution is under way: otherwise instrumented code runs as any other. */
bool engine_active(void);

/* Gone from here on; size 0 for what engine_allocate gave. */
void engine_free(void *memory, size_t size, const void *place);

/* The number of the running thread, from 1; 0 in setup and at the end. */
unsigned engine_self(void);

enum failure_kind {
    FAILURE_NONE,
    FAILURE_OWNERS,     /* two threads hold one lock */
    FAILURE_RACE,       /* a data race */
    FAILURE_LIVELOCK,   /* threads that go on for ever and get nowhere */
    FAILURE_STARVED,    /* a thread that waits for ever while others acquire */
    FAILURE_WAITS,      /* a thread waits for ever */
    FAILURE_ASSERTION,  /* an assertion of the client */
    FAILURE_OVERTAKEN,  /* an admission order that the lock does not promise */
    FAILURE_GONE,       /* an access to memory that is gone, or was never written */
    FAILURE_LEAKED,     /* memory that nobody has freed and nobody can reach */
    FAILURE_UNMODELLED, /* something that the explorer does not model */
    FAILURE_LIMIT,      /* an execution too long for the explorer; not a verdict on the code */
};

/* Ends this execution and the exploration, at the next engine_stop at the latest. `other` may be null. */
void engine_fail(enum failure_kind kind, const void *place, const void *other, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

/* Does not return if this execution is over. */
void engine_stop(void);

/* A thread of the client, made in setup; its number. It starts at once, or when the thread `after` has ended. */
unsigned engine_thread(void (*body)(void *argument), void *argument, unsigned after);

/* In setup: threads of the same body and argument are interchangeable, in that nothing depends on which of them is
 * which: not on their numbers, nor on how the addresses of what belongs to them compare. Where graphs are not counted,
 * those are explored in which they make their first moves in the order of their numbers. */
void engine_alike(void);

/* In setup: some threads go on for as long as others have not got what they want. Then the question is whether all get
 * there. Accesses are sequentially consistent, nothing races, and each state is explored once. */
void engine_endless(void);

/* A name for memory, in traces. Kept over executions; the same address again replaces it. */
void engine_name(const void *memory, size_t size, const char *format, ...) __attribute__((format(printf, 3, 4)));

/* A ghost (ghost.h), in setup: its memory, a multiple of eight bytes; the atomics that it watches; and what is called
 * after each store that a thread makes to one of those: in the modification order, from which value to which. */
typedef void ghost_watcher(unsigned thread, const volatile void *word, uint64_t before, uint64_t now);
void engine_ghost(void *memory, size_t size, ghost_watcher *written);
void engine_watch(const volatile void *word);

/* A call that is about the ghost and no part of the calling thread. */
void engine_aside(void (*call)(unsigned thread));

/* The last value of an atomic in modification order, be its memory gone or not. For ghosts and for the end. */
uint64_t engine_newest(const volatile void *word, unsigned size);

/* Admission to a lock: before acquire; as the owner; before release and after. `size` bytes of the lock. */
void engine_arriving(const void *lock, size_t size);
void engine_admitted(const void *lock, const void *place);
void engine_leaving(const void *lock);
void engine_released(const void *lock);

/* What a lock promises: how often one later arrival may overtake a waiting thread. Call in setup. */
enum { OVERTAKES_FREELY = -1 };
void engine_promise(const void *lock, int overtakes);

#endif
