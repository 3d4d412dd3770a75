/* SPDX-License-Identifier: MIT */
/* The report for people. */
#define RECIP_UNANNOTATED
#include "preload/report.h"

#include <errno.h>
#include <stdio.h>
#include <unistd.h>

enum { MUTEXES_SHOWN = 10, TIME_SIZE = 16 };

/* 999 ns, 99.9 us, 1.23 ms, ... */
static const char *time_text(char text[TIME_SIZE], double nanoseconds)
{
    static const char *const units[] = {"ns", "us", "ms", "s"};
    int unit = 0;
    while (nanoseconds >= 1000 && unit < 3) {
        nanoseconds /= 1000;
        unit++;
    }
    snprintf(text, TIME_SIZE,
             nanoseconds < 10 && unit    ? "%.2f %s"
             : nanoseconds < 100 && unit ? "%.1f %s"
                                         : "%.0f %s",
             nanoseconds, units[unit]);
    return text;
}

static void print_mutex(int file, const struct record *record, bool use_addr2line)
{
    char p50[TIME_SIZE], p99[TIME_SIZE], longest[TIME_SIZE], hold[TIME_SIZE], total[TIME_SIZE];
    char created[REPORT_LOCATION_SIZE], first[REPORT_LOCATION_SIZE];
    report_print(file, "%13lu %9.2f%% %9s %9s %9s %9s %9s %10lu %9lu\n", (unsigned long)record->acquisitions,
                 100 * report_ratio(record->contended, record->acquisitions),
                 time_text(p50, (double)statistics_wait_quantile(record, 0.5)),
                 time_text(p99, (double)statistics_wait_quantile(record, 0.99)),
                 time_text(longest, (double)record->wait_longest), time_text(total, (double)record->wait_total),
                 time_text(hold, report_ratio(record->hold_total, record->acquisitions)),
                 (unsigned long)record->handovers, (unsigned long)record->parks);
    report_location(record->first, use_addr2line, first);
    if (record->created) {
        report_location(record->created, use_addr2line, created);
        report_print(file, "              created in %s, first locked in %s\n", created, first);
    } else {
        report_print(file, "              first locked in %s\n", first);
    }
}

void report_print_text(int file, bool use_addr2line)
{
    const struct record *chosen[MUTEXES_SHOWN];
    uint32_t count;
    uint64_t uncounted;
    char waited[TIME_SIZE];
    const struct record *records = statistics_records(&count, &uncounted);
    struct report_totals totals = report_totals(records, count);
    int size = report_busiest(records, count, chosen, MUTEXES_SHOWN);
    report_print(file,
                 "recip: %s, process %d, lock %s: %lu mutexes, %lu acquisitions, %.2f%% contended, %s lost in "
                 "waiting\n",
                 program_invocation_short_name, (int)getpid(), report_lock_id(), (unsigned long)totals.mutexes,
                 (unsigned long)totals.acquisitions, 100 * report_ratio(totals.contended, totals.acquisitions),
                 time_text(waited, (double)totals.waited));
    if (uncounted)
        report_print(file, "recip: there %s; %lu acquisitions are not counted\n",
                     records ? "were too many mutexes" : "was no memory for records", (unsigned long)uncounted);
    if (size)
        report_print(file, "%13s %10s %9s %9s %9s %9s %9s %10s %9s\n", "acquisitions", "contended", "wait p50", "p99",
                     "longest", "in all", "hold mean", "handovers", "parks");
    for (int i = 0; i < size; i++)
        print_mutex(file, chosen[i], use_addr2line);
}
