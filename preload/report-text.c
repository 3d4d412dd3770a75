/* SPDX-License-Identifier: MIT */
/* The report for people. No line is longer than 80 columns. */
#define RECIP_UNANNOTATED
#include "preload/report.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "preload/report-groups.h"
#include "preload/report-lines.h"
#include "preload/report-modules.h"

enum { GROUPS_SHOWN = 10, THREADS_SHOWN = 5, FRAMES_SHOWN = 3, TIME_SIZE = 16 };

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

/* 999999, 12.3 M, ... */
static const char *count_text(char text[TIME_SIZE], uint64_t count)
{
    static const char *const units[] = {"", " k", " M", " G", " T"};
    double value = (double)count;
    int unit = 0;
    for (; value >= 999999.5 || (unit && value >= 999.95); unit++)
        value /= 1000;
    if (unit == 1) {
        value /= 1000;
        unit = 2;
    }
    snprintf(text, TIME_SIZE, unit ? "%.3g%s" : "%.0f%s", value, units[unit < 4 ? unit : 4]);
    return text;
}

static void print_figures(int file, const struct group *group)
{
    char total[TIME_SIZE], p50[TIME_SIZE], p99[TIME_SIZE], longest[TIME_SIZE], hold[TIME_SIZE];
    char locked[TIME_SIZE], handovers[TIME_SIZE], parks[TIME_SIZE];
    report_print(file, "%8s %9s %7.2f%% %8s %8s %8s %8s %7s %7s\n", time_text(total, (double)group->wait_total),
                 count_text(locked, group->acquisitions), 100 * report_ratio(group->contended, group->acquisitions),
                 time_text(p50, (double)group_wait_quantile(group, 0.5)),
                 time_text(p99, (double)group_wait_quantile(group, 0.99)),
                 time_text(longest, (double)group->wait_longest),
                 time_text(hold, report_ratio(group->hold_total, group->acquisitions)),
                 count_text(handovers, group->handovers), count_text(parks, group->parks));
}

static void print_spread(int file, const struct group *group)
{
    char least[TIME_SIZE], most[TIME_SIZE], fewest[TIME_SIZE], largest[TIME_SIZE];
    report_print(file, "    %lu mutexes; each waited for %s to %s, locked %s to %s times\n",
                 (unsigned long)group->mutexes, time_text(least, (double)group->wait_each.least),
                 time_text(most, (double)group->wait_each.most), count_text(fewest, group->acquisitions_each.least),
                 count_text(largest, group->acquisitions_each.most));
}

static void print_waiters(int file, const struct group *group)
{
    struct group_waiters waiters[GROUP_WAITERS];
    int count = group_waiters(group, waiters);
    uint64_t all = 0;
    for (int i = 0; i < count; i++)
        all += waiters[i].waited;
    for (int i = 0; i < count; i++) {
        char label[24];
        snprintf(label, sizeof label, "    %3.0f%% waited in ", 100 * report_ratio(waiters[i].waited, all));
        report_print_stack(file, label, "                 < ", stack_of(waiters[i].stack), FRAMES_SHOWN);
    }
}

static void print_group(int file, const struct group *group)
{
    print_figures(file, group);
    if (group->name[0])
        report_print(file, "    %.74s\n", group->name);
    if (group->mutexes > 1)
        print_spread(file, group);
    if (group->created)
        report_print_place(file, "    created in ", place_of(group->created));
    report_print_place(file, "    first locked in ", place_in_stack(stack_of(group->first)));
    print_waiters(file, group);
}

static void print_threads(int file)
{
    const struct thread_record *chosen[THREADS_SHOWN];
    uint32_t count, all;
    int size = threads_busiest(chosen, THREADS_SHOWN);
    statistics_threads(&count, &all);
    if (size < 2)
        return;
    report_print(file, "\nthe threads that waited longest, %d of %u\n%8s %9s %8s %8s %7s  %s\n", size, (unsigned)all,
                 "waited", "locked", "waiting", "held", "sleeps", "thread");
    for (int i = 0; i < size; i++) {
        char waited[TIME_SIZE], held[TIME_SIZE], locked[TIME_SIZE], parks[TIME_SIZE];
        report_print(file, "%8s %9s %7.2f%% %8s %7s  %.15s %d\n", time_text(waited, (double)chosen[i]->wait_total),
                     count_text(locked, thread_record_acquisitions(chosen[i])),
                     100 * report_ratio(chosen[i]->contended, thread_record_acquisitions(chosen[i])),
                     time_text(held, (double)chosen[i]->hold_total), count_text(parks, chosen[i]->parks),
                     chosen[i]->name, chosen[i]->number);
    }
}

static void ask_places(const struct group *const *chosen, int size)
{
    for (int i = 0; i < size; i++) {
        struct group_waiters waiters[GROUP_WAITERS];
        if (chosen[i]->created)
            place_of(chosen[i]->created);
        places_of_stack(stack_of(chosen[i]->first));
        for (int j = group_waiters(chosen[i], waiters); j > 0; j--)
            places_of_stack(stack_of(waiters[j - 1].stack));
    }
}

static void print_totals(int file, const struct groups *groups)
{
    char waited[TIME_SIZE];
    report_print(file, "recip: %.30s, process %d, lock %s: %lu mutex%s in %lu place%s\n", program_invocation_short_name,
                 (int)getpid(), report_lock_id(), (unsigned long)groups->total.mutexes,
                 groups->total.mutexes == 1 ? "" : "es", (unsigned long)groups->places, groups->places == 1 ? "" : "s");
    report_print(file, "recip: %lu acquisitions, %.2f%% contended, %s lost in waiting\n",
                 (unsigned long)groups->total.acquisitions,
                 100 * report_ratio(groups->total.contended, groups->total.acquisitions),
                 time_text(waited, (double)groups->total.wait_total));
    if (groups->uncounted)
        report_print(file, "recip: there %s; %lu acquisitions are not counted\n",
                     groups->has_records ? "were too many mutexes" : "was no memory for records",
                     (unsigned long)groups->uncounted);
}

void report_print_text(int file, bool use_addr2line)
{
    const struct group *chosen[GROUPS_SHOWN];
    struct groups groups;
    groups_make(&groups);
    int size = groups_busiest(chosen, GROUPS_SHOWN);
    ask_places(chosen, size);
    places_resolve(use_addr2line);
    print_totals(file, &groups);
    if (size)
        report_print(file, "%8s %9s %8s %8s %8s %8s %8s %7s %7s\n", "waited", "locked", "waiting", "p50", "p99",
                     "longest", "held", "handed", "sleeps");
    for (int i = 0; i < size; i++)
        print_group(file, chosen[i]);
    print_threads(file);
    groups_end();
    places_end();
    modules_end();
}
