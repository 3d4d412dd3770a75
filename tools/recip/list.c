/* SPDX-License-Identifier: MIT */
/* recip list: the locks of the registry, one line each, or all that is known of some. */
#include "cli/command.h"

#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>

#include "cli/columns.h"
#include "cli/terminal.h"
#include "zoo/cpu-fit.h"

static const char *const waits_words[] = {
    [RECIP_WAITS_OWN] = "own",       [RECIP_WAITS_FIRST] = "first",   [RECIP_WAITS_NEIGHBOUR] = "neighbour",
    [RECIP_WAITS_GLOBAL] = "global", [RECIP_WAITS_LEADER] = "leader", [RECIP_WAITS_FUTEX] = "futex",
    [RECIP_WAITS_SYSTEM] = "system",
};

static const char *const admission_words[] = {
    [RECIP_ADMITS_FIFO] = "fifo",         [RECIP_ADMITS_RECIPROCATING] = "reciprocating",
    [RECIP_ADMITS_SEGMENTS] = "segments", [RECIP_ADMITS_GATED] = "gated",
    [RECIP_ADMITS_LANES] = "lanes",       [RECIP_ADMITS_ANY] = "any",
};

static const struct {
    unsigned trait;
    char letter;
    const char *name, *words;
} traits[] = {
    {RECIP_STACK, 's', "stack", "its elements may be on the stack"},
    {RECIP_OBLIVIOUS, 'o', "oblivious", "another thread than the one that acquired may release"},
    {RECIP_FAIR, 'f', "fair", "fair in the long run though not fifo"},
    {RECIP_NEEDS_INIT, 'i', "needs_init", "has to be initialised"},
    {RECIP_NEEDS_DESTROY, 'd', "needs_destroy", "has to be destroyed"},
    {RECIP_NODES, 'n', "nodes", "takes a node from the heap for each lock held"},
    {RECIP_DEMOTES | RECIP_NON_TEMPORAL | RECIP_MONITORS, 'c', "cpu", "is about an instruction that not every CPU has"},
};

/* Which locks a real program may live on. The others hand over to a thread that may be asleep or off its CPU, or spin:
 * with more threads than CPUs a program on them can be hundreds of times slower. */
static const char *use_word(const struct recip_algorithm *lock)
{
    return lock->family == RECIP_FAMILY_MUTEX || lock->family == RECIP_FAMILY_SYSTEM ? "programs" : "experiments";
}

/* What follows the word for where a lock waits. */
static const char *waits_ending(const struct recip_algorithm *lock)
{
    return lock->parks ? "+park" : lock->traits & RECIP_MONITORS ? "+monitor" : "";
}

enum { TRAITS = sizeof traits / sizeof *traits };

struct request {
    struct algorithm_list locks; /* none: all */
    bool json;
};

static void ask_for(struct algorithm_list *asked, const struct recip_algorithm *lock)
{
    asked->values = need_memory(realloc(asked->values, (asked->size + 1) * sizeof(void *)));
    asked->values[asked->size++] = lock;
}

static error_t take_option(int key, char *word, struct argp_state *state)
{
    struct request *request = state->input;
    if (key == 'j')
        request->json = true;
    if (key != ARGP_KEY_ARG)
        return key == 'j' ? 0 : ARGP_ERR_UNKNOWN;
    struct algorithm_list one = option_locks("list", word);
    for (size_t i = 0; i < one.size; i++)
        ask_for(&request->locks, one.values[i]);
    free(one.values);
    return 0;
}

static const struct argp_option options[] = {
    {"json", 'j', NULL, 0, "all that is known of them, as JSON", 0},
    {0},
};

static const struct argp argp = {
    .options = options,
    .parser = take_option,
    .args_doc = "[ID...]",
    .doc =
        "The locks, one line each; or all that is known of those that are named. A terminal shows as many columns as "
        "are "
        "at least readable there; a file or a pipe gets all of them.\v"
        "WAITS: where a waiter spins. At its own element; at a word that it shares with few, a neighbour's or a slot "
        "of a table; at one word for all (global); at its own until it is first in line or leads, and then at the "
        "lock's (first, leader); wherever the system does. +park sleeps there after a while; "
        "with +monitor the CPU watches the word, where it can.\n\n"
        "ADMITS: fifo; reciprocating, that is in segments, oldest first, each from the newest; segments, oldest first, "
        "with any order within one; gated, the same with the first arrival and then from the newest; lanes, two of "
        "those that take turns; any.\n\n"
        "FOR: programs, which may have more threads than there are CPUs; or experiments, where each thread has a CPU "
        "and "
        "locks are compared. A program on a lock for experiments can be hundreds of times slower.\n\n"
        "LOCK, CONTEXT and MUTEX: bytes of the lock, of what acquire hands to release, and of the form that keeps this "
        "inside.\n\n"
        "TRAITS: s elements may be on the stack; o another thread may release; f fair in the long run though not fifo; "
        "i has to be initialised; d has to be destroyed; n takes a node for each lock held; c is about an instruction "
        "that not every CPU has: 'recip list ID' names it, and 'recip bench' leaves the lock out where it is missing.",
};

enum { ID, WAITS, ADMITS, FOR, LOCK, CONTEXT, MUTEX, TRAITS_OF, WHAT, COLUMNS };

