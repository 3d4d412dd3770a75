/* SPDX-License-Identifier: MIT */
/* recip check --source FILE.c: compiles a client of the user's own with the instrumentation, links it with the engine,
 * and runs it. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "check/check.h"
#include "check/compile.h"
#include "cli/own-files.h"
#include "cli/temp-files.h"

int link_client(char *object, char *program, int output)
{
    char folder[PATH_MAX], library[PATH_MAX + 32];
    own_folder(folder);
    snprintf(library, sizeof library, "%s/librecip-check.a", folder);
    /* Whole, so that a main in the source is an error and not what runs. libdw by the name that it has where its
     * headers are not installed. */
    return run_program((char *[]){(char *)compiler(), "-o", program, object, "-Wl,--whole-archive", library,
                                  "-Wl,--no-whole-archive", "-l:libdw.so.1", NULL},
                       output);
}

/* A path that the compiler takes for nothing but a file: not for an option (-), nor for a file of options (@). */
static const char *as_file(const char *path, char name[PATH_MAX + 2])
{
    if (path[0] != '-' && path[0] != '@')
        return path;
    snprintf(name, PATH_MAX + 2, "./%s", path);
    return name;
}

/* The program from the source; says what is wrong, if anything is. */
static int build(const char *source, char *object, char *program)
{
    static const char *const with_lines[] = {"-g", NULL};
    char name[PATH_MAX + 2];
    int output = open_output(), status = compile_for_check(as_file(source, name), object, with_lines, output);
    const char *wrong = "does not compile; a client is C, includes <recip-check.h> and has a CHECK_CLIENT";
    if (status == 0) {
        status = link_client(object, program, output);
        wrong = "cannot be linked; a client has a CHECK_CLIENT and no main";
    }
    bool ran = WIFEXITED(status) && WEXITSTATUS(status) != STATUS_CANNOT_RUN;
    if (status != 0 && ran)
        fprintf(stderr, "recip: --source: '%s' %s (docs/check.md). The compiler says:\n", source, wrong);
    if (output >= 0) {
        show_output(output);
        close(output);
    }
    return status == 0 ? STATUS_OK : ran ? STATUS_USAGE : STATUS_FAILED;
}

static int explore_client(const struct request *request, char *program)
{
    char seconds[32], mebibytes[32], graphs[32];
    snprintf(seconds, sizeof seconds, "%g", request->limits.seconds);
    snprintf(mebibytes, sizeof mebibytes, "%zu", request->limits.bytes >> 20);
    snprintf(graphs, sizeof graphs, "%llu", (unsigned long long)request->limits.counted);
    int status = run_program((char *[]){program, seconds, mebibytes, graphs, NULL}, -1);
    if (WIFEXITED(status) && WEXITSTATUS(status) == STATUS_USAGE)
        refuse("--source: '%s' has no CHECK_CLIENT(\"NAME\", SETUP, FINISH), which makes it a client (docs/check.md)",
               request->source);
    if (WIFSIGNALED(status))
        fprintf(stderr, "recip: the client was ended by signal %d (%s)\n", WTERMSIG(status),
                strsignal(WTERMSIG(status)));
    return status == 0 ? STATUS_OK : STATUS_FAILED;
}

int check_source(const struct request *request)
{
    if (access(request->source, R_OK) != 0)
        refuse("--source: cannot read '%s': %s", request->source, strerror(errno));
    char folder[PATH_MAX], object[PATH_MAX + 16], program[PATH_MAX + 16];
    if (!scratch_folder(folder))
        return STATUS_FAILED;
    snprintf(object, sizeof object, "%s/client.o", folder);
    temp_name(object);
    snprintf(program, sizeof program, "%s/client", folder);
    temp_name(program);
    int status = build(request->source, object, program);
    return status == STATUS_OK ? explore_client(request, program) : status;
}
