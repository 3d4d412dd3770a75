/* SPDX-License-Identifier: MIT */
/* The report for programs. */
#define RECIP_UNANNOTATED
#include "preload/report.h"

#include <errno.h>
#include <unistd.h>

#include "preload/report-escape.h"
#include "preload/report-groups.h"
#include "preload/report-modules.h"

/* addr2line takes a moment for each place, so it is asked for the first few only. */
enum { GROUPS_SHOWN = 200, GROUPS_WITH_LINES = 20, THREADS_SHOWN = 64 };

static void print_text(int file, const char *text)
{
    char escaped[ESCAPED_TEXT];
    report_print(file, "\"%s\"", report_escape(text, escaped));
}

static void print_string(int file, const char *name, const char *text)
{
    report_print(file, "\"%s\": ", name);
    print_text(file, text);
}

static void print_number(int file, const char *name, uint64_t number)
{
    report_print(file, ", \"%s\": %lu", name, (unsigned long)number);
}

static void print_place(int file, const struct place *place)
{
    char text[PLACE_TEXT];
    print_text(file, place_text(place, text));
}

static void print_histogram(int file, const struct group *group)
{
    bool first = true;
    report_print(file, ", \"waits\": [");
    for (unsigned bucket = 0; bucket < WAIT_BUCKETS; bucket++) {
        if (!group->waits[bucket])
            continue;
        uint64_t octave = UINT64_C(1) << bucket / 2;
        report_print(file, "%s{\"from_ns\": %lu, \"count\": %lu}", first ? "" : ", ",
                     bucket ? (unsigned long)(octave + bucket % 2 * octave / 2) : 0ul,
                     (unsigned long)group->waits[bucket]);
        first = false;
    }
    report_print(file, "]");
}

/* Up to the last slice in which somebody waited. */
static void print_timeline(int file, const struct timeline *timeline)
{
    int used = TIME_SLICES;
    while (used > 0 && !timeline->waited[used - 1])
        used--;
    print_number(file, "slice_ns", UINT64_C(1) << (SLICE_SHIFT + timeline->shift));
    report_print(file, ", \"waited_ns\": [");
    for (int i = 0; i < used; i++)
        report_print(file, "%s%lu", i ? ", " : "", (unsigned long)timeline->waited[i]);
    report_print(file, "]");
}

static void print_frame(int file, const struct place *place)
{
    char text[PLACE_TEXT];
    print_place(file, place);
    if (place && place->outermost.function[0]) {
        report_print(file, ", ");
        print_text(file, place_name_text(&place->outermost, text));
    }
}

static void print_waiters(int file, const struct group *group)
{
    struct group_waiters waiters[GROUP_WAITERS];
    int count = group_waiters(group, waiters);
    report_print(file, ", \"waiters\": [");
    for (int i = 0; i < count; i++) {
        const struct stack *stack = stack_of(waiters[i].stack);
        uint32_t first = stack ? stack_own_frame(stack) : 0;
        report_print(file, "%s{\"waits\": %lu, \"waited_ns\": %lu, \"stack\": [", i ? ", " : "",
                     (unsigned long)waiters[i].waits, (unsigned long)waiters[i].waited);
        for (uint32_t frame = first; stack && frame < stack->count; frame++) {
            report_print(file, frame > first ? ", " : "");
            print_frame(file, place_of(stack->frames[frame]));
        }
        report_print(file, "]}");
    }
    report_print(file, "]");
}

static void print_each(int file, const struct group *group)
{
    print_number(file, "acquisitions_least", group->acquisitions_each.least);
    print_number(file, "acquisitions_most", group->acquisitions_each.most);
    print_number(file, "wait_least_ns", group->wait_each.least);
    print_number(file, "wait_most_ns", group->wait_each.most);
}

