/* SPDX-License-Identifier: MIT */
/* Where the report is written to: what stderr was at the start, or a file. Without stdio, whose streams may be locked
 * when the signal comes. */
#define RECIP_UNANNOTATED
#include "preload/report.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "preload/environment.h"

/* The copy of stderr gets a descriptor from here on, out of the way of those that the program expects to get. */
enum { HIGH_DESCRIPTOR = 200 };

/* Whether this is the process that `recip run` became, or there was no `recip run`. Any other process of the program
 * writes a file of its own beside that one. */
static bool is_first;

/* Many programs close stderr before they end (xz, sort, ls). */
static int stderr_copy = -1;
static struct stat stderr_file;

void report_output_start(void)
{
    const char *first = preload_environment("RECIP_STATS_PROCESS");
    is_first = !first || atoi(first) == (int)getpid();
    if (fstat(STDERR_FILENO, &stderr_file) == 0)
        stderr_copy = fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, HIGH_DESCRIPTOR);
}

void report_output_after_fork(void)
{
    is_first = false;
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

/* Null if the report may go there. A file that is there already is replaced only if it is this user's and has no other
 * name: somebody else may have put a link there, to make this process overwrite another file. */
static const char *refusal(int file)
{
    struct stat about;
    if (fstat(file, &about) != 0)
        return strerror(errno);
    if (S_ISFIFO(about.st_mode) || S_ISCHR(about.st_mode))
        return NULL;
    if (!S_ISREG(about.st_mode))
        return "it is neither a file nor a pipe";
    if (about.st_uid != geteuid())
        return "it belongs to another user";
    return about.st_nlink == 1 ? NULL : "it has another name as well";
}

int report_open_file(const char *destination, const char *what)
{
    char path[REPORT_PATH + 16];
    if (is_first)
        snprintf(path, sizeof path, "%s", destination);
    else
        snprintf(path, sizeof path, "%s.%d", destination, (int)getpid());
    /* Not blocking: it does not wait for a reader of a pipe. Truncated later, when it is known what it is. */
    int file = open(path, O_WRONLY | O_CREAT | O_NOFOLLOW | O_NOCTTY | O_CLOEXEC | O_NONBLOCK, 0666);
    const char *reason = file < 0 ? strerror(errno) : refusal(file);
    if (errno == ELOOP && file < 0)
        reason = "it is a symbolic link";
    if (!reason) {
        fcntl(file, F_SETFL, 0);
        if (ftruncate(file, 0) != 0)
            errno = 0; /* a pipe or a device */
        return file;
    }
    if (file >= 0)
        close(file);
    report_print(report_stderr(), "recip: cannot write the %s to '%s': %s\n", what, destination, reason);
    return -1;
}

/* Null: what is written is not collected. Of the thread that writes a report; others may say a line meanwhile. */
static _Thread_local struct report_buffer *buffer;

static void write_out(int file, const char *text, int length)
{
    for (int done = 0; done < length;) {
        ssize_t part = write(file, text + done, (size_t)(length - done));
        if (part < 0 && errno != EINTR)
            return;
        done += part > 0 ? (int)part : 0;
    }
}

void report_buffer_begin(struct report_buffer *own, int file)
{
    own->file = file;
    own->length = 0;
    buffer = own;
}

static void flush(void)
{
    write_out(buffer->file, buffer->text, buffer->length);
    buffer->length = 0;
}

void report_buffer_end(void)
{
    flush();
    buffer = NULL;
}

void report_write(int file, const char *text, int length)
{
    if (!buffer || buffer->file != file || length > (int)sizeof buffer->text) {
        write_out(file, text, length);
        return;
    }
    if (length > (int)sizeof buffer->text - buffer->length)
        flush();
    memcpy(buffer->text + buffer->length, text, (size_t)length);
    buffer->length += length;
}

void report_print(int file, const char *format, ...)
{
    char text[1024];
    va_list arguments;
    va_start(arguments, format);
    int length = vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    report_write(file, text, length < (int)sizeof text ? length : (int)sizeof text - 1);
}