static const struct table_column columns[COLUMNS] = {
    [ID] = {"ID", -33, 0},     [WAITS] = {"WAITS", -14, 3},     [ADMITS] = {"ADMITS", -13, 2},
    [FOR] = {"FOR", -11, 5},   [LOCK] = {"LOCK", 4, 4},         [CONTEXT] = {"CONTEXT", 7, 8},
    [MUTEX] = {"MUTEX", 5, 7}, [TRAITS_OF] = {"TRAITS", -6, 6}, [WHAT] = {"WHAT IT IS", -30, 1},
};

static void print_line(const struct recip_algorithm *lock, unsigned ranks)
{
    char cells[COLUMNS][CELL_SIZE], *letter = cells[TRAITS_OF];
    for (int i = 0; i < TRAITS; i++)
        if (lock->traits & traits[i].trait)
            *letter++ = traits[i].letter;
    *letter = '\0';
    snprintf(cells[ID], CELL_SIZE, "%s", lock->id);
    snprintf(cells[WAITS], CELL_SIZE, "%s%s", waits_words[lock->waits], waits_ending(lock));
    snprintf(cells[ADMITS], CELL_SIZE, "%s", admission_words[lock->admission]);
    snprintf(cells[FOR], CELL_SIZE, "%s", use_word(lock));
    snprintf(cells[LOCK], CELL_SIZE, "%zu", lock->lock_size);
    snprintf(cells[CONTEXT], CELL_SIZE, "%zu", lock->context_size);
    snprintf(cells[MUTEX], CELL_SIZE, "%zu", lock->mutex_size);
    snprintf(cells[WHAT], CELL_SIZE, "%s", lock->summary);
    columns_print(columns, COLUMNS, ranks, cells);
}

static void print_table(const struct algorithm_list *locks)
{
    unsigned ranks = columns_that_fit(columns, COLUMNS);
    columns_print_titles(columns, COLUMNS, ranks);
    for (size_t i = 0; i < locks->size; i++)
        print_line(locks->values[i], ranks);
    if (ranks < COLUMNS)
        print_folded(stdout, 0,
                     "\nA wider terminal shows more columns; recip list ID and recip list --json show all.\n");
}

static void print_all(const struct recip_algorithm *lock)
{
    print_folded(stdout, 4, "%s: %s\n", lock->id, lock->summary);
    print_folded(stdout, 4, "  described in %s\n", lock->source);
    print_folded(stdout, 4, "  family: %s; waits: %s%s; admits: %s\n", recip_family_word(lock->family),
                 waits_words[lock->waits],
                 lock->parks                     ? ", sleeping after a while"
                 : lock->traits & RECIP_MONITORS ? ", watched by the CPU"
                                                 : "",
                 admission_words[lock->admission]);
    printf("  for %s\n", use_word(lock));
    print_folded(stdout, 4, "  lock %zu bytes, context %zu, mutex %zu, alignment %zu\n", lock->lock_size,
                 lock->context_size, lock->mutex_size, lock->alignment);
    if (lock->max_threads)
        printf("  takes %u threads at most\n", lock->max_threads);
    for (int i = 0; i < TRAITS; i++)
        if (lock->traits & traits[i].trait)
            printf("  %s\n", traits[i].words);
    const char *instruction = recip_cpu_instruction(lock);
    if (instruction)
        printf("  this CPU %s %s\n", recip_cpu_fits(lock) ? "has" : "does not have", instruction);
}

static json_t *lock_json(const struct recip_algorithm *lock)
{
    json_t *its_traits = need_memory(json_array());
    for (int i = 0; i < TRAITS; i++)
        if (lock->traits & traits[i].trait)
            json_array_append_new(its_traits, json_string(traits[i].name));
    return need_memory(json_pack(
        "{s:s, s:s, s:s, s:s, s:s, s:b, s:b, s:s, s:s, s:i, s:i, s:i, s:i, s:o, s:o}", "id", lock->id, "summary",
        lock->summary, "source", lock->source, "family", recip_family_word(lock->family), "waits",
        waits_words[lock->waits], "parks", lock->parks, "monitors", lock->traits & RECIP_MONITORS ? 1 : 0, "admits",
        admission_words[lock->admission], "for", use_word(lock), "lock_bytes", (int)lock->lock_size, "context_bytes",
        (int)lock->context_size, "mutex_bytes", (int)lock->mutex_size, "alignment", (int)lock->alignment, "max_threads",
        lock->max_threads ? json_integer(lock->max_threads) : json_null(), "traits", its_traits));
}

static void print_json(const struct algorithm_list *locks)
{
    json_t *list = need_memory(json_array());
    for (size_t i = 0; i < locks->size; i++)
        json_array_append_new(list, lock_json(locks->values[i]));
    json_t *whole = need_memory(json_pack("{s:s, s:i, s:o}", "schema", "recip-list", "version", 1, "locks", list));
    json_dumpf(whole, stdout, JSON_INDENT(2));
    putchar('\n');
    json_decref(whole);
}

int command_list(int argc, char **argv)
{
    struct request request = {0};
    parse_options(&argp, argc, argv, &request, "locks and options");
    bool all = !request.locks.size;
    for (size_t i = 0; all && i < recip_algorithm_count; i++)
        ask_for(&request.locks, recip_algorithms[i]);
    if (request.json)
        print_json(&request.locks);
    else if (all)
        print_table(&request.locks);
    else
        for (size_t i = 0; i < request.locks.size; i++)
            print_all(request.locks.values[i]);
    free(request.locks.values);
    return STATUS_OK;
}
