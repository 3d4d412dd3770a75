/* recip check, sim and table: in programs of their own, because they have the locks a second time, compiled for another
 * world. They are beside this one in a build, and in the folder of such programs when installed. */
#include "recip/command.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static int start(const char *name, char **argv)
{
    char folder[PATH_MAX], program[2 * PATH_MAX];
    ssize_t length = readlink("/proc/self/exe", folder, sizeof folder - 1);
    folder[length > 0 ? length : 0] = '\0';
    char *slash = strrchr(folder, '/');
    if (slash)
        *slash = '\0';
    snprintf(program, sizeof program, "%s/%s", folder, name);
    execv(program, argv);
    snprintf(program, sizeof program, "%s/%s/%s", folder, RECIP_TO_LIBEXEC, name);
    execv(program, argv);
    fprintf(stderr, "recip: %s cannot be started: %s\n", program, strerror(errno));
    return STATUS_FAILED;
}

int command_check(int argc, char **argv)
{
    (void)argc;
    return start("recip-check", argv);
}

int command_sim(int argc, char **argv)
{
    (void)argc;
    return start("recip-sim", argv);
}

int command_table(int argc, char **argv)
{
    (void)argc;
    return start("recip-sim", argv);
}
