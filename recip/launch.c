#include "recip/launch.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "preload/fit.h"
#include "recip/command.h"
#include "recip/own-files.h"

enum { STATUS_CANNOT_RUN = 126, STATUS_NOT_FOUND = 127 };

/* `pthread` is the system's own: the program runs as it is. */
static bool is_bare(const struct recip_algorithm *lock)
{
    return strcmp(lock->id, "pthread") == 0;
}

static const char *preload_library(void)
{
    static char path[2 * PATH_MAX];
    return own_file("librecip-preload.so", RECIP_TO_LIBRARIES, path) ? path : NULL;
}

void launch_check(const char *option, const struct recip_algorithm *lock)
{
    if (is_bare(lock))
        return;
    const char *reason = recip_unfit(lock);
    if (reason)
        refuse("%s: the lock '%s' %s", option, lock->id, reason);
    const char *library = preload_library();
    if (!library)
        refuse("librecip-preload.so is neither beside this command nor in " RECIP_TO_LIBRARIES " from there");
    if (strpbrk(library, " :"))
        refuse("LD_PRELOAD cannot name '%s': there is a space or a colon in it", library);
}

static void set(const char *name, const char *value)
{
    if (setenv(name, value, 1) != 0) {
        perror("recip: setenv");
        exit(STATUS_FAILED);
    }
}

void launch_prepare(const struct recip_algorithm *lock, const char *statistics)
{
    if (is_bare(lock))
        return;
    const char *others = getenv("LD_PRELOAD");
    char *libraries;
    if (asprintf(&libraries, "%s%s%s", preload_library(), others && *others ? ":" : "", others ? others : "") < 0)
        exit(STATUS_FAILED);
    set("LD_PRELOAD", libraries);
    set("RECIP_LOCK", lock->id);
    if (statistics) {
        char self[16];
        snprintf(self, sizeof self, "%d", (int)getpid());
        set("RECIP_STATS", statistics);
        set("RECIP_STATS_PROCESS", self);
    }
    free(libraries);
}

int launch(char **program)
{
    execvp(program[0], program);
    int error = errno;
    fprintf(stderr, "recip: cannot run '%s': %s\n", program[0], strerror(error));
    return error == ENOENT ? STATUS_NOT_FOUND : STATUS_CANNOT_RUN;
}
