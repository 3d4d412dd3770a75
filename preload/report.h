/* SPDX-License-Identifier: MIT */
/* The report of the statistics, by subject:
 *
 *     report.c           when it is written: at exit and on a signal
 *     report-output.c    where it is written to, and how
 *     report-busiest.c   the totals, and which mutexes are shown
 *     report-location.c  the name of a place in the program
 *     report-text.c      the report for people
 *     report-json.c      the report for programs
 *
 * A report may be written by a signal handler, so nothing here allocates memory or uses a stream of stdio.
 */
#ifndef RECIP_PRELOAD_REPORT_H
#define RECIP_PRELOAD_REPORT_H

#include <stdbool.h>
#include <stdint.h>

#include "preload/statistics.h"

/* ---- report.c ---- */

void report_start(void);

/* ---- report-output.c ---- */

/* Keeps `destination` ("-" is stderr, else a file's name) and what stderr is now. */
void report_output_start(const char *destination);
/* The report is text on stderr, not JSON in a file. */
bool report_is_text(void);
/* What was stderr at the start; -1 if the program has put files of its own in its place. */
int report_stderr(void);
/* The file, open and empty; -1 after a line on stderr. */
int report_open_file(void);
void report_print(int file, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* ---- report-busiest.c ---- */

struct report_totals {
    uint64_t mutexes, acquisitions, contended, waited;
};

struct report_totals report_totals(const struct record *records, uint32_t count);
/* Fills `chosen` with at most `max` records, those with the longest waits first. Returns how many. */
int report_busiest(const struct record *records, uint32_t count, const struct record **chosen, int max);
/* 0 of nothing. */
double report_ratio(uint64_t part, uint64_t whole);
/* The lock that the program runs on. */
const char *report_lock_id(void);

/* ---- report-location.c ---- */

enum { REPORT_LOCATION_SIZE = 256 };

/* "function (file:line)", "function+0x12 (module)" or "module+0x1234". The first needs addr2line, a child process: not
 * in a signal handler. */
void report_location(const void *site, bool use_addr2line, char name[REPORT_LOCATION_SIZE]);

/* ---- report-text.c, report-json.c ---- */

void report_print_text(int file, bool use_addr2line);
void report_print_json(int file, bool use_addr2line);

#endif
