/* SPDX-License-Identifier: MIT */
/* recip check, sim, table, who and report, which are programs of their own. Those of check and sim contain the locks
 * again, compiled for their own worlds. That of report contains the page, and is built only where npm is installed. In
 * a build they are beside `recip`; installed, they are in libexec. */
#include "cli/command.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "cli/own-files.h"

static int start(const char *name, char **argv)
{
    const char *program = program_path(name);
    if (program)
        execv(program, argv);
    fprintf(stderr, "recip: %s cannot be started: %s\n", name, strerror(errno));
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

int command_who(int argc, char **argv)
{
    (void)argc;
    return start("recip-who", argv);
}

int command_report(int argc, char **argv)
{
    (void)argc;
    if (program_path("recip-report"))
        return start("recip-report", argv);
    fputs("recip: this recip was built without the report: install npm (Debian: npm) and build again\n", stderr);
    return STATUS_FAILED;
}
