/* SPDX-License-Identifier: MIT */
/* recip who PID */
#include "cli/command.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/output.h"
#include "who/who.h"

enum { FRAMES_SHOWN = 6, COLUMNS = 80 };

static error_t take_option(int key, char *word, struct argp_state *state)
{
    pid_t *number = state->input;
    if (key != ARGP_KEY_ARG)
        return ARGP_ERR_UNKNOWN;
    if (*number)
        refuse("'%s' is one process too many; one is allowed", word);
    *number = (pid_t)option_count("PID", word, 1, 1u << 22);
    return 0;
}

static const struct argp argp = {
    .parser = take_option,
    .args_doc = "PID",
    .doc =
        "Prints what the threads of a running process wait for: mutexes and their owners, condition variables, stacks, "
        "and a deadlock if there is one. It reads only; the process stops for moments. Of a program on glibc's "
        "mutexes the owners are always known, of one under 'recip run' with --watch, --watch=off or --stats.",
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
                                          : "sleeps";
}

/* "'till'", "'tables' + 80" or "0x7f...". */
static const char *object_text(uint64_t address, char text[COLUMNS])
{
    uint64_t offset;
    const char *name = process_symbol(address, &offset);
    if (!name)
        snprintf(text, COLUMNS, "%#lx", (unsigned long)address);
    else if (offset)
        snprintf(text, COLUMNS, "'%.40s' + %lu", name, (unsigned long)offset);
    else
        snprintf(text, COLUMNS, "'%.50s'", name);
    return text;
}

static void print_frame(const char *label, uint64_t address)
{
    uint64_t offset;
    char line[128], text[256];
    const char *name = process_symbol(address - 1, &offset);
    if (process_line(address, line))
        snprintf(text, sizeof text, "%.100s (%s)", name ? name : "?", line);
    else if (name)
        snprintf(text, sizeof text, "%.100s", name);
    else
        snprintf(text, sizeof text, "%#lx", (unsigned long)address);
    printf("%s%.*s\n", label, COLUMNS - (int)strlen(label), text);
}

static void print_stack(const struct who_thread *thread)
{
    int shown = 0;
    for (int i = 0; i < thread->frame_count && shown < FRAMES_SHOWN; i++)
        if (!process_is_library(thread->frames[i]))
            print_frame(shown++ ? "       < " : "      in ", thread->frames[i]);
}

static void print_thread(const struct who_process *process, const struct who_thread *thread)
{
    char object[COLUMNS] = "";
    const struct who_thread *owner = thread_at(process, thread->owner);
    if (thread->object)
        object_text(thread->object, object);
    printf("  thread %s %d ", thread->name, (int)thread->number);
    switch (thread->kind) {
    case WAITS_MUTEX:
        printf("waits for the mutex %s\n", object);
        if (owner)
            printf("    its owner is thread %s %d, which %s\n", owner->name, (int)owner->number,
                   state_text(owner->state));
        else if (thread->is_owner_known)
            printf("    its owner is thread %d, which is not here\n", (int)thread->owner);
        else if (thread->object)
            puts("    its owner is not known");
        break;
    case WAITS_COND:
        if (*object)
            printf("waits for the condition variable %s\n", object);
        else
            puts("waits for a condition variable");
        break;
    default:
        puts(state_text(thread->state));
    }
    print_stack(thread);
}

/* From this thread along the owners, back to it. */
static int cycle_from(const struct who_process *process, const struct who_thread *first,
                      const struct who_thread **cycle)
{
    const struct who_thread *thread = first;
    for (size_t count = 0; count < process->count && thread;) {
        cycle[count++] = thread;
        thread = thread->kind == WAITS_MUTEX ? thread_at(process, thread->owner) : NULL;
        if (thread == first)
            return (int)count;
    }
    return 0;
}

/* Each circle once: by its thread of the lowest number. */
static void print_deadlocks(const struct who_process *process)
{
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
            printf(" %s %d ->", cycle[j]->name, (int)cycle[j]->number);
        printf(" %d\n", (int)cycle[0]->number);
    }
    free(cycle);
}

int main(int argc, char **argv)
{
    pid_t number = 0;
    char why[256];
    parse_options(&argp, argc, argv, &number, "a process");
    if (!number)
        refuse("a process is missing: recip who PID");
    struct who_process *process = process_open(number, why);
    if (!process) {
        fprintf(stderr, "recip: process %d cannot be read: %s\n", (int)number, why);
        return STATUS_FAILED;
    }
    printf("recip: process %d, %zu thread%s, on %s\n", (int)number, process->count, process->count == 1 ? "" : "s",
           process->is_on_recip ? "recip's mutex"
           : process->is_on_zoo ? "a lock of the zoo, which is not understood"
                                : "glibc's mutexes");
    for (size_t i = 0; i < process->count; i++)
        find_wait(process, &process->threads[i]);
    for (size_t i = 0; i < process->count; i++)
        print_thread(process, &process->threads[i]);
    print_deadlocks(process);
    process_close(process);
    return output_status(STATUS_OK);
}
