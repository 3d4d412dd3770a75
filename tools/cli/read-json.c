/* SPDX-License-Identifier: MIT */
#include "cli/read-json.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

/* How long a named pipe may be without a writer, in steps of ten milliseconds. */
enum { WRITER_STEPS = 200 };

/* The stream does not block yet: a read from a pipe that no process has open for writing finds its end, and EAGAIN as
 * soon as one has. What it reads stays in the stream. */
static bool has_writer(FILE *pipe)
{
    for (int step = 0; step < WRITER_STEPS; step++) {
        errno = 0;
        int byte = getc(pipe);
        int reason = errno;
        clearerr(pipe);
        if (byte != EOF)
            return ungetc(byte, pipe) == byte;
        if (reason == EAGAIN)
            return true;
        nanosleep(&(struct timespec){.tv_nsec = 10000000}, NULL);
    }
    return false;
}

/* Null, with the reason, if it cannot be opened; also if it is a pipe that no process writes to, which would never end.
 */
static FILE *open_to_read(const char *path, char why[256])
{
    struct stat about;
    int descriptor = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    FILE *file = descriptor >= 0 ? fdopen(descriptor, "r") : NULL;
    if (!file) {
        snprintf(why, 256, "%s", strerror(errno));
        if (descriptor >= 0)
            close(descriptor);
        return NULL;
    }
    if (fstat(descriptor, &about) == 0 && S_ISFIFO(about.st_mode) && !has_writer(file)) {
        snprintf(why, 256, "it is a pipe, and no process writes to it");
        fclose(file);
        return NULL;
    }
    fcntl(descriptor, F_SETFL, 0);
    return file;
}

json_t *read_json(const char *path, char why[256])
{
    json_error_t error;
    FILE *file = open_to_read(path, why);
    if (!file)
        return NULL;
    errno = 0;
    json_t *document = json_loadf(file, 0, &error);
    int reason = errno;
    if (!document && ferror(file))
        snprintf(why, 256, "%s", strerror(reason));
    else if (!document && json_error_code(&error) == json_error_premature_end_of_input)
        snprintf(why, 256, "it is cut off, at line %d", error.line);
    else if (!document)
        snprintf(why, 256, "line %d: %s", error.line, error.text);
    fclose(file);
    return document;
}

bool is_count(const json_t *field)
{
    return json_is_integer(field) && json_integer_value(field) >= 1 && json_integer_value(field) <= INT_MAX;
}

bool is_amount(const json_t *field)
{
    return json_is_number(field) && json_number_value(field) >= 0;
}
