/* SPDX-License-Identifier: MIT */
/* Where the report is written to: what stderr was at the start, or a file. Without stdio, whose streams may be locked
 * when the signal comes. */
#define RECIP_UNANNOTATED
#include "preload/report.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "preload/environment.h"

/* The copy of stderr gets a descriptor from here on, out of the way of those that the program expects to get. */
enum { HIGH_DESCRIPTOR = 200 };

/* A file's name, or "-". A copy, because servers write their title over the environment. One byte more than a path may
 * have: a longer one cannot be opened either way. */
static char destination[PATH_MAX + 1];

/* Whether this is the process that `recip run` became, or there was no `recip run`. Any other process of the program
 * writes a file of its own beside that one. */
static bool is_first;

/* Many programs close stderr before they end (xz, sort, ls). */
static int stderr_copy = -1;
static struct stat stderr_file;

void report_output_start(const char *file)
{
    const char *first = preload_environment("RECIP_STATS_PROCESS");
    snprintf(destination, sizeof destination, "%s", file);
    is_first = !first || atoi(first) == (int)getpid();
    if (fstat(STDERR_FILENO, &stderr_file) == 0)
        stderr_copy = fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, HIGH_DESCRIPTOR);
}

bool report_is_text(void)
{
    return strcmp(destination, "-") == 0;
}

static bool is_stderr(int descriptor)
{
    struct stat now;
    return fstat(descriptor, &now) == 0 && now.st_dev == stderr_file.st_dev && now.st_ino == stderr_file.st_ino;
}

/* The program may have closed either descriptor and opened another file under its number. */
int report_stderr(void)
{
    if (is_stderr(stderr_copy))
        return stderr_copy;
    return is_stderr(STDERR_FILENO) ? STDERR_FILENO : -1;
}

int report_open_file(void)
{
    char path[sizeof destination + 16];
    if (is_first)
        snprintf(path, sizeof path, "%s", destination);
    else
        snprintf(path, sizeof path, "%s.%d", destination, (int)getpid());
    /* Not blocking: it does not wait for somebody to read from a pipe. */
    int file = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NONBLOCK, 0666);
    if (file >= 0) {
        fcntl(file, F_SETFL, 0);
    } else {
        const char *reason = strerror(errno);
        report_print(report_stderr(), "recip: cannot write the statistics to '%s': %s\n", destination, reason);
    }
    return file;
}

void report_print(int file, const char *format, ...)
{
    char text[1024];
    va_list arguments;
    va_start(arguments, format);
    int length = vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    if (length >= (int)sizeof text)
        length = sizeof text - 1;
    for (int done = 0; done < length;) {
        ssize_t part = write(file, text + done, (size_t)(length - done));
        if (part < 0 && errno != EINTR)
            return;
        done += part > 0 ? (int)part : 0;
    }
}
