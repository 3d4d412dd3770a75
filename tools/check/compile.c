/* SPDX-License-Identifier: MIT */
#include "check/compile.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cli/own-files.h"
#include "cli/temp-files.h"

const char *compiler(void)
{
    return getenv("CC") ? getenv("CC") : "cc";
}

int run_program(char *const arguments[], int output)
{
    pid_t child = fork();
    if (child == 0) {
        prctl(PR_SET_PDEATHSIG, SIGTERM);
        if (output >= 0 && (dup2(output, STDOUT_FILENO) < 0 || dup2(output, STDERR_FILENO) < 0))
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

/* "-I" and the folder of the headers in an installed tree, which is at a path relative to this program. */
static const char *installed_headers(void)
{
    static char option[PATH_MAX + 32];
    char folder[PATH_MAX];
    own_folder(folder);
    snprintf(option, sizeof option, "-I%s/%s", folder, RECIP_CHECK_INCLUDE);
    return option;
}

bool is_installed(void)
{
    char header[PATH_MAX + 64];
    snprintf(header, sizeof header, "%s/check/port.h", installed_headers() + strlen("-I"));
    return access(header, R_OK) == 0;
}

int compile_for_check(const char *source, const char *object, const char *const *options, int output)
{
    static const char *const flags[] = {
        "-std=gnu11",
        "-O1",
        "-c",
        "-fsanitize=thread",
        "-fno-optimize-sibling-calls",
        "-fno-omit-frame-pointer",
        "-x",
        "c",
        "-DRECIP_PORT=\"check/port.h\"",
        "-include",
        "check/explored.h",
        "-fno-builtin-memset",
        "-fno-builtin-memcpy",
        "-fno-builtin-memmove",
    };
    static const char *const source_tree[] = {"-I" RECIP_SOURCE_TREE, "-I" RECIP_SOURCE_TREE "/tools",
                                              "-I" RECIP_SOURCE_TREE "/include"};
    enum { OPTIONS_MAX = 16, FLAGS = sizeof flags / sizeof *flags, FOLDERS = sizeof source_tree / sizeof *source_tree };
    const char *arguments[1 + OPTIONS_MAX + FLAGS + FOLDERS + 4];
    size_t count = 0;
    arguments[count++] = compiler();
    for (size_t i = 0; options && options[i] && i < OPTIONS_MAX; i++)
        arguments[count++] = options[i];
    for (size_t i = 0; i < FLAGS; i++)
        arguments[count++] = flags[i];
    if (is_installed())
        arguments[count++] = installed_headers();
    else
        for (size_t i = 0; i < FOLDERS; i++)
            arguments[count++] = source_tree[i];
    arguments[count++] = "-o";
    arguments[count++] = object;
    arguments[count++] = source;
    arguments[count] = NULL;
    return run_program((char *const *)arguments, output);
}

int open_output(void)
{
    return memfd_create("output", MFD_CLOEXEC);
}

void show_output(int output)
{
    char part[4096];
    ssize_t size;
    for (off_t at = 0; (size = pread(output, part, sizeof part, at)) > 0; at += size)
        fwrite(part, 1, (size_t)size, stderr);
}

bool scratch_folder(char folder[PATH_MAX])
{
    const char *parent = getenv("TMPDIR") ? getenv("TMPDIR") : P_tmpdir;
    snprintf(folder, PATH_MAX, "%s/recip-check-XXXXXX", parent);
    if (temp_folder(folder))
        return true;
    fprintf(stderr, "recip: cannot make a folder in '%s': %s\n", parent, strerror(errno));
    return false;
}

bool same_files(const char *one, const char *other)
{
    FILE *files[2] = {fopen(one, "r"), fopen(other, "r")};
    bool same = files[0] && files[1];
    for (int c = 0; same && c != EOF;)
        same = (c = getc(files[0])) == getc(files[1]);
    for (int i = 0; i < 2; i++)
        if (files[i])
            fclose(files[i]);
    return same;
}