static void print_figures(int file, const struct group *group)
{
    print_number(file, "acquisitions", group->acquisitions);
    print_number(file, "contended", group->contended);
    print_number(file, "handovers", group->handovers);
    print_number(file, "parks", group->parks);
    print_number(file, "wait_p50_ns", group_wait_quantile(group, 0.5));
    print_number(file, "wait_p99_ns", group_wait_quantile(group, 0.99));
    print_number(file, "wait_max_ns", group->wait_longest);
    print_number(file, "wait_total_ns", group->wait_total);
    print_number(file, "hold_total_ns", group->hold_total);
    print_number(file, "hold_max_ns", group->hold_longest);
}

static void print_group(int file, const struct group *group)
{
    report_print(file, "  {\"first_locked\": ");
    print_place(file, place_in_stack(stack_of(group->first)));
    if (group->created) {
        report_print(file, ", \"created\": ");
        print_place(file, place_of(group->created));
    }
    if (group->name[0]) {
        report_print(file, ", ");
        print_string(file, "name", group->name);
    }
    print_number(file, "mutexes", group->mutexes);
    print_figures(file, group);
    print_each(file, group);
    print_histogram(file, group);
    print_timeline(file, &group->timeline);
    print_waiters(file, group);
    report_print(file, "}");
}

static void print_threads(int file)
{
    const struct thread_record *chosen[THREADS_SHOWN];
    int size = threads_busiest(chosen, THREADS_SHOWN);
    report_print(file, "\"threads\": [");
    for (int i = 0; i < size; i++) {
        report_print(file, "%s\n  {", i ? "," : "");
        print_string(file, "name", chosen[i]->name);
        print_number(file, "thread", (uint64_t)chosen[i]->number);
        print_number(file, "acquisitions", thread_record_acquisitions(chosen[i]));
        print_number(file, "contended", chosen[i]->contended);
        print_number(file, "parks", chosen[i]->parks);
        print_number(file, "wait_total_ns", chosen[i]->wait_total);
        print_number(file, "hold_total_ns", chosen[i]->hold_total);
        report_print(file, "}");
    }
    report_print(file, "]");
}

static void print_totals(int file, const struct groups *groups)
{
    uint32_t count, all;
    statistics_threads(&count, &all);
    report_print(file, "{\"schema\": \"recip-stats\", \"version\": 1, ");
    print_string(file, "program", program_invocation_short_name);
    report_print(file, ", \"process\": %d, ", (int)getpid());
    print_string(file, "lock", report_lock_id());
    print_number(file, "nanoseconds", statistics_nanoseconds());
    print_number(file, "threads_seen", all);
    print_number(file, "mutexes_used", groups->total.mutexes);
    print_number(file, "acquisitions", groups->total.acquisitions);
    print_number(file, "contended", groups->total.contended);
    print_number(file, "wait_total_ns", groups->total.wait_total);
    print_number(file, "uncounted_acquisitions", groups->uncounted);
    print_timeline(file, &groups->total.timeline);
}

/* Those that have lines, and the places of the others by symbols. */
static void resolve(const struct group *const *chosen, int size, bool use_addr2line)
{
    for (int i = 0; i < size; i++) {
        struct group_waiters waiters[GROUP_WAITERS];
        if (i == GROUPS_WITH_LINES)
            places_resolve(use_addr2line);
        if (chosen[i]->created)
            place_of(chosen[i]->created);
        places_of_stack(stack_of(chosen[i]->first));
        for (int j = group_waiters(chosen[i], waiters); j > 0; j--)
            places_of_stack(stack_of(waiters[j - 1].stack));
    }
    places_resolve(use_addr2line && size <= GROUPS_WITH_LINES);
}

void report_print_json(int file, bool use_addr2line)
{
    static const struct group *chosen[GROUPS_SHOWN];
    struct groups groups;
    groups_make(&groups);
    int size = groups_busiest(chosen, GROUPS_SHOWN);
    resolve(chosen, size, use_addr2line);
    print_totals(file, &groups);
    report_print(file, ",\n");
    print_threads(file);
    report_print(file, ",\n\"places\": [\n");
    for (int i = 0; i < size; i++) {
        print_group(file, chosen[i]);
        report_print(file, i + 1 < size ? ",\n" : "\n");
    }
    report_print(file, "]}\n");
    groups_end();
    places_end();
    modules_end();
}
