/* SPDX-License-Identifier: MIT */
/* recip-record LOCKS: records the reciprocating lock, as its source in the folder LOCKS is, access by access, in the
 * paper's scenarios, and prints the record as JSON for the page of `recip report`. docs/report.md has the schema. */
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "instrument/symbolise.h"
#include "report/recorder/stepped-threads.h"

#define HEADER "reciprocating.h"

enum { NOBODY = -1 };

/* The script: a letter arrives, and comes to wait or owns the lock; '-' the owner releases, and the next, if there is
 * one, finds itself the owner; '*' the same, and the last owner arrives again. */
static const struct scenario {
    const char *name, *title, *script;
    int threads;
} scenarios[] = {
    {"uncontended", "Uncontended", "A-", 1},
    {"onset", "Onset of contention", "ABC---", 3},
    {"sustained", "Sustained contention", "ABCD-EF-----", 6},
    {"palindrome", "Palindrome", "AEDCB********", 5},
};

struct recording {
    struct stepped_threads stepped;
    int threads, owner;              /* owner: also while it has been handed the lock and has not looked yet */
    uintptr_t below[MAX_THREADS];    /* what the exchange found when the thread last arrived */
    bool waits[MAX_THREADS];         /* has arrived at a lock that was held, and not been admitted */
    uintptr_t entry, end_of_segment; /* the detached elements that are not admitted yet: the first; where they end */
    json_t *steps;
    const void **frames; /* FRAMES for each step, to be looked up at the end */
};

static struct element *element_of(struct recording *recording, int thread)
{
    return &recording->stepped.threads[thread].record.element;
}

static int thread_of(struct recording *recording, uintptr_t word)
{
    for (int i = 0; i < recording->threads; i++)
        if (word == (uintptr_t)element_of(recording, i))
            return i;
    return NOBODY;
}

/* A word of the lock: "0", "1", or the letter of the thread whose element it is the address of. */
static json_t *word_json(struct recording *recording, uintptr_t word)
{
    char text[24];
    int thread = thread_of(recording, word);
    if (thread == NOBODY)
        snprintf(text, sizeof text, "%llu", (unsigned long long)word);
    else
        snprintf(text, sizeof text, "%c", 'A' + thread);
    return json_string(text);
}

/* The letters of a segment: each thread knows the element below its own. */
static json_t *segment_json(struct recording *recording, uintptr_t first, uintptr_t end)
{
    char letters[MAX_THREADS + 1];
    int count = 0, thread;
    while (first != end && count < MAX_THREADS && (thread = thread_of(recording, first)) != NOBODY) {
        letters[count++] = (char)('A' + thread);
        first = recording->below[thread];
    }
    return json_stringn(letters, (size_t)count);
}

static const char *state_of(const struct recording *recording, int thread)
{
    enum task task = recording->stepped.threads[thread].task;
    if (recording->owner == thread)
        return task == TASK_ACQUIRE ? "handed" : task == TASK_RELEASE ? "releases" : "owns";
    if (recording->waits[thread])
        return "waits";
    return task == TASK_ACQUIRE ? "arrives" : task == TASK_RELEASE ? "leaves" : "idle";
}

static json_t *thread_json(struct recording *recording, int thread)
{
    const struct stepped_thread *one = &recording->stepped.threads[thread];
    bool holds = recording->owner == thread && one->task != TASK_ACQUIRE;
    json_t *object = json_pack("{s:s, s:o}", "state", state_of(recording, thread), "gate",
                               word_json(recording, element_of(recording, thread)->gate));
    if (recording->waits[thread])
        json_object_set_new(object, "below", word_json(recording, recording->below[thread]));
    if (holds) {
        json_object_set_new(object, "successor", word_json(recording, (uintptr_t)one->context.successor));
        json_object_set_new(object, "eos", word_json(recording, (uintptr_t)one->context.eos));
    }
    return object;
}

