/* SPDX-License-Identifier: MIT */
#include "check/slips/files.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check/clients.h"
#include "check/slips/walk.h"
#include "cli/command.h"

static void add_file(struct file_list *files, char *file)
{
    for (size_t i = 0; i < files->count; i++)
        if (strcmp(files->values[i], file) == 0) {
            free(file);
            return;
        }
    files->values = need_memory(realloc(files->values, (files->count + 1) * sizeof *files->values));
    files->values[files->count++] = file;
}

/* Not the seam itself: what is behind it is another world's. */
static bool is_part(const char *file)
{
    return strncmp(file, "zoo/parts/", strlen("zoo/parts/")) == 0 ||
           (strncmp(file, "port/", strlen("port/")) == 0 && strcmp(file, "port/port.h") != 0);
}

/* The parts that a file of the list includes, at the end of the list. */
static void add_parts(struct file_list *files, const char *file)
{
    static const char start[] = "#include \"";
    struct source source = source_read(file);
    for (const char *at = source.text; (at = strstr(at, start)) != NULL;) {
        at += strlen(start);
        char *name = need_memory(strndup(at, strcspn(at, "\"\n")));
        if (is_part(name))
            add_file(files, name);
        else
            free(name);
    }
    source_free(&source);
}

static bool is_gate(const char *file)
{
    return strcmp(file, "port/gate.h") == 0 || strcmp(file, "zoo/parts/gate-reset.h") == 0;
}

static void keep_gates(struct file_list *files)
{
    size_t kept = 0;
    for (size_t i = 0; i < files->count; i++) {
        if (is_gate(files->values[i]))
            files->values[kept++] = files->values[i];
        else
            free(files->values[i]);
    }
    files->count = kept;
}

struct file_list slip_files_of(const struct recip_algorithm *lock)
{
    static const char *const of_mutex[] = {"src/cond.c",     "src/sem.c",     "src/mutex.c",
                                           "src/newcomer.c", "src/express.c", "include/recip-inline.h"};
    struct file_list files = {0};
    if (lock_is_mutex(lock)) {
        for (size_t i = 0; i < sizeof of_mutex / sizeof *of_mutex; i++)
            add_file(&files, need_memory(strdup(of_mutex[i])));
        return files;
    }
    bool second_form = recip_algorithm_is_second_form(lock);
    size_t length = strlen(lock->id) - strlen(lock->form);
    add_file(&files, text_of("zoo/%.*s.h", (int)length, lock->id));
    for (size_t i = 0; i < files.count; i++)
        add_parts(&files, files.values[i]);
    if (second_form)
        keep_gates(&files);
    return files;
}

void slip_files_free(struct file_list *files)
{
    for (size_t i = 0; i < files->count; i++)
        free(files->values[i]);
    free(files->values);
}
