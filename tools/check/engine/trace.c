/* SPDX-License-Identifier: MIT */
#include "check/engine/trace.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "check/engine/snapshot.h"
#include "instrument/symbolise.h"

enum { MAX_EVENTS = 4096, MAX_NAMES = 128, NAME_SIZE = 24 };

static struct event events[MAX_EVENTS];
static unsigned event_count;

static struct {
    uintptr_t address;
    size_t size;
    char name[NAME_SIZE];
} names[MAX_NAMES];
static unsigned name_count;

void trace_reset(void)
{
    event_count = 0;
}

unsigned trace_add(const struct event *event)
{
    if (event_count == MAX_EVENTS)
        return 0;
    events[event_count++] = *event;
    return event_count;
}

/* What comes later changes no event: a turn in vain is known to be one before anything else happens. */
void trace_snapshot(void)
{
    snapshot_bytes(&event_count, sizeof event_count);
}

void trace_again(void)
{
    trace_add(&(struct event){.note = NOTE_AGAIN});
}

void trace_spun(unsigned number)
{
    if (number > 0)
        events[number - 1].note = NOTE_SPUN;
}

void engine_name(const void *memory, size_t size, const char *format, ...)
{
    unsigned i = 0;
    while (i < name_count && names[i].address != (uintptr_t)memory)
        i++;
    if (i == MAX_NAMES)
        return;
    if (i == name_count)
        name_count++;
    names[i].address = (uintptr_t)memory;
    names[i].size = size;
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(names[i].name, NAME_SIZE, format, arguments);
    va_end(arguments);
}

/* The smallest named range that holds the address. */
static int name_of(uintptr_t address)
{
    int best = -1;
    for (unsigned i = 0; i < name_count; i++)
        if (address - names[i].address < names[i].size && (best < 0 || names[i].size < names[best].size))
            best = (int)i;
    return best;
}

static void name_address(char *text, size_t size, uintptr_t address)
{
    int name = name_of(address);
    if (name < 0)
        snprintf(text, size, "%#lx", (unsigned long)address);
    else if (address == names[name].address)
        snprintf(text, size, "%s", names[name].name);
    else
        snprintf(text, size, "%s+%lu", names[name].name, (unsigned long)(address - names[name].address));
}

void trace_name(char *text, size_t size, uint64_t value)
{
    if (name_of(value) < 0) {
        snprintf(text, size, value < 4096 ? "%lu" : "%#lx", (unsigned long)value);
        return;
    }
    text[0] = '&';
    name_address(text + 1, size - 1, value);
}

static const char *const order_words[] = {"relaxed", "consume", "acquire", "release", "acq_rel", "seq_cst"};

static void describe(char *text, size_t size, unsigned number)
{
    const struct event *event = &events[number - 1];
    char where[64], value[64], stored[64];
    name_address(where, sizeof where, event->address);
    trace_name(value, sizeof value, event->value);
    trace_name(stored, sizeof stored, event->stored);
    char source[32] = "the initial value";
    if (event->source)
        snprintf(source, sizeof source, "#%u", event->source);
    if (event->note == NOTE_ADMITTED)
        snprintf(text, size, "owns %s", where);
    else if (event->note == NOTE_LEAVES)
        snprintf(text, size, "is about to release %s", where);
    else if (event->note == NOTE_CHOSEN)
        snprintf(text, size, "chooses %lu of 0 to %lu", (unsigned long)event->value, (unsigned long)event->stored - 1);
    else if (event->note == NOTE_HANDLED)
        snprintf(text, size, "a signal: its handler runs, with %lu of the thread's stores still to come",
                 (unsigned long)event->value);
    else if (event->note == NOTE_HANDLED_END)
        snprintf(text, size, "the handler returns");
    else if (event->note == NOTE_SPURIOUS)
        snprintf(text, size, "wakes from %s without a reason", where);
    else if (event->note == NOTE_WOKEN)
        snprintf(text, size, "wakes at %s: thread %u (0: nobody slept there)", where, event->other);
    else if (event->note == NOTE_ASLEEP)
        snprintf(text, size, "falls asleep at %s, which is %s (from %s)", where, value, source);
    else if (event->note == NOTE_SPUN)
        snprintf(text, size, "waits: %s is %s (from %s)", where, value, source);
    else if (event->reads && event->writes)
        snprintf(text, size, "%s %s: %s -> %s, %s, read from %s",
                 event->action == ACTION_COMPARE ? "compare-and-swap" : "read-modify-write", where, value, stored,
                 order_words[event->order], source);
    else if (event->writes)
        snprintf(text, size, "store %s = %s, %s", where, stored, order_words[event->order]);
    else
        snprintf(text, size, "%s %s: %s, %s, read from %s",
                 event->note == NOTE_FAILED ? "failed compare-and-swap" : "load", where, value,
                 order_words[event->order], source);
}

void trace_lines(void (*line)(const char *text, void *to), void *to)
{
    for (unsigned i = 1; i <= event_count; i++) {
        char what[256], text[512];
        if (events[i - 1].note == NOTE_AGAIN) {
            line("what follows is repeated for ever:", to);
            continue;
        }
        describe(what, sizeof what, i);
        snprintf(text, sizeof text, "#%-3u thread %u  %-32s %s", i, events[i - 1].thread,
                 events[i - 1].place ? symbol_line(events[i - 1].place) : "", what);
        line(text, to);
    }
}

static void print_line(const char *text, void *to)
{
    fprintf(to, "    %s\n", text);
}

void trace_print(FILE *file)
{
    trace_lines(print_line, file);
}
