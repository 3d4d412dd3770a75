/* SPDX-License-Identifier: MIT */
/* What RECIP_TRACE asks for: which thread held which mutex when, and how long it had waited for it. docs/run.md says
 * how it is shown.
 *
 *     trace.c          keeps the longest of them, in a bounded space
 *     trace-output.c   writes them as a trace
 */
#ifndef RECIP_PRELOAD_TRACE_H
#define RECIP_PRELOAD_TRACE_H

#include <stdbool.h>
#include <stdint.h>

/* One acquisition, from the beginning of the wait to the release. Times are in ticks; threads have the kernel's
 * numbers. */
struct trace_hold {
    int thread;
    int from;        /* the thread that held it before, 0 if it was the same or is not known */
    uint32_t record; /* the mutex's, in the statistics */
    bool is_held;    /* still: `released` is the time now */
    int64_t since;   /* when the wait began; `acquired` if there was none */
    int64_t acquired, released;
    uint32_t stack; /* where the program called from; for a hold after a wait the whole stack, mostly */
};

enum { TRACE_KEPT = 1 << 15 };

void trace_start(void);
/* In a child of fork: what its parent has kept is forgotten. */
void trace_after_fork(void);
/* The mutex is about to be released. */
void trace_released(const struct trace_hold *hold);

/* ---- For the output ---- */

/* From the first on nothing is added and nothing goes, until the second, which is told what the first has returned. */
bool trace_freeze(void);
void trace_thaw(bool has_frozen);
/* Fills `holds` with at most TRACE_KEPT of those that are kept. Returns how many. */
uint32_t trace_kept(const struct trace_hold **holds);
/* Those that took less time, in ticks, with the wait, are not kept; 0 if all are. */
uint64_t trace_shortest(void);

/* Writes the trace into the file. */
void trace_print(int file, bool use_addr2line);

#endif
