/* SPDX-License-Identifier: MIT */
#include "check/patches.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check/compile.h"
#include "cli/command.h"

#define FOLDER RECIP_SOURCE_TREE "/tools/check/mutants/"

/* What follows the words at the start of a line, or null; freed by the caller. */
static char *after(const char *line, const char *words)
{
    size_t length = strlen(words);
    if (strncmp(line, words, length) != 0)
        return NULL;
    char *rest = need_memory(strdup(line + length));
    rest[strcspn(rest, "\t\n")] = '\0';
    return rest;
}

static void read_line(struct patch *patch, const char *line)
{
    char *reason = after(line, "Harmless: "), *file = after(line, "--- a/");
    if (file && patch->file)
        refuse("'%s' changes a second file, '%s'; a mutant changes one", patch->path, file);
    patch->file = file ? file : patch->file;
    if (patch->file)
        return;
    if (reason)
        patch->harmless = reason;
    else if (!patch->text)
        patch->text = after(line, "");
}

static struct patch read_patch(const char *path)
{
    struct patch patch = {.path = need_memory(strdup(path))};
    FILE *file = fopen(patch.path, "r");
    if (!file)
        refuse("cannot read '%s': %s", patch.path, strerror(errno));
    char *line = NULL;
    size_t room = 0;
    while (getline(&line, &room, file) > 0)
        read_line(&patch, line);
    free(line);
    fclose(file);
    if (!patch.file || !patch.text || !*patch.text)
        refuse("'%s' is no mutant: a line that says what is damaged, then a diff with '--- a/FILE'", patch.path);
    return patch;
}

static int is_patch(const struct dirent *entry)
{
    const char *dot = strrchr(entry->d_name, '.');
    return dot && strcmp(dot, ".patch") == 0;
}

struct patch_list patches_of(const char *lock)
{
    struct patch_list list = {0};
    char folder[PATH_MAX];
    snprintf(folder, sizeof folder, FOLDER "%s", lock);
    struct dirent **entries;
    int count = scandir(folder, &entries, is_patch, alphasort);
    if (count < 0)
        return list;
    list.values = need_memory(calloc((size_t)count + 1, sizeof *list.values));
    for (int i = 0; i < count; i++) {
        char path[PATH_MAX];
        snprintf(path, sizeof path, FOLDER "%s/%s", lock, entries[i]->d_name);
        list.values[list.count++] = read_patch(path);
        free(entries[i]);
    }
    free(entries);
    return list;
}

struct patch_list patch_at(const char *path)
{
    struct patch_list list = {need_memory(malloc(sizeof *list.values)), 1};
    list.values[0] = read_patch(path);
    return list;
}

void patches_free(struct patch_list *patches)
{
    for (size_t i = 0; i < patches->count; i++) {
        free(patches->values[i].path);
        free(patches->values[i].text);
        free(patches->values[i].harmless);
        free(patches->values[i].file);
    }
    free(patches->values);
}

bool patch_apply(const struct patch *patch, const char *copy, int output)
{
    char original[PATH_MAX];
    snprintf(original, sizeof original, "%s/%s", RECIP_SOURCE_TREE, patch->file);
    char *arguments[] = {"patch", "--batch", "--reject-file=-", "--output", (char *)copy, original, patch->path, NULL};
    return run_program(arguments, output) == 0;
}
