/* SPDX-License-Identifier: MIT */
/* The report for programs. */
#define RECIP_UNANNOTATED
#include "preload/report.h"

#include <errno.h>
#include <unistd.h>

/* addr2line takes a moment for each place, so it is asked for the first few only. */
enum { MUTEXES_SHOWN = 200, MUTEXES_WITH_LINES = 10 };

/* The size of the character at `text`; 0 if it is not UTF-8. */
static int utf8_size(const char *text)
{
    const unsigned char *byte = (const unsigned char *)text;
    unsigned char low = byte[0] == 0xe0 ? 0xa0 : byte[0] == 0xf0 ? 0x90 : 0x80;
    unsigned char high = byte[0] == 0xed ? 0x9f : byte[0] == 0xf4 ? 0x8f : 0xbf;
    int size = byte[0] < 0x80   ? 1
               : byte[0] < 0xc2 ? 0
               : byte[0] < 0xe0 ? 2
               : byte[0] < 0xf0 ? 3
               : byte[0] < 0xf5 ? 4
                                : 0;
    if (size > 1 && (byte[1] < low || byte[1] > high))
        return 0;
    for (int i = 2; i < size; i++)
        if ((byte[i] & 0xc0) != 0x80)
            return 0;
    return size;
}

static void print_string(int file, const char *name, const char *text)
{
    report_print(file, "\"%s\": \"", name);
    for (int size; *text; text += size ? size : 1) {
        size = utf8_size(text);
        if (size == 0)
            report_print(file, "\\ufffd");
        else if (*text == '"' || *text == '\\')
            report_print(file, "\\%c", *text);
        else if (size == 1 && *text < ' ')
            report_print(file, "\\u%04x", (unsigned)*text);
        else
            report_print(file, "%.*s", size, text);
    }
    report_print(file, "\"");
}

static void print_histogram(int file, const struct record *record)
{
    bool first = true;
    report_print(file, ", \"waits\": [");
    for (unsigned bucket = 0; bucket < WAIT_BUCKETS; bucket++) {
        if (!record->waits[bucket])
            continue;
        uint64_t octave = UINT64_C(1) << bucket / 2;
        report_print(file, "%s{\"from_ns\": %lu, \"count\": %u}", first ? "" : ", ",
                     bucket ? (unsigned long)(octave + bucket % 2 * octave / 2) : 0ul, record->waits[bucket]);
        first = false;
    }
    report_print(file, "]");
}

static void print_mutex(int file, const struct record *record, bool use_addr2line)
{
    char location[REPORT_LOCATION_SIZE];
    report_print(file, "  {");
    if (record->created) {
        report_location(record->created, use_addr2line, location);
        print_string(file, "created", location);
        report_print(file, ", ");
    }
    report_location(record->first, use_addr2line, location);
    print_string(file, "first_locked", location);
    report_print(file, ", \"acquisitions\": %lu, \"contended\": %lu, \"handovers\": %lu, \"parks\": %lu",
                 (unsigned long)record->acquisitions, (unsigned long)record->contended,
                 (unsigned long)record->handovers, (unsigned long)record->parks);
    report_print(file, ", \"wait_p50_ns\": %lu, \"wait_p99_ns\": %lu, \"wait_max_ns\": %lu, \"wait_total_ns\": %lu",
                 (unsigned long)statistics_wait_quantile(record, 0.5),
                 (unsigned long)statistics_wait_quantile(record, 0.99), (unsigned long)record->wait_longest,
                 (unsigned long)record->wait_total);
    report_print(file, ", \"hold_total_ns\": %lu, \"hold_max_ns\": %lu", (unsigned long)record->hold_total,
                 (unsigned long)record->hold_longest);
    print_histogram(file, record);
    report_print(file, "}");
}

void report_print_json(int file, bool use_addr2line)
{
    static const struct record *chosen[MUTEXES_SHOWN];
    uint32_t count;
    uint64_t uncounted;
    const struct record *records = statistics_records(&count, &uncounted);
    struct report_totals totals = report_totals(records, count);
    int size = report_busiest(records, count, chosen, MUTEXES_SHOWN);
    report_print(file, "{");
    print_string(file, "program", program_invocation_short_name);
    report_print(file, ", \"process\": %d, ", (int)getpid());
    print_string(file, "lock", report_lock_id());
    report_print(file, ", \"mutexes_used\": %lu, \"acquisitions\": %lu, \"contended\": %lu, \"wait_total_ns\": %lu, ",
                 (unsigned long)totals.mutexes, (unsigned long)totals.acquisitions, (unsigned long)totals.contended,
                 (unsigned long)totals.waited);
    report_print(file, "\"uncounted_acquisitions\": %lu, \"mutexes\": [\n", (unsigned long)uncounted);
    for (int i = 0; i < size; i++) {
        print_mutex(file, chosen[i], use_addr2line && i < MUTEXES_WITH_LINES);
        report_print(file, i + 1 < size ? ",\n" : "\n");
    }
    report_print(file, "]}\n");
}
