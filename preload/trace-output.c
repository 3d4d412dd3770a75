/* SPDX-License-Identifier: MIT */
/* The trace in the JSON form that Perfetto and chrome://tracing read (the Trace Event Format). Each thread has a track,
 * on which it waits for mutexes and holds them. Each mutex has one as well, under a process of their own, with the
 * threads that hold it. An arrow goes from the thread that released a mutex to the one that had waited for it. */
#define RECIP_UNANNOTATED
#include "preload/trace.h"

#include <errno.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <unistd.h>

#include "port/port.h"
#include "preload/report-escape.h"
#include "preload/report-modules.h"
#include "preload/report-mutexes.h"
#include "preload/report.h"
#include "preload/statistics.h"

/* Above all numbers of processes and threads, which end at 2^22. */
enum { MUTEXES = 1 << 23 };

/* Held when the trace is written. */
enum { MAX_HELD = 1 << 10 };

static struct trace_hold held[MAX_HELD];
static const struct trace_hold *holds[TRACE_KEPT + MAX_HELD];
static uint32_t hold_count;

/* ---- Text ---- */

static struct {
    int file;
    bool has_events;
    int length;
    char text[1 << 15];
} output;

static void flush(void)
{
    report_write(output.file, output.text, output.length);
    output.length = 0;
}

__attribute__((format(printf, 1, 2))) static void print(const char *format, ...)
{
    enum { LONGEST = 4 * ESCAPED_TEXT };
    va_list arguments;
    if (output.length + LONGEST > (int)sizeof output.text)
        flush();
    va_start(arguments, format);
    output.length += vsnprintf(output.text + output.length, LONGEST, format, arguments);
    va_end(arguments);
}

/* The beginning of an event, which each caller completes. Times are in microseconds, with three places for the rest. */
static void print_event(const char *kind, int process, int thread, int64_t ticks)
{
    uint64_t time = statistics_nanoseconds_at(ticks);
    print("%s{\"ph\":\"%s\",\"pid\":%d,\"tid\":%d,\"ts\":%lu.%03u", output.has_events ? ",\n" : "", kind, process,
          thread, (unsigned long)(time / 1000), (unsigned)(time % 1000));
    output.has_events = true;
}

static void print_duration(int64_t from, int64_t to)
{
    uint64_t start = statistics_nanoseconds_at(from), end = statistics_nanoseconds_at(to);
    uint64_t length = end > start ? end - start : 0;
    print(",\"dur\":%lu.%03u", (unsigned long)(length / 1000), (unsigned)(length % 1000));
}

static void print_name(const char *kind, int process, int thread, const char *name)
{
    char escaped[ESCAPED_TEXT];
    print("%s{\"ph\":\"M\",\"pid\":%d,\"tid\":%d,\"name\":\"%s\",\"args\":{\"name\":\"%s\"}}",
          output.has_events ? ",\n" : "", process, thread, kind, report_escape(name, escaped));
    output.has_events = true;
}

/* ---- Names ---- */

/* The last thread of that number; empty if it has no record. */
static const char *thread_name(int number)
{
    uint32_t count, all;
    const struct thread_record *threads = statistics_threads(&count, &all);
    while (count > 0)
        if (threads[--count].number == number)
            return threads[count].name;
    return "";
}

/* "baker 4711" */
static const char *thread_text(int number, char text[40])
{
    const char *name = thread_name(number);
    snprintf(text, 40, "%s%s%d", name, *name ? " " : "", number);
    return text;
}

/* The name of a mutex takes a search through symbols, so some are kept. */
static const char *name_of_mutex(uint32_t record)
{
    enum { KEPT = 1 << 11 };
    static struct {
        uint32_t record;
        char text[MUTEX_NAME];
    } kept[KEPT];
    uint32_t place = record % KEPT;
    if (kept[place].record != record || !record) {
        kept[place].record = record;
        mutex_name(record, kept[place].text);
    }
    return kept[place].text;
}

/* addr2line takes a moment for each, so it is asked for the first few only. */
enum { WITH_LINES = 256 };

static void resolve_places(bool use_addr2line)
{
    uint32_t last = 0;
    for (uint32_t i = 0; i < hold_count; i++) {
        if (holds[i]->record != last)
            mutex_name_ask(last = holds[i]->record);
        places_of_stack(stack_of(holds[i]->stack));
        if (!use_addr2line || places_count() < WITH_LINES)
            continue;
        places_resolve(true);
        use_addr2line = false;
    }
    places_resolve(use_addr2line);
}

