/* recip check, sim, table and report: in programs of their own. Those of check and sim have the locks a second time,
 * compiled for another world; that of report has the page, and exists where npm was. They are beside this one in a
 * build, and in the folder of such programs when installed. */
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

int command_report(int argc, char **argv)
{
    (void)argc;
    if (program_path("recip-report"))
        return start("recip-report", argv);
    fputs("recip: this recip was built without the report: install npm (Debian: npm) and build again\n", stderr);
    return STATUS_FAILED;
}
