/* SPDX-License-Identifier: MIT */
/* recip who PID */
#include "cli/command.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/output.h"
#include "who/who.h"

enum { FRAMES_SHOWN = 6, CANDIDATES_SHOWN = 3, WAITERS_SHOWN = 12, COLUMNS = 80 };

struct request {
    const char *process; /* its number, or a core file */
    const char *program;
};

static bool is_number(const char *word)
{
    return *word && word[strspn(word, "0123456789")] == '\0';
}

static error_t take_option(int key, char *word, struct argp_state *state)
{
    struct request *request = state->input;
    if (key != ARGP_KEY_ARG)
        return ARGP_ERR_UNKNOWN;
    if (!request->process)
        request->process = word;
    else if (is_number(request->process) || request->program)
        refuse("'%s' is one too many; allowed are one process, or a core file and its program", word);
    else
        request->program = word;
    return 0;
}

static const struct argp argp = {
    .parser = take_option,
    .args_doc = "PID\nCORE [PROGRAM]",
    .doc = "Prints what the threads of a running process wait for, or those in a core file: mutexes and their owners, "
           "condition variables, stacks, and a deadlock if there is one. It reads only; the process stops for moments. "
           "The owners of glibc's mutexes are always known, and those under 'recip run'; in programs that are compiled "
           "for "
           "librecip with -DRECIP_DEBUG, or where an owner hands a mutex over.",
};

static struct who_thread *thread_at(const struct who_process *process, pid_t number)
{
    for (size_t i = 0; number && i < process->count; i++)
        if (process->threads[i].number == number)
            return &process->threads[i];
    return NULL;
}

static const char *state_text(char state)
{
    return state == 'R'                   ? "runs"
           : state == 'D'                 ? "waits in the kernel"
           : state == 'T' || state == 't' ? "is stopped"
           : state == 'Z'                 ? "has ended"
           : state == STATE_OF_CORE       ? "does not wait for a lock"
                                          : "sleeps";
}

/* "'till'", "'tables' + 80" or "0x7f...". */
static const char *object_text(uint64_t address, char text[COLUMNS])
{
    uint64_t offset;
    char readable[READABLE_NAME];
    const char *name = process_symbol(address, &offset);
    if (!name)
        snprintf(text, COLUMNS, "%#lx", (unsigned long)address);
    else if (offset)
        snprintf(text, COLUMNS, "'%.40s' + %lu", readable_name(name, readable), (unsigned long)offset);
    else
        snprintf(text, COLUMNS, "'%.50s'", readable_name(name, readable));
    return text;
}

/* "baker 4711"; in a core file threads have no names. */
static const char *thread_text(const struct who_thread *thread, char text[COLUMNS])
{
    snprintf(text, COLUMNS, "%s%s%d", thread->name, *thread->name ? " " : "", (int)thread->number);
    return text;
}

/* A long name is cut, the line behind it is not. */
static void print_frame(const char *label, uint64_t address)
{
    uint64_t offset;
    char line[128] = "", place[132] = "", name[READABLE_NAME];
    const char *symbol = process_symbol(address - 1, &offset);
    const char *module = symbol ? NULL : process_module(address - 1, &offset);
    if (process_line(address, line))
        snprintf(place, sizeof place, " (%s)", line);
    if (symbol)
        readable_name(symbol, name);
    else if (module)
        snprintf(name, sizeof name, "%.100s+0x%lx", module, (unsigned long)offset);
    else
        snprintf(name, sizeof name, "%#lx", (unsigned long)address);
    int room = COLUMNS - (int)(strlen(label) + strlen(place));
    bool fits = (int)strlen(name) <= room || room < 10;
    printf("%s%.*s%s%s\n", label, fits ? READABLE_NAME : room - 3, name, fits ? "" : "...", place);
}

static void print_stack(const struct who_thread *thread)
{
    int shown = 0;
    for (int i = thread->first_own; i < thread->frame_count && shown < FRAMES_SHOWN; i++)
        if (process_library(thread->frames[i]) == LIBRARY_NONE)
            print_frame(shown++ ? "       < " : "      in ", thread->frames[i]);
}

/* A thread has the address of a mutex that it is to unlock on its stack, mostly. Those that wait for that mutex have it
 * too. */