/* ---- What is kept, in order ---- */

static bool thread_is_before(const struct trace_hold *a, const struct trace_hold *b)
{
    return a->thread != b->thread ? a->thread < b->thread : a->since < b->since;
}

static bool mutex_is_before(const struct trace_hold *a, const struct trace_hold *b)
{
    return a->record != b->record ? a->record < b->record : a->acquired < b->acquired;
}

static void sift(uint32_t from, uint32_t count, bool is_before(const struct trace_hold *, const struct trace_hold *))
{
    const struct trace_hold *sinking = holds[from];
    for (uint32_t child; (child = 2 * from + 1) < count; from = child) {
        if (child + 1 < count && is_before(holds[child], holds[child + 1]))
            child++;
        if (!is_before(sinking, holds[child]))
            break;
        holds[from] = holds[child];
    }
    holds[from] = sinking;
}

/* A heapsort: it takes no memory. */
static void sort(bool is_before(const struct trace_hold *, const struct trace_hold *))
{
    for (uint32_t i = hold_count / 2; i-- > 0;)
        sift(i, hold_count, is_before);
    for (uint32_t last = hold_count; last-- > 1;) {
        const struct trace_hold *largest = holds[0];
        holds[0] = holds[last];
        holds[last] = largest;
        sift(0, last, is_before);
    }
}

/* Their owners may release them meanwhile, so what is read here is a hint. */
static void add_held(int64_t now)
{
    uint32_t count, used = 0;
    uint64_t uncounted;
    const struct record *records = statistics_records(&count, &uncounted);
    for (uint32_t i = 1; records && i <= count && used < MAX_HELD; i++) {
        /* acquire: with the release in statistics.c. */
        int thread = atomic_load_explicit(&records[i].thread, memory_order_acquire);
        if (!thread)
            continue;
        held[used] = (struct trace_hold){
            .thread = thread,
            .from = records[i].from,
            .record = i,
            .is_held = true,
            .since = records[i].since,
            .acquired = records[i].acquired_at,
            .released = now,
            .stack = records[i].stack,
        };
        holds[hold_count++] = &held[used++];
    }
}

/* ---- A thread's track ---- */

/* One acquisition is a wait, and after it a hold. Slices of a track have to be nested, but mutexes may be released in
 * any order; so what lies above the one that ends is cut there, and goes on in a second slice. */
enum { MAX_DEPTH = 64 };

static struct {
    const struct trace_hold *hold;
    bool waits;
    int64_t start; /* of this slice */
} open_slices[MAX_DEPTH];
static int depth;

static void print_slice(int slice, int64_t end)
{
    const struct trace_hold *hold = open_slices[slice].hold;
    bool waits = open_slices[slice].waits;
    char name[ESCAPED_TEXT], text[PLACE_TEXT], other[40];
    const struct place *site = place_in_stack(stack_of(hold->stack));
    print_event("X", (int)getpid(), hold->thread, open_slices[slice].start);
    print_duration(open_slices[slice].start, end);
    print(",\"cat\":\"%s\",\"name\":\"%s %s\",\"args\":{\"mutex\":%u", waits ? "wait" : "hold",
          waits           ? "waits for"
          : hold->is_held ? "still holds"
                          : "holds",
          report_escape(name_of_mutex(hold->record), name), hold->record);
    if (site && !site->is_library)
        print(",\"in\":\"%s\"", report_escape(place_text(site, text), name));
    if (hold->from)
        print(",\"from\":\"%s\"", report_escape(thread_text(hold->from, other), name));
    print("}}");
    open_slices[slice].start = end;
}

static int64_t end_of(int slice)
{
    return open_slices[slice].waits ? open_slices[slice].hold->acquired : open_slices[slice].hold->released;
}

static void open_slice(const struct trace_hold *hold, bool waits, int64_t start)
{
    if (depth == MAX_DEPTH)
        return;
    open_slices[depth].hold = hold;
    open_slices[depth].waits = waits;
    open_slices[depth++].start = start;
}

/* Of those that end until then the one that ends first; of such the uppermost. -1 for none. */
static int next_to_end(int64_t until)
{
    int next = -1;
    for (int i = depth; i-- > 0;)
        if (end_of(i) <= until && (next < 0 || end_of(i) < end_of(next)))
            next = i;
    return next;
}

