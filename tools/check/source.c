/* recip check --source FILE.c: compiles a client of the user's own with the instrumentation, links it with the engine,
 * and runs it. */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "check/check.h"
#include "cli/temp-files.h"
#include "cli/own-files.h"

enum { STATUS_CANNOT_RUN = 127 };

static const char *compiler(void)
{
    return getenv("CC") ? getenv("CC") : "cc";
}

/* The status that wait tells. What it says goes to the file `said`, or if that is negative to where our own does. It
 * does not outlive us. */
static int run(char *const arguments[], int said)
{
    pid_t child = fork();
    if (child == 0) {
        prctl(PR_SET_PDEATHSIG, SIGTERM);
        if (said >= 0 && (dup2(said, STDOUT_FILENO) < 0 || dup2(said, STDERR_FILENO) < 0))
            _exit(STATUS_CANNOT_RUN);
        execvp(arguments[0], arguments);
        fprintf(stderr, "recip: cannot run '%s': %s\n", arguments[0], strerror(errno));
        _exit(STATUS_CANNOT_RUN);
    }
    int status = STATUS_CANNOT_RUN << 8;
    while (child > 0 && waitpid(child, &status, 0) < 0 && errno == EINTR)
        continue;
    return status;
}

/* What the file holds, on stderr. */
static void repeat(int said)
{
    char part[4096];
    ssize_t size;
    for (off_t at = 0; (size = pread(said, part, sizeof part, at)) > 0; at += size)
        fwrite(part, 1, (size_t)size, stderr);
}

static int compile(const char *source, char *object, int said)
{
    char folder[PATH_MAX], include[PATH_MAX + 32], header[sizeof include + 32];
    own_folder(folder);
    /* Installed, the headers are at a path relative to this program; in a build tree, those of the source tree. */
    snprintf(include, sizeof include, "-I%s/%s", folder, RECIP_CHECK_INCLUDE);
    snprintf(header, sizeof header, "%s/check/client.h", include + 2);
    bool installed = access(header, R_OK) == 0;
    const char *tree = installed ? include : "-I" RECIP_SOURCE_TREE;
    const char *tools = installed ? include : "-I" RECIP_SOURCE_TREE "/tools";
    const char *public = installed ? include : "-I" RECIP_SOURCE_TREE "/include";
    return run((char *[]){(char *)compiler(), "-std=gnu11", "-O1", "-g", "-c", "-fsanitize=thread",
                          "-fno-optimize-sibling-calls", "-DRECIP_PORT=\"check/port.h\"", (char *)tree, (char *)tools,
                          (char *)public, "-o", object, "-x", "c", (char *)source, NULL},
               said);
}

static int link_client(char *object, char *program, int said)
{
    char folder[PATH_MAX], library[PATH_MAX + 32];
    own_folder(folder);
    snprintf(library, sizeof library, "%s/librecip-check.a", folder);
    /* Whole, so that a main in the source is an error and not what runs. */
    return run((char *[]){(char *)compiler(), "-o", program, object, "-Wl,--whole-archive", library,
                          "-Wl,--no-whole-archive", NULL},
               said);
}

/* The program from the source; says what is wrong, if anything is. */
static int build(const char *source, char *object, char *program)
{
    int said = memfd_create("said", MFD_CLOEXEC), status = compile(source, object, said);
    const char *wrong = "does not compile; a client is C, includes \"check/client.h\" and has a CHECK_CLIENT";
    if (status == 0) {
        status = link_client(object, program, said);
        wrong = "cannot be linked; a client has a CHECK_CLIENT and no main";
    }
    bool ran = WIFEXITED(status) && WEXITSTATUS(status) != STATUS_CANNOT_RUN;
    if (status != 0 && ran)
        fprintf(stderr, "recip: --source: '%s' %s (docs/check.md). The compiler says:\n", source, wrong);
    if (said >= 0) {
        repeat(said);
        close(said);
    }
    return status == 0 ? STATUS_OK : ran ? STATUS_USAGE : STATUS_FAILED;
}

static int explore_client(const struct request *request, char *program)
{
    char seconds[32], mebibytes[32], graphs[32];
    snprintf(seconds, sizeof seconds, "%g", request->limits.seconds);
    snprintf(mebibytes, sizeof mebibytes, "%zu", request->limits.bytes >> 20);
    snprintf(graphs, sizeof graphs, "%llu", (unsigned long long)request->limits.counted);
    int status = run((char *[]){program, seconds, mebibytes, graphs, NULL}, -1);
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
    const char *scratch = getenv("TMPDIR") ? getenv("TMPDIR") : P_tmpdir;
    char folder[512], object[600], program[600];
    snprintf(folder, sizeof folder, "%s/recip-check-XXXXXX", scratch);
    if (!temp_folder(folder)) {
        fprintf(stderr, "recip: cannot make a folder in '%s': %s\n", scratch, strerror(errno));
        return STATUS_FAILED;
    }
    snprintf(object, sizeof object, "%s/client.o", folder);
    temp_name(object);
    snprintf(program, sizeof program, "%s/client", folder);
    temp_name(program);
    int status = build(request->source, object, program);
    return status == STATUS_OK ? explore_client(request, program) : status;
}
