/* SPDX-License-Identifier: MIT */
/* recip list: the locks of the registry, one line each, or all that is known of some. */
#include "cli/command.h"

#include <stdio.h>
#include <stdlib.h>

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
    const char *words;
} traits[] = {
    {RECIP_STACK, 's', "its elements may be on the stack"},
    {RECIP_OBLIVIOUS, 'o', "another thread than the one that acquired may release"},
    {RECIP_FAIR, 'f', "fair in the long run though not fifo"},
    {RECIP_NEEDS_INIT, 'i', "has to be initialised"},
    {RECIP_NEEDS_DESTROY, 'd', "has to be destroyed"},
    {RECIP_NODES, 'n', "takes a node from the heap for each lock held"},
};

/* Which locks a real program may live on. The others hand over to a thread that may be asleep or off its CPU, or spin:
 * with more threads than CPUs a program on them can be hundreds of times slower. */
static const char *use_word(const struct recip_algorithm *lock)
{
    return lock->family == RECIP_FAMILY_MUTEX || lock->family == RECIP_FAMILY_SYSTEM ? "programs" : "experiments";
}

enum { TRAITS = sizeof traits / sizeof *traits };

static error_t take_id(int key, char *word, struct argp_state *state)
{
    struct algorithm_list *asked = state->input;
    if (key != ARGP_KEY_ARG)
        return ARGP_ERR_UNKNOWN;
    struct algorithm_list one = option_locks("list", word);
    asked->values = need_memory(realloc(asked->values, (asked->size + one.size) * sizeof(void *)));
    for (size_t i = 0; i < one.size; i++)
        asked->values[asked->size++] = one.values[i];
    free(one.values);
    return 0;
}

static const struct argp argp = {
    .parser = take_id,
    .args_doc = "[ID...]",
    .doc =
        "The locks, one line each; or all that is known of those that are named.\v"
        "WAITS: where a waiter spins. At its own element; at a word that it shares with few, a neighbour's or a slot "
        "of a table; at one word for all (global); at its own until it is first in line or leads, and then at the "
        "lock's (first, leader); wherever the system does. +park sleeps there after a while.\n\n"
        "ADMITS: fifo; reciprocating, that is in segments, oldest first, each from the newest; segments, oldest first, "
        "with any order within one; gated, the same with the first arrival and then from the newest; lanes, two of "
        "those that take turns; any.\n\n"
        "FOR: programs, which may have more threads than there are CPUs; or experiments, where each thread has a CPU "
        "and "
        "locks are compared. A program on a lock for experiments can be hundreds of times slower.\n\n"
        "LOCK, CONTEXT and MUTEX: bytes of the lock, of what acquire hands to release, and of the form that keeps this "
        "inside.\n\n"
        "TRAITS: s elements may be on the stack; o another thread may release; f fair in the long run though not fifo; "
        "i has to be initialised; d has to be destroyed; n takes a node for each lock held.",
};

static void print_line(const struct recip_algorithm *lock)
{
    char letters[TRAITS + 1] = "", *end = letters, waits[16];
    for (int i = 0; i < TRAITS; i++)
        if (lock->traits & traits[i].trait)
            *end++ = traits[i].letter;
    *end = '\0';
    snprintf(waits, sizeof waits, "%s%s", waits_words[lock->waits], lock->parks ? "+park" : "");
    printf("%-31s %-11s  %-13s %-11s %4zu %7zu %5zu  %-6s  %s\n", lock->id, waits, admission_words[lock->admission],
           use_word(lock), lock->lock_size, lock->context_size, lock->mutex_size, letters, lock->summary);
}

static void print_all(const struct recip_algorithm *lock)
{
    printf("%s: %s\n  described in %s\n  family: %s; waits: %s%s; admits: %s\n"
           "  for %s\n  lock %zu bytes, context %zu, mutex %zu, alignment %zu\n",
           lock->id, lock->summary, lock->source, recip_family_word(lock->family), waits_words[lock->waits],
           lock->parks ? ", sleeping after a while" : "", admission_words[lock->admission], use_word(lock),
           lock->lock_size, lock->context_size, lock->mutex_size, lock->alignment);
    if (lock->max_threads)
        printf("  takes %u threads at most\n", lock->max_threads);
    for (int i = 0; i < TRAITS; i++)
        if (lock->traits & traits[i].trait)
            printf("  %s\n", traits[i].words);
}

int command_list(int argc, char **argv)
{
    struct algorithm_list asked = {0};
    parse_options(&argp, argc, argv, &asked, NULL);
    for (size_t i = 0; i < asked.size; i++)
        print_all(asked.values[i]);
    if (!asked.size) {
        printf("%-31s %-11s  %-13s %-11s %4s %7s %5s  %-6s  %s\n", "ID", "WAITS", "ADMITS", "FOR", "LOCK", "CONTEXT",
               "MUTEX", "TRAITS", "WHAT IT IS");
        for (size_t i = 0; i < recip_algorithm_count; i++)
            print_line(recip_algorithms[i]);
    }
    free(asked.values);
    return STATUS_OK;
}
