/* SPDX-License-Identifier: MIT */
#include "check/mutant.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "check/compile.h"
#include "check/jobs.h"
#include "cli/command.h"
#include "cli/temp-files.h"

/* The mutex's translation units, from the top of the source tree. */
static const char *const mutex_units[] = {RECIP_CHECK_MUTEX_UNITS};
#define MUTEX_SYMBOL "mutex_client_sets"
enum { MUTEX_UNITS = sizeof mutex_units / sizeof *mutex_units };

/* Headers that include each other by their bare names: if one is changed, all of them are beside it. */
static const char *const public_headers[] = {"include/recip.h", "include/recip-inline.h"};
enum { PUBLIC_HEADERS = sizeof public_headers / sizeof *public_headers };

static char scratch[PATH_MAX];

static char **changeable;
static size_t changeable_count;

/* A file in the folder of a slot. Freed by the caller. */
static char *path_in(unsigned slot, const char *file)
{
    char *path;
    if (asprintf(&path, "%s/%u/%s", scratch, slot, file) < 0)
        need_memory(NULL);
    return path;
}

/* It may be there when the command ends. */
static void expect(unsigned slot, const char *file)
{
    char *path = path_in(slot, file);
    temp_name(path);
    free(path);
}

static void make_folder(unsigned slot, const char *name)
{
    char *path = path_in(slot, name);
    temp_name(path);
    mkdir(path, 0700);
    free(path);
}

bool mutants_begin(void)
{
    if (!scratch_folder(scratch))
        return false;
    for (unsigned slot = 0; slot < jobs_slots(); slot++) {
        make_folder(slot, "");
        expect(slot, "mutant.so");
        for (unsigned i = 0; i < MUTEX_UNITS; i++) {
            char object[16];
            snprintf(object, sizeof object, "%u.o", i);
            expect(slot, object);
        }
    }
    return true;
}

static void add_changeable(const char *file)
{
    for (size_t i = 0; i < changeable_count; i++)
        if (strcmp(changeable[i], file) == 0)
            return;
    changeable = need_memory(realloc(changeable, (changeable_count + 1) * sizeof *changeable));
    changeable[changeable_count++] = need_memory(strdup(file));
    for (unsigned slot = 0; slot < jobs_slots(); slot++) {
        for (const char *slash = strchr(file, '/'); slash; slash = strchr(slash + 1, '/')) {
            char *folder = need_memory(strndup(file, (size_t)(slash - file)));
            make_folder(slot, folder);
            free(folder);
        }
        expect(slot, file);
    }
}

static bool is_public_header(const char *file)
{
    return strncmp(file, "include/", strlen("include/")) == 0;
}

void mutants_may_change(const char *file)
{
    add_changeable(file);
    for (unsigned i = 0; is_public_header(file) && i < PUBLIC_HEADERS; i++)
        add_changeable(public_headers[i]);
}

const char *mutant_copy(unsigned slot, const char *file)
{
    static char *copy;
    for (size_t i = 0; i < changeable_count; i++) {
        char *path = path_in(slot, changeable[i]), *original;
        unlink(path);
        if (asprintf(&original, "%s/%s", RECIP_SOURCE_TREE, changeable[i]) < 0)
            need_memory(NULL);
        if (is_public_header(file) && is_public_header(changeable[i]) && strcmp(file, changeable[i]) != 0 &&
            symlink(original, path) != 0)
            perror("recip: symlink");
        free(path);
        free(original);
    }
    free(copy);
    return copy = path_in(slot, file);
}

static bool compile_unit(unsigned slot, const char *source, const char *object, int output)
{
    char *folder = path_in(slot, ""), *public_folder = path_in(slot, "include");
    char *options[] = {"-I", folder, "-I", public_folder, "-fPIC", "-w", "-D_GNU_SOURCE", RECIP_CHECK_DEFINITIONS,
                       NULL};
    bool compiled = compile_for_check(source, object, (const char *const *)options, output) == 0;
    free(folder);
    free(public_folder);
    return compiled;
}

/* To a shared object, whose own functions are called where another of the same name is in this program. */
static bool link_objects(char *const *objects, size_t count, const char *library, const char *entry, const char *result,
                         int output)
{
    char *arguments[MUTEX_UNITS + 10], undefined[96];
    size_t n = 0;
    snprintf(undefined, sizeof undefined, "-Wl,-u,%s", entry);
    arguments[n++] = (char *)compiler();
    arguments[n++] = "-shared";
    arguments[n++] = "-nostdlib";
    arguments[n++] = "-Wl,-Bsymbolic";
    arguments[n++] = undefined;
    arguments[n++] = "-o";
    arguments[n++] = (char *)result;
    for (size_t i = 0; i < count; i++)
        arguments[n++] = objects[i];
    if (library)
        arguments[n++] = (char *)library;
    arguments[n] = NULL;
    return run_program(arguments, output) == 0;
}