static void add_place(struct recording *recording, json_t *step, const volatile void *address)
{
    if (address == &recording->stepped.lock.arrivals) {
        json_object_set_new(step, "place", json_string("arrivals"));
        return;
    }
    for (int i = 0; i < recording->threads; i++)
        if (address == &element_of(recording, i)->gate) {
            json_object_set_new(step, "place", json_string("gate"));
            json_object_set_new(step, "of", word_json(recording, (uintptr_t)element_of(recording, i)));
            return;
        }
    fprintf(stderr, "recip-record: an access to something that is neither the arrivals word nor a gate\n");
    exit(1);
}

/* What the access means for the segments, from its place and values. */
static const char *update_segments(struct recording *recording, int thread, const struct access *access)
{
    if (access->address == &recording->stepped.lock.arrivals) {
        if (access->operation == COMPARE_EXCHANGE) {
            if (access->before == access->after)
                return "not-alone";
            recording->owner = NOBODY;
            return "unlock";
        }
        if (thread_of(recording, access->after) == thread) {
            recording->below[thread] = access->before;
            recording->waits[thread] = access->before != 0;
            if (!access->before)
                recording->owner = thread;
            return access->before ? "push" : "take";
        }
        recording->entry = access->before;
        recording->end_of_segment = (uintptr_t)recording->stepped.threads[thread].context.eos;
        return "detach";
    }
    if (access->address == &element_of(recording, thread)->gate) {
        if (access->operation == STORE)
            return "close";
        if (!access->after)
            return "wait";
        recording->waits[thread] = false;
        return "admitted";
    }
    recording->owner = (int)(((const char *)access->address - (const char *)recording->stepped.threads) /
                             (ptrdiff_t)sizeof *recording->stepped.threads);
    recording->entry = recording->below[recording->owner];
    recording->end_of_segment = access->after;
    return "hand-over";
}

static void add_step(struct recording *recording, int thread, const struct access *access)
{
    static const char *const words[] = {"load", "store", "exchange", "compare-exchange"};
    static const char *const orders[] = {
        [__ATOMIC_RELAXED] = "relaxed", [__ATOMIC_CONSUME] = "consume", [__ATOMIC_ACQUIRE] = "acquire",
        [__ATOMIC_RELEASE] = "release", [__ATOMIC_ACQ_REL] = "acq_rel", [__ATOMIC_SEQ_CST] = "seq_cst"};
    const char letter[] = {(char)('A' + thread), '\0'};
    const char *event = update_segments(recording, thread, access);
    json_t *step = json_pack("{s:s, s:s, s:s, s:s, s:o, s:o}", "thread", letter, "event", event, "operation",
                             words[access->operation], "order", orders[access->order], "before",
                             word_json(recording, access->before), "after", word_json(recording, access->after));
    add_place(recording, step, access->address);
    uintptr_t arrivals = (uintptr_t)recording->stepped.lock.arrivals;
    json_object_set_new(step, "arrivals", word_json(recording, arrivals));
    json_object_set_new(step, "stack", segment_json(recording, arrivals, 0));
    json_object_set_new(step, "entry", segment_json(recording, recording->entry, recording->end_of_segment));
    json_t *threads = json_array();
    for (int i = 0; i < recording->threads; i++)
        json_array_append_new(threads, thread_json(recording, i));
    json_object_set_new(step, "threads", threads);
    size_t count = json_array_size(recording->steps);
    recording->frames = realloc(recording->frames, (count + 1) * sizeof access->frames);
    if (!recording->frames)
        abort();
    memcpy(recording->frames + count * FRAMES, access->frames, sizeof access->frames);
    json_array_append_new(recording->steps, step);
}

