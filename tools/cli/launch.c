/* SPDX-License-Identifier: MIT */
#include "cli/launch.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "zoo/pthread-fit.h"
#include "cli/command.h"
#include "cli/own-files.h"

#define LIBRARY "librecip-preload.so"

enum { STATUS_CANNOT_RUN = 126, STATUS_NOT_FOUND = 127 };

/* `pthread` is the system's own lock: the program runs as it is. */
static bool is_system_lock(const struct recip_algorithm *lock)
{
    return strcmp(lock->id, "pthread") == 0;
}

static const char *preload_library(void)
{
    static char path[2 * PATH_MAX];
    return own_file(LIBRARY, RECIP_TO_LIBRARIES, path) ? path : NULL;
}

void launch_check(const char *option, const struct recip_algorithm *lock)
{
    if (is_system_lock(lock))
        return;
    const char *reason = recip_pthread_unfit_reason(lock);
    if (reason)
        refuse("%s: the lock '%s' %s", option, lock->id, reason);
    const char *library = preload_library();
    if (!library)
        refuse(LIBRARY " is neither beside this command nor in " RECIP_TO_LIBRARIES " from there");
    if (strchr(library, ':') || (strchr(library, ' ') && strchr(library, ';')))
        refuse("LD_PRELOAD cannot name '%s': there is a colon in it, or a space and a semicolon", library);
}

static void set(const char *name, const char *value)
{
    if (setenv(name, value, 1) != 0) {
        perror("recip: setenv");
        exit(STATUS_FAILED);
    }
}

static bool is_preload_library(const char *path)
{
    const char *slash = strrchr(path, '/');
    return strcmp(slash ? slash + 1 : path, LIBRARY) == 0;
}

/* LD_PRELOAD cannot name a path that has a space in it, but LD_LIBRARY_PATH can: such a library goes by its file name,
 * and its folder comes first where the dynamic linker looks. Returns what to put into LD_PRELOAD. */
static const char *name_for_preload(const char *library)
{
    if (!strchr(library, ' '))
        return library;
    const char *there = getenv("LD_LIBRARY_PATH"), *name = strrchr(library, '/') + 1;
    size_t length = (size_t)(name - library) - 1;
    if (there && strncmp(there, library, length) == 0 && (there[length] == ':' || !there[length]))
        return name; /* within another `recip run` */
    char *folders;
    if (asprintf(&folders, "%.*s%s%s", (int)length, library, there && *there ? ":" : "", there ? there : "") < 0) {
        perror("recip: LD_LIBRARY_PATH");
        exit(STATUS_FAILED);
    }
    set("LD_LIBRARY_PATH", folders);
    free(folders);
    return name;
}

/* Sets LD_PRELOAD to what is in it, then `own` unless that is null. `own` comes last: another library that interposes
 * the same calls passes them on to the next. Within another `recip run` our library is in it already, and is taken out.
 */
static void set_libraries(const char *own)
{
    const char *there = getenv("LD_PRELOAD");
    char *rest = strdup(there ? there : ""), *libraries;
    size_t size;
    FILE *list = open_memstream(&libraries, &size);
    if (!rest || !list) {
        perror("recip: LD_PRELOAD");
        exit(STATUS_FAILED);
    }
    for (char *place, *path = strtok_r(rest, " :", &place); path; path = strtok_r(NULL, " :", &place))
        if (!is_preload_library(path))
            fprintf(list, "%s%s", ftell(list) > 0 ? ":" : "", path);
    if (own)
        fprintf(list, "%s%s", ftell(list) > 0 ? ":" : "", own);
    fclose(list);
    if (size > 0)
        set("LD_PRELOAD", libraries);
    else
        unsetenv("LD_PRELOAD");
    free(libraries);
    free(rest);
}

/* The process that writes the files themselves; those that it starts write files beside them. */
static void set_first_process(void)
{
    char self[16];
    snprintf(self, sizeof self, "%d", (int)getpid());
    set("RECIP_STATS_PROCESS", self);
}

void launch_prepare(const struct recip_algorithm *lock, const char *statistics)
{
    unsetenv("RECIP_STATS"); /* of another `recip run` around this one */
    unsetenv("RECIP_STATS_PROCESS");
    unsetenv("RECIP_TRACE");
    unsetenv("RECIP_WATCH");
    unsetenv("RECIP_SUPPRESSIONS");
    if (is_system_lock(lock)) {
        set_libraries(NULL);
        return;
    }
    set_libraries(name_for_preload(preload_library()));
    set("RECIP_LOCK", lock->id);
    if (statistics) {
        set("RECIP_STATS", statistics);
        set_first_process();
    }
}

void launch_trace(const char *file)
{
    set("RECIP_TRACE", file);
    set_first_process();
}

void launch_watch(const char *watch, const char *suppressions)
{
    if (watch)
        set("RECIP_WATCH", watch);
    if (suppressions)
        set("RECIP_SUPPRESSIONS", suppressions);
}

int launch(char **program)
{
    execvp(program[0], program);
    int error = errno;
    fprintf(stderr, "recip: cannot run '%s': %s\n", program[0], strerror(error));
    return error == ENOENT ? STATUS_NOT_FOUND : STATUS_CANNOT_RUN;
}