static bool ends_with(const char *text, const char *end)
{
    size_t length = strlen(text), end_length = strlen(end);
    return length >= end_length && strcmp(text + length - end_length, end) == 0;
}

/* The changed unit alone, or if a header was changed all of them. */
static bool build_mutex(unsigned slot, const char *file, const char *result, int output)
{
    char *objects[MUTEX_UNITS];
    size_t count = 0;
    bool built = true, is_unit = ends_with(file, ".c");
    for (unsigned i = 0; i < MUTEX_UNITS && built; i++) {
        bool changed = strcmp(file, mutex_units[i]) == 0;
        if (is_unit && !changed)
            continue;
        char object[16], *source;
        snprintf(object, sizeof object, "%u.o", i);
        objects[count] = path_in(slot, object);
        source = changed ? path_in(slot, file) : NULL;
        if (!changed && asprintf(&source, "%s/%s", RECIP_SOURCE_TREE, mutex_units[i]) < 0)
            need_memory(NULL);
        built = compile_unit(slot, source, objects[count++], output);
        free(source);
    }
    built = built && link_objects(objects, count, RECIP_CHECK_MUTEX_LIBRARY, MUTEX_SYMBOL, result, output);
    for (size_t i = 0; i < count; i++)
        free(objects[i]);
    return built;
}

static bool build_zoo_lock(unsigned slot, const char *id, const char *symbol, const char *result, int output)
{
    char *source, *object = path_in(slot, "0.o");
    if (asprintf(&source, "%s/zoo/%s.c", RECIP_BUILD_TREE, id) < 0)
        need_memory(NULL);
    bool built = compile_unit(slot, source, object, output) && link_objects(&object, 1, NULL, symbol, result, output);
    free(source);
    free(object);
    return built;
}

/* What the shared object has of that name. Says so in the output if it cannot be loaded. */
static const void *load(const char *path, const char *symbol, int output)
{
    void *object = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    const void *found = object ? dlsym(object, symbol) : NULL;
    if (!found)
        dprintf(output, "%s\n", dlerror());
    return found;
}

/* The client of that name in sets that end with null. */
static const struct lock_client *client_in(const struct client_set *const *sets, const char *name)
{
    for (; *sets; sets++)
        for (size_t i = 0; i < (*sets)->count; i++)
            if (strcmp((*sets)->clients[i].name, name) == 0)
                return &(*sets)->clients[i];
    return NULL;
}

/* With the clients that were compiled with the mutant. */
static void try_mutex(const struct client_set *const *sets, const struct trial_plan *plan, struct trial *trial)
{
    struct trial_plan with = *plan;
    with.clients = need_memory(calloc(plan->count + 1, sizeof *with.clients));
    with.count = 0;
    for (size_t i = 0; i < plan->count; i++) {
        const struct lock_client *client = client_in(sets, plan->clients[i]->name);
        if (client)
            with.clients[with.count++] = client;
    }
    trial_run(&with, trial);
    free(with.clients);
}

static void symbol_of_lock(const struct recip_algorithm *lock, char symbol[64])
{
    snprintf(symbol, 64, "recip_algorithm_%s", lock->id);
    for (char *dash; (dash = strchr(symbol, '-')) != NULL;)
        *dash = '_';
}

bool mutant_try(unsigned slot, const char *file, const struct trial_plan *plan, struct trial *trial, int output)
{
    bool is_mutex = lock_is_mutex(plan->lock);
    char symbol[64] = MUTEX_SYMBOL, *result = path_in(slot, "mutant.so");
    if (!is_mutex)
        symbol_of_lock(plan->lock, symbol);
    bool built = is_mutex ? build_mutex(slot, file, result, output)
                          : build_zoo_lock(slot, plan->lock->id, symbol, result, output);
    const void *loaded = built ? load(result, symbol, output) : NULL;
    free(result);
    if (!loaded)
        return false;
    struct trial_plan with = *plan;
    if (is_mutex) {
        try_mutex(loaded, plan, trial);
    } else {
        with.lock = loaded;
        trial_run(&with, trial);
    }
    return true;
}
