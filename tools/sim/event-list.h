/* SPDX-License-Identifier: MIT */
/* The events of a run as they are listed: which operation of which line, on what, of which kind, how often. */
#ifndef RECIP_SIM_EVENT_LIST_H
#define RECIP_SIM_EVENT_LIST_H

#include "instrument/symbolise.h"
#include "sim/run.h"

struct listed_event {
    struct coherence_event event;
    const char *operation;
    char what[64];
    struct source_line lines[SYMBOL_DEPTH]; /* of our sources, the innermost first */
    unsigned line_count;
};

struct event_list {
    struct listed_event *values;
    size_t size;
};

/* By phase, the most frequent first. Freed by the caller. */
struct event_list event_list(const struct result *result);

#endif
