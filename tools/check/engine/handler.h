/* SPDX-License-Identifier: MIT */
/* A signal handler that runs in a thread, once, between any two of its accesses, or never. It is a call that the thread
 * makes; whether it does so is a choice before each access that the handler could notice.
 *
 * What a signal handler finds need not be what the source says: a compiler may turn plain accesses round that nothing
 * keeps in order. So, until a fence or a releasing access, any of the thread's plain stores may still be to come when
 * the handler runs. And if the handler changes what the thread has read, a load that comes after a store of the thread
 * instead would have read something else: that is a failure, because it cannot be told what follows. */
#ifndef RECIP_CHECK_ENGINE_HANDLER_H
#define RECIP_CHECK_ENGINE_HANDLER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "check/engine/digest.h"

struct operation;
struct task;

enum { HANDLER_PIECES = 16, HANDLER_LATE = 5 };

struct handler {
    void (*body)(void *argument); /* null: none */
    void *argument;
    bool done, running;
    bool before;  /* it runs at the next access */
    uint8_t late; /* a bit for each of the stores that are still to come then */
    uint8_t count;
    /* What the thread has accessed since the last fence, and the handler may access, in this order. */
    struct handler_piece {
        uintptr_t address;
        uint64_t value; /* before a plain store */
        uint8_t size;
        enum { PIECE_READ, PIECE_STORED, PIECE_CHANGED } kind; /* CHANGED: atomically */
        bool touched;                                          /* by the handler */
    } pieces[HANDLER_PIECES];
};

/* Before an exploration. */
void handler_forget(void);

/* Before each access: runs the handler, if that is chosen. The operation is what the thread is about to do. */
void handler_before(struct task *task, const struct operation *operation);

/* What the thread accesses: plainly, in at most eight bytes, before it does; otherwise when it has. */
void handler_plain(struct task *task, uintptr_t address, unsigned size, bool writes);
void handler_made(struct task *task, const struct operation *operation, bool swapped);

/* What came before does not come later. Right before, a signal may come. */
void handler_fence(struct task *task, int order, const void *place, const void *frame);

/* How many ways there are to go on: 0 is without the handler. What a choice means, and what becomes of it. */
unsigned handler_choices(const struct task *task);
void handler_choose(struct task *task, unsigned choice);

/* Before it changes: for snapshots. */
void handler_will_change(struct handler *handler);

/* Of a state. */
void handler_digest(const struct task *task, struct hash *hash);

#endif