static void print_candidates(const struct who_process *process, const struct who_thread *waiter)
{
    char text[COLUMNS];
    int shown = 0;
    for (size_t i = 0; i < process->count && shown < CANDIDATES_SHOWN; i++) {
        const struct who_thread *thread = &process->threads[i];
        if (thread == waiter || thread->object == waiter->object || !stack_has(process, thread, waiter->object))
            continue;
        printf("    perhaps it is thread %s, whose stack has the address\n", thread_text(thread, text));
        shown++;
    }
}

static void print_owner(const struct who_process *process, const struct who_thread *thread)
{
    char text[COLUMNS];
    const struct who_thread *owner = thread_at(process, thread->owner);
    if (owner)
        printf("    its owner is thread %s, which %s\n", thread_text(owner, text), state_text(owner->state));
    else if (thread->is_owner_known)
        printf("    its owner is thread %d, which is not here\n", (int)thread->owner);
    else if (thread->has_owner_ended)
        puts("    its owner is a thread that has ended");
    else if (thread->library == LIBRARY_RECIP)
        puts("    its owner is not known; it would be with -DRECIP_DEBUG");
    else
        puts("    its owner is not known");
    if (!thread->is_owner_known && thread->kind == WAITS_MUTEX)
        print_candidates(process, thread);
}

static void print_thread(const struct who_process *process, const struct who_thread *thread)
{
    char object[COLUMNS] = "", text[COLUMNS];
    if (thread->object || thread->mutex)
        object_text(thread->object ? thread->object : thread->mutex, object);
    printf("  thread %s ", thread_text(thread, text));
    switch (thread->kind) {
    case WAITS_MUTEX:
        printf("waits for the mutex %s\n", object);
        if (thread->object)
            print_owner(process, thread);
        break;
    case WAITS_RWLOCK:
        printf("waits for %s%s\n", thread->object ? "the read-write lock " : "a read-write lock", object);
        if (thread->object)
            print_owner(process, thread);
        break;
    case WAITS_THREAD:
        if (thread->owner)
            printf("waits for the end of thread %s\n", thread_text(thread_at(process, thread->owner), text));
        else
            puts("waits for the end of a thread");
        break;
    case WAITS_COND:
        if (thread->object)
            printf("waits for the condition variable %s\n", object);
        else
            printf("waits for a condition variable%s%s\n", *object ? " with the mutex " : "", object);
        break;
    case WAITS_SEM:
        if (thread->object)
            printf("waits for the semaphore %s\n", object);
        else
            puts("waits for a semaphore");
        break;
    default:
        puts(state_text(thread->state));
    }
    print_stack(thread);
}

/* In lines that fit. */
static void print_queue(const struct who_process *process, const struct who_queue *queue, uint64_t mutex)
{
    char text[COLUMNS], object[COLUMNS];
    printf("  next at the mutex %s%s:\n", object_text(mutex, object),
           queue->is_handed_over ? ", which its owner hands over" : "");
    int column = printf("   ");
    for (size_t i = 0; i < queue->count; i++) {
        bool is_last = i + 1 == queue->count;
        if (i == WAITERS_SHOWN && !is_last)
            snprintf(text, sizeof text, "and %zu more", queue->count - i);
        else if (queue->threads[i] == NOT_FOUND)
            snprintf(text, sizeof text, "a thread that is not found");
        else
            thread_text(&process->threads[queue->threads[i]], text);
        if (column + (int)strlen(text) + 2 > COLUMNS)
            column = printf("\n   ") - 1;
        bool ends = is_last || (i == WAITERS_SHOWN && !is_last);
        column += printf(" %s%s", text, ends ? "" : ",");
        if (ends)
            break;
    }
    puts("");
}

static bool is_first_at_mutex(const struct who_process *process, size_t index)
{
    const struct who_thread *thread = &process->threads[index];
    if (thread->kind != WAITS_MUTEX || !thread->object ||
        (thread->library != LIBRARY_PRELOAD && thread->library != LIBRARY_RECIP))
        return false;
    for (size_t i = 0; i < index; i++)
        if (process->threads[i].kind == WAITS_MUTEX && process->threads[i].object == thread->object)
            return false;
    return true;
}

