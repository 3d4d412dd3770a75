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

/* A mutant that is being made. */
struct build {
    unsigned slot;
    enum mutant_kind kind;
    bool differs; /* from what mutants_note_originals has compiled; true if it has not */
    int output;
};

static char *path_of_original(unsigned unit)
{
    char name[32];
    snprintf(name, sizeof name, "original-%u.o", unit);
    return path_in(0, name);
}

static void compare_unit(struct build *build, const char *object, unsigned unit)
{
    char *original = path_of_original(unit);
    build->differs |= !same_files(object, original);
    free(original);
}

static bool compile_unit(const struct build *build, const char *source, const char *object)
{
    static const char *const quiet[] = {"-w", "-w"};
    static const char *const strict[] = {"-Werror=incompatible-pointer-types", "-Werror=int-conversion"};
    const char *const *warnings = build->kind == MUTANT_GENERATED ? strict : quiet;
    unsigned slot = build->slot;
    char *folder = path_in(slot, ""), *public_folder = path_in(slot, "include");
    const char *options[] = {
        "-I", folder, "-I", public_folder, "-fPIC", warnings[0], warnings[1], "-D_GNU_SOURCE", RECIP_CHECK_DEFINITIONS,
        NULL};
    bool compiled = compile_for_check(source, object, options, build->output) == 0;
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

static char *source_of_unit(unsigned unit)
{
    char *source;
    if (asprintf(&source, "%s/%s", RECIP_SOURCE_TREE, mutex_units[unit]) < 0)
        need_memory(NULL);
    return source;
}

/* The changed unit alone, or if a header was changed all of them. */
static bool build_mutex(struct build *build, const char *file, const char *result)
{
    unsigned slot = build->slot;
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
        source = changed ? path_in(slot, file) : source_of_unit(i);
        built = compile_unit(build, source, objects[count]);
        compare_unit(build, objects[count++], i);
        free(source);
    }
    built = built && link_objects(objects, count, RECIP_CHECK_MUTEX_LIBRARY, MUTEX_SYMBOL, result, build->output);
    for (size_t i = 0; i < count; i++)
        free(objects[i]);
    return built;
}

static char *source_of_zoo_lock(const char *id)
{
    char *source;
    if (asprintf(&source, "%s/zoo/%s.c", RECIP_BUILD_TREE, id) < 0)
        need_memory(NULL);
    return source;
}

static bool build_zoo_lock(struct build *build, const char *id, const char *symbol, const char *result)
{
    char *source = source_of_zoo_lock(id), *object = path_in(build->slot, "0.o");
    bool built = compile_unit(build, source, object) && link_objects(&object, 1, NULL, symbol, result, build->output);
    compare_unit(build, object, 0);
    free(source);
    free(object);
    return built;
}

static void note_original(char *source, unsigned unit)
{
    struct build build = {.kind = MUTANT_GENERATED, .output = open_output()};
    char *object = path_of_original(unit);
    temp_name(object);
    if (!compile_unit(&build, source, object))
        unlink(object);
    close(build.output);
    free(object);
    free(source);
}

static bool depends_on(const char *unit, char *const *files, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (!ends_with(files[i], ".c") || strcmp(files[i], unit) == 0)
            return true;
    return false;
}

void mutants_note_originals(const struct recip_algorithm *lock, char *const *files, size_t count)
{
    mutant_copy(0, "");
    if (!lock_is_mutex(lock))
        note_original(source_of_zoo_lock(lock->id), 0);
    for (unsigned i = 0; lock_is_mutex(lock) && i < MUTEX_UNITS; i++)
        if (depends_on(mutex_units[i], files, count))
            note_original(source_of_unit(i), i);
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

/* The shared object that the changed file makes, or why there is none. */
static enum mutant_end build_mutant(struct build *build, const char *file, const struct recip_algorithm *lock,
                                    const void **loaded)
{
    bool is_mutex = lock_is_mutex(lock);
    char symbol[64] = MUTEX_SYMBOL, *result = path_in(build->slot, "mutant.so");
    if (!is_mutex)
        symbol_of_lock(lock, symbol);
    bool built = is_mutex ? build_mutex(build, file, result) : build_zoo_lock(build, lock->id, symbol, result);
    enum mutant_end end = MUTANT_DOES_NOT_COMPILE;
    if (built && !build->differs && build->kind == MUTANT_GENERATED)
        end = MUTANT_SAME_CODE;
    else if (built && (*loaded = load(result, symbol, build->output)) != NULL)
        end = MUTANT_TRIED;
    free(result);
    return end;
}

enum mutant_end mutant_try(unsigned slot, const char *file, enum mutant_kind kind, const struct trial_plan *plan,
                           struct trial *trial, int output)
{
    struct build build = {slot, kind, false, output};
    const void *loaded;
    enum mutant_end end = build_mutant(&build, file, plan->lock, &loaded);
    if (end != MUTANT_TRIED)
        return end;
    struct trial_plan with = *plan;
    if (lock_is_mutex(plan->lock)) {
        try_mutex(loaded, plan, trial);
    } else {
        with.lock = loaded;
        trial_run(&with, trial);
    }
    return end;
}
