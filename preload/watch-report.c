/* SPDX-License-Identifier: MIT */
/* The reports of RECIP_WATCH, on stderr, in lines of at most 80 columns. */
#define RECIP_UNANNOTATED
#include "preload/watch.h"

#include <errno.h>
#include <fcntl.h>
#include <fnmatch.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "preload/environment.h"
#include "preload/report-groups.h"
#include "preload/report-modules.h"
#include "preload/report-lines.h"
#include "preload/report-mutexes.h"
#include "preload/report.h"

/* ---- Suppressions ---- */

enum { MAX_SUPPRESSIONS = 1 << 14 };

/* Lines "KIND GLOB", each ended by a zero byte, and an empty one at the end. */
static char suppressions[MAX_SUPPRESSIONS];

/* Up to so many bytes; -1 with errno. Of a pipe it waits for the end, unless nobody writes to it. */
static ssize_t read_file(const char *path, char *to, size_t size)
{
    int file = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    if (file < 0)
        return -1;
    size_t length = 0;
    ssize_t part;
    while ((part = read(file, to + length, size - length)) > 0 || (part < 0 && errno == EAGAIN)) {
        length += part > 0 ? (size_t)part : 0;
        fcntl(file, F_SETFL, 0);
    }
    int error = errno;
    close(file);
    errno = error;
    return part < 0 ? -1 : (ssize_t)length;
}

void watch_read_suppressions(void)
{
    const char *path = preload_environment("RECIP_SUPPRESSIONS");
    if (!path || !*path)
        return;
    ssize_t length = read_file(path, suppressions, sizeof suppressions - 1);
    if (length < 0)
        report_print(report_stderr(), "recip: RECIP_SUPPRESSIONS: cannot read '%s': %s\n", path, strerror(errno));
    if (length == sizeof suppressions - 1) {
        report_print(report_stderr(), "recip: RECIP_SUPPRESSIONS: '%s' has more than %d bytes; the rest is left out\n",
                     path, (int)sizeof suppressions - 2);
        while (length > 0 && suppressions[length - 1] != '\n')
            suppressions[--length] = '\0';
    }
    for (ssize_t i = 0; i < length; i++)
        if (suppressions[i] == '\n' || suppressions[i] == '\r')
            suppressions[i] = '\0';
}

/* A line names this report's kind and matches the name. */
static bool is_suppressed(const char *kind, const char *name)
{
    size_t length = strlen(kind);
    for (const char *line = suppressions; line < suppressions + sizeof suppressions - 1; line += strlen(line) + 1)
        if (strncmp(line, kind, length) == 0 && line[length] == ' ' && fnmatch(line + length + 1, name, 0) == 0)
            return true;
    return false;
}

static bool stack_is_suppressed(const char *kind, uint32_t number)
{
    const struct stack *stack = stack_of(number);
    for (uint32_t i = 0; stack && i < stack->count; i++) {
        const struct place *place = place_of(stack->frames[i]);
        if (place && (is_suppressed(kind, place->name.function) || is_suppressed(kind, place->outermost.function)))
            return true;
    }
    return false;
}

/* ---- Mutexes and threads ---- */

static bool mutex_is_suppressed(const char *kind, uint32_t index)
{
    char name[MUTEX_NAME], *end;
    mutex_name(index, name);
    if (name[0] != '\'' || !(end = strrchr(name, '\'')))
        return false;
    *end = '\0';
    return is_suppressed(kind, name + 1);
}

static void print_mutex(int file, const char *label, uint32_t index)
{
    char name[MUTEX_NAME];
    report_print(file, "%s%.*s\n", label, REPORT_COLUMNS - (int)strlen(label), mutex_name(index, name));
}

/* The name that the thread has now; its number alone when it has ended. */
static const char *thread_name(int number, char name[40])
{
    char path[64], text[20] = "";
    snprintf(path, sizeof path, "/proc/self/task/%d/comm", number);
    int file = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t length = file < 0 ? 0 : read(file, text, sizeof text - 1);
    if (file >= 0)
        close(file);
    text[length > 0 ? length - 1 : 0] = '\0';
    snprintf(name, 40, "%s%s%d", text, *text ? " " : "", number);
    return name;
}

/* How the scheduler sees it: "runs", "sleeps", ... */
static const char *thread_state(int number)
{
    char path[64], text[256];
    snprintf(path, sizeof path, "/proc/self/task/%d/stat", number);
    int file = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t length = file < 0 ? 0 : read(file, text, sizeof text - 1);
    if (file >= 0)
        close(file);
    text[length > 0 ? length : 0] = '\0';
    const char *end = strrchr(text, ')');
    switch (end && end[1] ? end[2] : 0) {
    case 'R':
        return "runs, or wants to";
    case 'S':
        return "sleeps";
    case 'D':
        return "waits in the kernel, for a disk perhaps";
    case 'T':
    case 't':
        return "is stopped";
    default:
        return "has ended";
    }
}

static void print_held(int file, struct watched_thread *thread)
{
    for (unsigned i = 0; i < thread->held_count && i < WATCH_MAX_HELD; i++) {
        const struct held *held = &thread->held[i];
        const struct mutex *mutex = atomic_load_explicit(&held->mutex, memory_order_relaxed);
        bool is_waited_for = i + 1 == thread->held_count && mutex == atomic_load(&thread->waits_for);
        if (!mutex || is_waited_for)
            continue;
        print_mutex(file, "    it holds ", held->record);
        report_print_place(file, "             taken in ", place_of(held->site));
    }
}

