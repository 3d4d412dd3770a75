/* SPDX-License-Identifier: MIT */
#include "check/slips/equivalent.h"

#include <errno.h>
#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/command.h"
#include "zoo/algorithm.h"

#define LIST RECIP_SOURCE_TREE "/tools/check/mutants/equivalent"

struct entry {
    char *locks, *file, *text; /* parts of one allocation, which begins with `locks` */
    char *reason;              /* of the entry before, if it is the same */
};

static struct entry *entries;
static size_t count;

/* Whether one of the patterns is for the lock, and none that begins with "!". */
static bool is_in(const char *patterns, const char *lock)
{
    bool is = false;
    char *copy = need_memory(strdup(patterns)), *rest = copy;
    for (char *pattern; (pattern = strsep(&rest, ",")) != NULL;) {
        if (*pattern == '!' && fnmatch(pattern + 1, lock, 0) == 0) {
            is = false;
            break;
        }
        is |= fnmatch(pattern, lock, 0) == 0;
    }
    free(copy);
    return is;
}

/* A pattern for one lock names it, so that a slip of the pen is found. */
static void refuse_unknown_lock(const char *locks, unsigned line)
{
    char *copy = need_memory(strdup(locks)), *rest = copy;
    for (char *lock; (lock = strsep(&rest, ",")) != NULL;)
        if (!strpbrk(lock, "*!") && strcmp(lock, EQUIVALENT_SOURCE) != 0 && !recip_algorithm_find(lock))
            refuse("%s:%u: there is no lock '%s'", LIST, line, lock);
    free(copy);
}

static void add_entry(char *words, char *reason, unsigned line)
{
    struct entry entry = {.locks = words, .reason = reason};
    char *rest = words;
    strsep(&rest, " ");
    entry.file = rest ? strsep(&rest, " ") : NULL;
    entry.text = rest;
    if (!entry.text || !reason)
        refuse("%s:%u: '%s' is no entry: a line 'Harmless: REASON', then lines 'LOCK FILE FUNCTION: EDIT'", LIST, line,
               words);
    refuse_unknown_lock(entry.locks, line);
    entries = need_memory(realloc(entries, (count + 1) * sizeof *entries));
    entries[count++] = entry;
}

static void read_entries(void)
{
    static const char start[] = "Harmless: ";
    FILE *file = fopen(LIST, "r");
    if (!file)
        refuse("cannot read '%s': %s", LIST, strerror(errno));
    char *line = NULL, *reason = NULL;
    size_t room = 0;
    for (unsigned number = 1; getline(&line, &room, file) > 0; number++) {
        line[strcspn(line, "\n")] = '\0';
        if (strncmp(line, start, strlen(start)) == 0)
            reason = need_memory(strdup(line + strlen(start)));
        else if (*line && *line != '#')
            add_entry(need_memory(strdup(line)), reason, number);
    }
    free(line);
    fclose(file);
}

static bool is_for(const struct entry *entry, const char *lock, const struct slip *slip)
{
    return strcmp(entry->text, slip->text) == 0 && strcmp(entry->file, slip->file) == 0 && is_in(entry->locks, lock);
}

const char *equivalent_reason(const char *lock, const struct slip *slip)
{
    if (!entries)
        read_entries();
    for (size_t i = 0; i < count; i++)
        if (is_for(&entries[i], lock, slip))
            return entries[i].reason;
    return NULL;
}

static bool has_file(const struct slips *slips, const char *file)
{
    for (size_t i = 0; i < slips->count; i++)
        if (strcmp(slips->values[i].file, file) == 0)
            return true;
    return false;
}

void equivalent_each_stale(const char *lock, const struct slips *slips, void (*call)(const char *entry, void *to),
                           void *to)
{
    if (!entries)
        read_entries();
    for (size_t e = 0; e < count; e++) {
        const struct entry *entry = &entries[e];
        bool found = false;
        for (size_t i = 0; i < slips->count && !found; i++)
            found = is_for(entry, lock, &slips->values[i]);
        if (found || !is_in(entry->locks, lock))
            continue;
        if (!strchr(entry->locks, '*') || has_file(slips, entry->file)) {
            char line[400];
            snprintf(line, sizeof line, "%s %s", entry->file, entry->text);
            call(line, to);
        }
    }
}
