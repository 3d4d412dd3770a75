/* SPDX-License-Identifier: MIT */
/* The report of the statistics, and the trace, by subject:
 *
 *     report.c             when it is written: at exit and on a signal
 *     report-output.c      where it is written to, and how
 *     report-groups.c      its rows: mutexes of one place together
 *     report-places.c      names of places in the program; report-addr2line.c asks for lines, report-modules.c reads
 *                          symbols, report-names.c makes them readable
 *     report-text.c        the report for people
 *     report-json.c        the report for programs; report-escape.c has its strings
 *     report-stack.c       the stack that it runs on
 *     report-mutexes.c     names of single mutexes, for watch-report.c and trace-output.c
 *
 * A report may be written by a signal handler, so nothing here allocates memory or uses a stream of stdio.
 */
#ifndef RECIP_PRELOAD_REPORT_H
#define RECIP_PRELOAD_REPORT_H

#include <limits.h>
#include <stdbool.h>
#include <stdint.h>

/* ---- report.c ---- */

void report_start(void);
/* One report at a time. The first is false if there is another; if `patient`, it waits for that for a second. */
bool report_begin(bool patient);
void report_end(void);
/* The lock that the program runs on. */
const char *report_lock_id(void);
/* 0 of nothing. */
double report_ratio(uint64_t part, uint64_t whole);

/* ---- report-stack.c ---- */

/* Calls the function on a stack of its own, with all signals blocked. One at a time: between report_begin and
 * report_end. */
void report_on_own_stack(void (*what)(void *), void *of);

/* ---- report-output.c ---- */

/* One byte more than a path may have: a longer one cannot be opened either way. */
enum { REPORT_PATH = PATH_MAX + 1 };

/* Keeps what stderr is now. */
void report_output_start(void);
/* In a child of fork, whose files are beside those of its parent. */
void report_output_after_fork(void);
/* What was stderr at the start; -1 if the program has put files of its own in its place. */
int report_stderr(void);
/* The file, open and empty; -1 after a line on stderr, which says that the `what` cannot be written there. */
int report_open_file(const char *destination, const char *what);
void report_write(int file, const char *text, int length);
/* What the calling thread writes to the file in between is collected: a report has some hundred little parts. */
struct report_buffer {
    int file, length;
    char text[1 << 12];
};
void report_buffer_begin(struct report_buffer *own, int file);
void report_buffer_end(void);
void report_print(int file, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* ---- report-text.c, report-json.c ---- */

void report_print_text(int file, bool use_addr2line);
void report_print_json(int file, bool use_addr2line);

#endif