/* Until it has done what it was told, or waits at its closed gate. */
static void run_until_waiting(struct recording *recording, int thread)
{
    struct stepped_thread *one = &recording->stepped.threads[thread];
    bool looked = false;
    while (one->task != TASK_NONE && !(looked && recording->waits[thread] && !one->record.element.gate)) {
        struct access access = stepped_step(&recording->stepped, thread);
        add_step(recording, thread, &access);
        looked = access.operation == LOAD;
    }
}

static void give_task(struct recording *recording, int thread, enum task task)
{
    recording->stepped.threads[thread].task = task;
    run_until_waiting(recording, thread);
}

static void release(struct recording *recording)
{
    int last = recording->owner;
    give_task(recording, last, TASK_RELEASE);
    if (recording->owner != NOBODY)
        run_until_waiting(recording, recording->owner);
}

static void play(struct recording *recording, const char *script)
{
    for (; *script; script++) {
        int last = recording->owner;
        if (*script >= 'A') {
            give_task(recording, *script - 'A', TASK_ACQUIRE);
            continue;
        }
        release(recording);
        if (*script == '*')
            give_task(recording, last, TASK_ACQUIRE);
    }
}

/* The line of the lock's own header that an access comes from. */
static void add_lines(struct recording *recording)
{
    size_t count = json_array_size(recording->steps);
    for (size_t step = 0; step < count; step++) {
        int line = 0;
        for (int i = 0; i < FRAMES && !line; i++) {
            const struct symbol *symbol = symbol_of(recording->frames[step * FRAMES + (size_t)i]);
            if (symbol && strcmp(symbol->lines[0].file, "zoo/" HEADER) == 0)
                line = symbol->lines[0].number;
        }
        if (!line) {
            fprintf(stderr, "recip-record: no line of " HEADER " found for an access\n");
            exit(1);
        }
        json_object_set_new(json_array_get(recording->steps, step), "line", json_integer(line));
    }
}

static json_t *record(const struct scenario *scenario)
{
    static struct recording recording;
    memset(&recording, 0, sizeof recording);
    recording.threads = scenario->threads;
    recording.owner = NOBODY;
    recording.steps = json_array();
    stepped_start(&recording.stepped, scenario->threads);
    play(&recording, scenario->script);
    add_lines(&recording);
    free(recording.frames);
    return json_pack("{s:s, s:s, s:i, s:o}", "name", scenario->name, "title", scenario->title, "threads",
                     scenario->threads, "steps", recording.steps);
}

/* The lines of acquire and of release, with their numbers. */
static json_t *source_json(const char *folder)
{
    char path[4096], line[512];
    snprintf(path, sizeof path, "%s/" HEADER, folder);
    FILE *file = fopen(path, "r");
    if (!file) {
        perror(path);
        exit(1);
    }
    json_t *lines = json_array();
    bool inside = false;
    for (int number = 1; fgets(line, sizeof line, file); number++) {
        line[strcspn(line, "\n")] = '\0';
        if (strstr(line, "void reciprocating_acquire(") || strstr(line, "void reciprocating_release("))
            inside = true;
        if (inside)
            json_array_append_new(lines, json_pack("{s:i, s:s}", "number", number, "text", line));
        if (line[0] == '}')
            inside = false;
    }
    fclose(file);
    return lines;
}

int main(int argc, char **argv)
{
    if (argc != 2) {
        fprintf(stderr, "Usage: recip-record LOCKS\n");
        return 2;
    }
    json_t *list = json_array();
    for (size_t i = 0; i < sizeof scenarios / sizeof *scenarios; i++)
        json_array_append_new(list, record(&scenarios[i]));
    json_t *whole = json_pack("{s:s, s:i, s:s, s:o, s:o}", "schema", "recip-trace", "version", 1, "header",
                              "zoo/" HEADER, "source", source_json(argv[1]), "scenarios", list);
    if (!whole || json_dumpf(whole, stdout, JSON_COMPACT | JSON_PRESERVE_ORDER) != 0 || puts("") < 0 ||
        fflush(stdout) != 0)
        return 1;
    json_decref(whole);
    return 0;
}
