/* recip list: the locks of the registry, one line each. */
#include "recip/command.h"

#include <stdio.h>

static const char *const waits_words[] = {
    [RECIP_WAITS_OWN] = "own",       [RECIP_WAITS_NEIGHBOUR] = "neighbour", [RECIP_WAITS_GLOBAL] = "global",
    [RECIP_WAITS_LEADER] = "leader", [RECIP_WAITS_SYSTEM] = "system",
};

static const char *const admission_words[] = {
    [RECIP_ADMITS_FIFO] = "fifo",         [RECIP_ADMITS_RECIPROCATING] = "reciprocating",
    [RECIP_ADMITS_SEGMENTS] = "segments", [RECIP_ADMITS_LANES] = "lanes",
    [RECIP_ADMITS_ANY] = "any",
};

static const struct argp argp = {
    .doc =
        "The locks, one line each.\v"
        "WAITS    where a waiter spins: at its own element, at a neighbour's (or a hashed) word, at one word for all;\n"
        "         at its own until it leads and then at the lock's; '+park' sleeps there after a while\n"
        "ADMITS   fifo; reciprocating (segments, oldest first, each from the newest); segments (any order within "
        "one);\n"
        "         lanes (two of those, taking turns); any\n"
        "LOCK     bytes of the lock; CTX of the context from acquire to release; MUTEX of the form that keeps it "
        "inside\n"
        "TRAITS   s elements may be on the stack, o another thread may release, f fair in the long run,\n"
        "         i has to be initialised, d has to be destroyed, n takes a node for each lock held",
};

static void print_lock(const struct recip_algorithm *lock)
{
    char traits[8] = "", *end = traits;
    static const struct {
        unsigned trait;
        char letter;
    } letters[] = {
        {RECIP_STACK, 's'}, {RECIP_OBLIVIOUS, 'o'}, {RECIP_FAIR, 'f'},
        {RECIP_MADE, 'i'},  {RECIP_OWNED, 'd'},     {RECIP_NODES, 'n'},
    };
    for (size_t i = 0; i < sizeof letters / sizeof *letters; i++)
        if (lock->traits & letters[i].trait)
            *end++ = letters[i].letter;
    *end = '\0';
    char waits[16];
    snprintf(waits, sizeof waits, "%s%s", waits_words[lock->waits], lock->parks ? "+park" : "");
    printf("%-31s %-11s  %-13s %4zu %3zu %5zu  %-6s  %s\n", lock->id, waits, admission_words[lock->admission],
           lock->lock_size, lock->context_size, lock->mutex_size, traits, lock->summary);
}

int command_list(int argc, char **argv)
{
    parse_options(&argp, argc, argv, NULL, NULL);
    printf("%-31s %-11s  %-13s %4s %3s %5s  %-6s  %s\n", "ID", "WAITS", "ADMITS", "LOCK", "CTX", "MUTEX", "TRAITS",
           "WHAT IT IS");
    for (size_t i = 0; i < recip_algorithm_count; i++)
        print_lock(recip_algorithms[i]);
    return STATUS_OK;
}