static void ask_for_thread(const struct watched_thread *thread)
{
    places_of_stack(stack_of(thread->stack));
    for (unsigned i = 0; i < thread->held_count && i < WATCH_MAX_HELD; i++) {
        mutex_name_ask(thread->held[i].record);
        if (thread->held[i].site)
            place_of(thread->held[i].site);
    }
}

static void print_waiter(int file, struct watched_thread *thread)
{
    char name[40];
    struct mutex *mutex = atomic_load(&thread->waits_for);
    report_print(file, "  thread %s\n", thread_name(thread->kernel_number, name));
    if (mutex)
        print_mutex(file, "    waits for ", mutex->record & RECORD_INDEX);
    report_print_stack(file, "           in ", "              < ", stack_of(thread->stack), 8);
    print_held(file, thread);
}

/* ---- Reports ---- */

bool watch_report_begin(bool patient)
{
    return report_begin(patient);
}

void watch_report_end(void)
{
    report_end();
}

static void end_text(void)
{
    places_end();
    modules_end();
}

/* What a report is of. */
struct subject {
    struct watched_thread *const *threads;
    const struct order *const *orders;
    struct mutex *mutex;
    int count;
};

static void run(void (*print)(void *), struct subject subject)
{
    int kept = errno;
    report_on_own_stack(print, &subject);
    errno = kept;
}

static void print_deadlock(void *of)
{
    const struct subject *subject = of;
    struct watched_thread *const *threads = subject->threads;
    int file = report_stderr(), count = subject->count;
    for (int i = 0; i < count; i++) {
        struct mutex *mutex = atomic_load(&threads[i]->waits_for);
        ask_for_thread(threads[i]);
        if (mutex)
            mutex_name_ask(mutex->record & RECORD_INDEX);
    }
    places_resolve(true);
    report_print(file, "recip: deadlock of %d thread%s in %.30s, process %d\n", count, count > 1 ? "s" : "",
                 program_invocation_short_name, (int)getpid());
    for (int i = 0; i < count; i++)
        print_waiter(file, threads[i]);
    end_text();
}

void watch_report_deadlock(struct watched_thread *const *threads, int count)
{
    run(print_deadlock, (struct subject){.threads = threads, .count = count});
}

static bool inversion_is_suppressed(const struct order *const *orders, int count)
{
    bool is = false;
    for (int i = 0; i < count; i++)
        is |= stack_is_suppressed("inversion", orders[i]->stack) ||
              mutex_is_suppressed("inversion", orders[i]->before) || mutex_is_suppressed("inversion", orders[i]->taken);
    return is;
}

static void print_inversion(void *of)
{
    const struct subject *subject = of;
    const struct order *const *orders = subject->orders;
    int file = report_stderr(), count = subject->count;
    for (int i = 0; i < count; i++) {
        mutex_name_ask(orders[i]->before);
        mutex_name_ask(orders[i]->taken);
        places_of_stack(stack_of(orders[i]->stack));
    }
    places_resolve(true);
    if (!inversion_is_suppressed(orders, count)) {
        report_print(file, "recip: inversion of the order of %d locks in %.30s, process %d\n", count,
                     program_invocation_short_name, (int)getpid());
        for (int i = 0; i < count; i++) {
            print_mutex(file, "  while holding ", orders[i]->before);
            print_mutex(file, "    a thread took ", orders[i]->taken);
            report_print(file, "    it was %.15s %d\n", orders[i]->name, orders[i]->thread);
            report_print_stack(file, "           in ", "              < ", stack_of(orders[i]->stack), 8);
        }
    }
    end_text();
}

void watch_report_inversion(const struct order *const *orders, int count)
{
    run(print_inversion, (struct subject){.orders = orders, .count = count});
}

static void print_long_wait(void *of)
{
    const struct subject *subject = of;
    struct watched_thread *thread = subject->threads[0];
    struct mutex *mutex = subject->mutex;
    int file = report_stderr();
    uint32_t index = mutex->record & RECORD_INDEX;
    struct watched_thread *owner = watched_owner(mutex);
    char name[40];
    ask_for_thread(thread);
    mutex_name_ask(index);
    if (owner)
        ask_for_thread(owner);
    places_resolve(true);
    if (!stack_is_suppressed("wait", thread->stack) && !mutex_is_suppressed("wait", index)) {
        report_print(file, "recip: a thread of %.30s, process %d, waits for %.3g seconds by now\n",
                     program_invocation_short_name, (int)getpid(), (double)(port_now() - thread->since) / 1e9);
        print_waiter(file, thread);
        if (owner) {
            report_print(file, "  the owner, thread %s, ", thread_name(owner->kernel_number, name));
            report_print(file, "%s\n", thread_state(owner->kernel_number));
            print_held(file, owner);
            struct mutex *next = atomic_load(&owner->waits_for);
            if (next)
                print_mutex(file, "    waits itself for ", next->record & RECORD_INDEX);
        } else {
            report_print(file, "  the owner is not known: it locked before this was watched\n");
        }
    }
    end_text();
}

void watch_report_long_wait(struct watched_thread *thread, struct mutex *mutex)
{
    run(print_long_wait, (struct subject){.threads = &thread, .mutex = mutex});
}