static void close_until(int64_t until)
{
    for (int slice; (slice = next_to_end(until)) >= 0;) {
        const struct trace_hold *hold = open_slices[slice].hold;
        int64_t end = end_of(slice);
        bool waits = open_slices[slice].waits;
        for (int i = depth; i-- > slice;)
            if (end > open_slices[i].start || i == slice)
                print_slice(i, end);
        depth--;
        for (int i = slice; i < depth; i++)
            open_slices[i] = open_slices[i + 1];
        if (waits)
            open_slice(hold, false, end);
    }
}

static void print_threads(void)
{
    for (uint32_t i = 0; i < hold_count; i++) {
        const struct trace_hold *hold = holds[i];
        bool is_first = i == 0 || holds[i - 1]->thread != hold->thread;
        if (is_first) {
            close_until(INT64_MAX);
            print_name("thread_name", (int)getpid(), hold->thread, thread_name(hold->thread));
        }
        close_until(hold->since);
        open_slice(hold, hold->since < hold->acquired, hold->since);
    }
    close_until(INT64_MAX);
}

/* ---- A mutex's track ---- */

/* The arrow begins within the slice of the one, and ends at the beginning of the slice of the other. */
static void print_handover(const struct trace_hold *before, const struct trace_hold *hold, uint32_t number)
{
    int64_t last = before->released > before->acquired ? before->released - 1 : before->released;
    print_event("s", (int)getpid(), before->thread, last);
    print(",\"cat\":\"handover\",\"name\":\"hands over\",\"id\":%u}", number);
    print_event("f", (int)getpid(), hold->thread, hold->acquired);
    print(",\"bp\":\"e\",\"cat\":\"handover\",\"name\":\"hands over\",\"id\":%u}", number);
}

static void print_mutexes(void)
{
    char name[ESCAPED_TEXT], text[40];
    for (uint32_t i = 0; i < hold_count; i++) {
        const struct trace_hold *hold = holds[i], *before = i > 0 ? holds[i - 1] : NULL;
        if (!before || before->record != hold->record) {
            before = NULL;
            print_name("thread_name", MUTEXES, MUTEXES + (int)hold->record, name_of_mutex(hold->record));
        }
        print_event("X", MUTEXES, MUTEXES + (int)hold->record, hold->acquired);
        print_duration(hold->acquired, hold->released);
        print(",\"cat\":\"owner\",\"name\":\"%s\",\"args\":{\"thread\":%d}}",
              report_escape(thread_text(hold->thread, text), name), hold->thread);
        if (before && before->thread == hold->from && hold->since < hold->acquired)
            print_handover(before, hold, i);
    }
}

/* ---- The whole ---- */

static uint64_t count_acquisitions(void)
{
    uint32_t count;
    uint64_t sum;
    const struct record *records = statistics_records(&count, &sum);
    for (uint32_t i = 1; records && i <= count; i++)
        sum += records[i].acquisitions;
    return sum;
}

static void print_all(void)
{
    char name[64], escaped[ESCAPED_TEXT];
    uint64_t left_out = count_acquisitions();
    left_out -= left_out < hold_count ? left_out : hold_count;
    print("{\"displayTimeUnit\":\"ns\",\n\"otherData\":{\"program\":\"%s\",\"process\":%d,\"lock\":\"%s\","
          "\"acquisitions\":%u,\"left_out\":%lu,\"left_out_shorter_than_ns\":%lu},\n\"traceEvents\":[\n",
          report_escape(program_invocation_short_name, escaped), (int)getpid(), report_lock_id(), hold_count,
          (unsigned long)left_out, (unsigned long)statistics_nanoseconds_of((int64_t)trace_shortest()));
    snprintf(name, sizeof name, "%.40s", program_invocation_short_name);
    print_name("process_name", (int)getpid(), (int)getpid(), name);
    snprintf(name, sizeof name, "mutexes of %.40s", program_invocation_short_name);
    print_name("process_name", MUTEXES, MUTEXES, name);
    print_threads();
    sort(mutex_is_before);
    print_mutexes();
    print("\n]}\n");
    flush();
}

void trace_print(int file, bool use_addr2line)
{
    bool has_frozen = trace_freeze();
    output.file = file;
    output.has_events = false;
    hold_count = trace_kept(holds);
    add_held(port_ticks());
    sort(mutex_is_before);
    resolve_places(use_addr2line);
    sort(thread_is_before);
    print_all();
    places_end();
    modules_end();
    trace_thaw(has_frozen);
}