/* Of mutexes of ours for which several wait. */
static void print_queues(const struct who_process *process)
{
    for (size_t i = 0; i < process->count; i++) {
        if (!is_first_at_mutex(process, i))
            continue;
        struct who_queue queue = find_queue(process, process->threads[i].object, process->threads[i].library);
        if (queue.count > 1)
            print_queue(process, &queue, process->threads[i].object);
        free(queue.threads);
    }
}

/* From this thread along the owners, back to it. */
static int cycle_from(const struct who_process *process, const struct who_thread *first,
                      const struct who_thread **cycle)
{
    const struct who_thread *thread = first;
    for (size_t count = 0; count < process->count && thread;) {
        cycle[count++] = thread;
        thread = thread_at(process, thread->owner);
        if (thread == first)
            return (int)count;
    }
    return 0;
}

/* Each circle once: by its thread of the lowest number. */
static void print_deadlocks(const struct who_process *process)
{
    char text[COLUMNS];
    const struct who_thread **cycle = need_memory(calloc(process->count + 1, sizeof *cycle));
    for (size_t i = 0; i < process->count; i++) {
        int count = cycle_from(process, &process->threads[i], cycle);
        bool is_lowest = count > 0;
        for (int j = 0; j < count; j++)
            is_lowest &= cycle[j]->number >= process->threads[i].number;
        if (!is_lowest)
            continue;
        printf("recip: deadlock of %d thread%s:", count, count > 1 ? "s" : "");
        for (int j = 0; j < count; j++)
            printf(" %s ->", thread_text(cycle[j], text));
        printf(" %d\n", (int)cycle[0]->number);
    }
    free(cycle);
}

/* What its mutexes are. */
static const char *locks_text(const struct who_process *process)
{
    if (process->is_on_zoo)
        return "a lock of the zoo, which is not understood";
    if (process->is_on_recip)
        return process->has_librecip ? "recip's mutex and librecip" : "recip's mutex";
    if (process->has_glibc)
        return process->has_librecip ? "glibc's mutexes and librecip" : "glibc's mutexes";
    return process->has_librecip ? "librecip" : "mutexes that are not understood: not glibc's, nor recip's";
}

static struct who_process *open_request(const struct request *request)
{
    char why[256];
    struct who_process *process;
    if (is_number(request->process)) {
        pid_t number = (pid_t)option_count("PID", request->process, 1, 1u << 22);
        process = process_open(number, why);
        if (!process)
            fprintf(stderr, "recip: process %d cannot be read: %s\n", (int)number, why);
    } else {
        process = process_open_core(request->process, request->program, why);
        if (!process)
            refuse("'%s' is neither a process nor a core file that can be read: %s", request->process, why);
    }
    return process;
}

static void check_program(const char *path)
{
    struct stat about;
    if (access(path, R_OK) != 0 || stat(path, &about) != 0)
        refuse("the program '%s' cannot be read: %s", path, strerror(errno));
    if (!S_ISREG(about.st_mode))
        refuse("the program '%s' cannot be read: it is no file", path);
}

int main(int argc, char **argv)
{
    struct request request = {0};
    parse_options(&argp, argc, argv, &request, "a process, or a core file");
    if (!request.process)
        refuse("a process is missing: recip who PID, or recip who CORE [PROGRAM]");
    if (request.program)
        check_program(request.program);
    struct who_process *process = open_request(&request);
    if (!process)
        return STATUS_FAILED;
    printf("recip: %sprocess %d, %zu thread%s, on %s\n", process->core ? "core file of " : "", (int)process->number,
           process->count, process->count == 1 ? "" : "s", locks_text(process));
    if (*process->no_stacks)
        printf("recip: no stack can be taken, so little is known: %s\n", process->no_stacks);
    if (process->is_cut_off)
        puts("recip: the file is cut off, so some owners, waiters and stacks may be missing");
    for (size_t i = 0; i < process->count; i++)
        find_wait(process, &process->threads[i]);
    for (size_t i = 0; i < process->count; i++)
        print_thread(process, &process->threads[i]);
    print_queues(process);
    print_deadlocks(process);
    process_close(process);
    return output_status(STATUS_OK);
}
