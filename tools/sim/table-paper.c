/* SPDX-License-Identifier: MIT */
/* Table 1 of Dice and Kogan, "Reciprocating Locks", PPoPP 2025, as printed. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "sim/table.h"

struct printed {
    const char *id;
    const char *spinning, *constant_release, *context_free, *fifo;
    int acquire, release;
    const char *on_stack, *circulation, *constructor;
    int remote; /* or a multiple of the number of threads: */
    int remote_threads;
    double invalidations;
    int invalidations_threads;
    const char *space;
};

static const struct printed printed[] = {
    {"mcs", "local", "no", "no", "yes", 29, 17, "no", "no", "no", 4, 0, 6, 0, "2*L + E*A"},
    {"clh", "local", "yes", "no", "yes", 19, 4, "no", "yes", "yes", 4, 0, 5, 0, "2*L + E*(L+T)"},
    {"hemlock", "semi", "no", "yes", "yes", 22, 21, "no", "no", "no", 4, 0, 5, 0, "1*L + E*T"},
    {"hemlock-ctr", "semi", "no", "yes", "yes", 22, 21, "no", "no", "no", 4, 0, 5, 0, "1*L + E*T"},
    {"ticket", "global", "yes", "yes", "yes", 12, 5, "n/a", "n/a", "no", 0, 1, 0, 1, "2*L"},
    {"twa", "semi", "yes", "yes", "yes", 57, 11, "n/a", "n/a", "no", 0, 2, 8.5, 0, "2*L + 4096"},
    {"reciprocating", "local", "yes", "no", "no", 42, 20, "possible", "no", "no", 2, 0, 4, 0, "2*L + E*T"},
};

struct value value_word(const char *word)
{
    struct value value = {.known = true};
    snprintf(value.word, sizeof value.word, "%s", word);
    return value;
}

struct value value_number(double number)
{
    return (struct value){.number = number, .known = true};
}

bool table_paper(struct row *row, const char *id, unsigned threads, unsigned remote_threads)
{
    const struct printed *lock = NULL;
    for (size_t i = 0; i < sizeof printed / sizeof *printed; i++)
        if (strcmp(printed[i].id, id) == 0)
            lock = &printed[i];
    if (!lock)
        return false;
    row->values[PROPERTY_SPINNING] = value_word(lock->spinning);
    row->values[PROPERTY_CONSTANT_RELEASE] = value_word(lock->constant_release);
    row->values[PROPERTY_CONTEXT_FREE] = value_word(lock->context_free);
    row->values[PROPERTY_FIFO] = value_word(lock->fifo);
    row->values[PROPERTY_ACQUIRE] = value_number(lock->acquire);
    row->values[PROPERTY_RELEASE] = value_number(lock->release);
    row->values[PROPERTY_ON_STACK] = value_word(lock->on_stack);
    row->values[PROPERTY_CIRCULATION] = value_word(lock->circulation);
    row->values[PROPERTY_CONSTRUCTOR] = value_word(lock->constructor);
    row->values[PROPERTY_REMOTE] = value_number(lock->remote + lock->remote_threads * (double)remote_threads);
    row->values[PROPERTY_INVALIDATIONS] =
        value_number(lock->invalidations + lock->invalidations_threads * (double)threads);
    row->values[PROPERTY_SPACE] = value_word(lock->space);
    return true;
}

bool table_same(enum property property, const struct value *measured, const struct value *paper)
{
    if (!measured->known || !paper->known)
        return true;
    if (measured->word[0] || paper->word[0])
        return strcmp(measured->word, paper->word) == 0;
    double allowed = property == PROPERTY_REMOTE ? 0.5 : paper->number / 10;
    return fabs(measured->number - paper->number) <= allowed + 1e-9;
}
