/* SPDX-License-Identifier: MIT */
/* What happened in this execution, in the order in which it was explored, for a reader. */
#ifndef RECIP_CHECK_ENGINE_TRACE_H
#define RECIP_CHECK_ENGINE_TRACE_H

#include <stdio.h>

#include "check/engine/execution.h"

enum note {
    NOTE_NONE,
    NOTE_SPUN,
    NOTE_FAILED,
    NOTE_ASLEEP,
    NOTE_WOKEN,
    NOTE_SPURIOUS,
    NOTE_ADMITTED,
    NOTE_LEAVES,
    NOTE_CHOSEN,
    NOTE_HANDLED,
    NOTE_HANDLED_END,
    NOTE_AGAIN
};

struct event {
    uint8_t thread, action, order, size, note, other; /* other: the thread that was woken */
    bool reads, writes;
    uintptr_t address;
    uint64_t value, stored;
    unsigned source; /* the event that it read from; 0: the initial value */
    const void *place;
};

void trace_reset(void);

/* The number of the event, from 1; what does not fit is dropped. */
unsigned trace_add(const struct event *event);

/* What comes from here on is repeated for ever. */
void trace_again(void);

/* That event was a spin loop's turn, and is no longer in the graph. */
void trace_spun(unsigned number);

/* For snapshot.c. */
void trace_snapshot(void);

void trace_print(FILE *file);

/* The same as lines for another format: calls `line` for each. */
void trace_lines(void (*line)(const char *text, void *to), void *to);

/* A value or an address with the name of the memory that it points to. */
void trace_name(char *text, size_t size, uint64_t value);

#endif
