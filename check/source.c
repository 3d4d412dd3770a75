/* recip check --source FILE.c: compiles a client of the user's own with the instrumentation, links it with the engine,
 * and runs it. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "check/check.h"

/* Where this program is; the library is beside it. */
static void own_folder(char *folder, size_t size)
{
    ssize_t length = readlink("/proc/self/exe", folder, size - 1);
    folder[length < 0 ? 0 : length] = '\0';
    char *last = strrchr(folder, '/');
    if (last)
        *last = '\0';
}

static int run(char *const arguments[])
{
    pid_t child = fork();
    if (child == 0) {
        execvp(arguments[0], arguments);
        fprintf(stderr, "recip: cannot run '%s': %s\n", arguments[0], strerror(errno));
        _exit(127);
    }
    int status = 127 << 8;
    if (child > 0)
        waitpid(child, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128;
}

static int compile(const char *source, char *program)
{
    char folder[512], library[600], include[1200], header[sizeof include + 32];
    own_folder(folder, sizeof folder);
    snprintf(library, sizeof library, "%s/librecip-check.a", folder);
    /* Installed, the headers are at a path relative to this program; in a build tree, those of the source tree. */
    snprintf(include, sizeof include, "-I%s/%s", folder, RECIP_CHECK_INCLUDE);
    snprintf(header, sizeof header, "%s/check/client.h", include + 2);
    if (access(header, R_OK) != 0)
        snprintf(include, sizeof include, "-I%s", RECIP_CHECK_SOURCE_TREE);
    const char *compiler = getenv("CC") ? getenv("CC") : "cc";
    char *arguments[] = {(char *)compiler,
                         "-std=gnu11",
                         "-O1",
                         "-g",
                         "-c",
                         "-fsanitize=thread",
                         "-fno-optimize-sibling-calls",
                         "-DRECIP_PORT=\"check/port.h\"",
                         include,
                         "-o",
                         NULL,
                         (char *)source,
                         NULL};
    char object[640];
    snprintf(object, sizeof object, "%s.o", program);
    arguments[10] = object;
    int status = run(arguments);
    if (status == 0)
        status = run((char *[]){(char *)compiler, "-o", program, object, library, NULL});
    unlink(object);
    return status;
}

int check_source(const struct request *request)
{
    if (access(request->source, R_OK) != 0)
        refuse("--source: cannot read '%s': %s", request->source, strerror(errno));
    const char *scratch = getenv("TMPDIR") ? getenv("TMPDIR") : P_tmpdir;
    char folder[512], program[600], seconds[32], mebibytes[32], graphs[32];
    snprintf(folder, sizeof folder, "%s/recip-check-XXXXXX", scratch);
    if (!mkdtemp(folder)) {
        fprintf(stderr, "recip: cannot make a folder in '%s': %s\n", scratch, strerror(errno));
        return STATUS_FAILED;
    }
    snprintf(program, sizeof program, "%s/client", folder);
    int status = compile(request->source, program);
    if (status == 0) {
        snprintf(seconds, sizeof seconds, "%g", request->limits.seconds);
        snprintf(mebibytes, sizeof mebibytes, "%zu", request->limits.bytes >> 20);
        snprintf(graphs, sizeof graphs, "%llu", (unsigned long long)request->limits.counted);
        status = run((char *[]){program, seconds, mebibytes, graphs, NULL});
    }
    unlink(program);
    rmdir(folder);
    return status == 0 ? STATUS_OK : STATUS_FAILED;
}
