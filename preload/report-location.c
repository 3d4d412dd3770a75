/* SPDX-License-Identifier: MIT */
/* The name of a place in the program: from addr2line, or from what the dynamic linker knows. Not by the tools' own
 * symbolise.c: this runs inside other people's programs, where it may neither bring libdw along nor allocate memory. */
#define RECIP_UNANNOTATED
#include "preload/report.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* Starts addr2line with its output to `output`; false if it could not be started. */
static bool start_addr2line(const char *module, uintptr_t offset, int output, pid_t *child)
{
    char address[32];
    snprintf(address, sizeof address, "0x%lx", (unsigned long)offset);
    char *words[] = {"addr2line", "-f", "-C", "-s", "-e", (char *)module, address, NULL};
    char *environment[] = {"PATH=/usr/local/bin:/usr/bin:/bin", NULL};
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, output, STDOUT_FILENO);
    posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
    int error = posix_spawnp(child, words[0], &actions, NULL, words, environment);
    posix_spawn_file_actions_destroy(&actions);
    return !error;
}

/* The two lines that addr2line prints for an address: the function, then file and line. */
static bool ask_addr2line(const char *module, uintptr_t offset, char *text, size_t size)
{
    int ends[2];
    pid_t child;
    if (pipe2(ends, O_CLOEXEC) != 0)
        return false;
    bool started = start_addr2line(module, offset, ends[1], &child);
    close(ends[1]);
    size_t length = 0;
    ssize_t part;
    while (started && length < size - 1 && (part = read(ends[0], text + length, size - 1 - length)) > 0)
        length += (size_t)part;
    text[length] = '\0';
    close(ends[0]);
    if (started)
        waitpid(child, NULL, 0);
    return length > 0;
}

void report_location(const void *site, bool use_addr2line, char name[REPORT_LOCATION_SIZE])
{
    Dl_info info;
    /* `site` is where the call returns to; the byte before it belongs to the call. */
    uintptr_t address = (uintptr_t)site - 1;
    if (!site || !dladdr((void *)address, &info) || !info.dli_fname) {
        snprintf(name, REPORT_LOCATION_SIZE, site ? "%p" : "unknown", site);
        return;
    }
    const char *module = strrchr(info.dli_fname, '/') ? strrchr(info.dli_fname, '/') + 1 : info.dli_fname;
    uintptr_t offset = address - (uintptr_t)info.dli_fbase;
    char text[REPORT_LOCATION_SIZE], *line;
    if (use_addr2line && ask_addr2line(info.dli_fname, offset, text, sizeof text) && text[0] != '?' &&
        (line = strchr(text, '\n'))) {
        *line++ = '\0';
        line[strcspn(line, "\n ")] = '\0';
        snprintf(name, REPORT_LOCATION_SIZE, "%.120s (%.100s)", text, line[0] == '?' ? module : line);
    } else if (info.dli_sname) {
        snprintf(name, REPORT_LOCATION_SIZE, "%.120s+0x%lx (%.80s)", info.dli_sname,
                 (unsigned long)(address - (uintptr_t)info.dli_saddr), module);
    } else {
        snprintf(name, REPORT_LOCATION_SIZE, "%.80s+0x%lx", module, (unsigned long)offset);
    }
}
