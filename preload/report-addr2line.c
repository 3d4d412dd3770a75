/* SPDX-License-Identifier: MIT */
/* Not by the tools' own symbolise.c: this runs inside other people's programs, where it may neither bring libdw along
 * nor allocate memory. */
#define RECIP_UNANNOTATED
#include "preload/report-places.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

/* ---- The child ---- */

static _Noreturn void become_addr2line(char **words, int output)
{
    static const char *const paths[] = {"/usr/local/bin/addr2line", "/usr/bin/addr2line", "/bin/addr2line"};
    char *environment[] = {"LC_ALL=C", NULL};
    int nothing = open("/dev/null", O_WRONLY);
    dup2(output, STDOUT_FILENO);
    dup2(nothing, STDERR_FILENO);
    for (size_t i = 0; i < sizeof paths / sizeof *paths; i++)
        execve(paths[i], words, environment);
    for (;;)
        syscall(SYS_exit_group, 127);
}

/* A child that ends without a signal to its parent, and that no plain wait finds: the program must not notice it.
 * Returns where to read its answers, or -1. */
static int start(char **words, pid_t *child)
{
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0)
        return -1;
    *child = (pid_t)syscall(SYS_clone, 0L, 0L, 0L, 0L, 0L);
    if (*child == 0)
        become_addr2line(words, ends[1]);
    close(ends[1]);
    if (*child > 0)
        return ends[0];
    close(ends[0]);
    return -1;
}

/* ---- Its answers ---- */

struct reader {
    int file;
    size_t begin, end;
    char buffer[4096];
};

/* Without the newline; what does not fit is dropped. False at the end. */
static bool read_line(struct reader *reader, char *line, size_t size)
{
    size_t length = 0;
    for (;;) {
        if (reader->begin == reader->end) {
            ssize_t part;
            do
                part = read(reader->file, reader->buffer, sizeof reader->buffer);
            while (part < 0 && errno == EINTR);
            if (part <= 0)
                return false;
            reader->begin = 0;
            reader->end = (size_t)part;
        }
        char byte = reader->buffer[reader->begin++];
        if (byte == '\n')
            break;
        if (length < size - 1)
            line[length++] = byte;
    }
    line[length] = '\0';
    return true;
}

/* Headers of the system and of the C++ library; "?" is not known, and then the function counts. */
static bool is_system_source(const char *path)
{
    return strncmp(path, "/usr/include/", 13) == 0 || strncmp(path, "/usr/lib/", 9) == 0 || strstr(path, "/bits/") ||
           strstr(path, "/include/c++/");
}

/* One function; inlined ones come first. The first is kept until one is the program's own. */
static void take_answer(struct place *place, const char *function, char *source)
{
    bool is_system = is_system_source(source) || strncmp(function, "std::", 5) == 0;
    bool is_first = !place->is_resolved || place->is_library;
    struct place_name *name = is_first ? &place->name : &place->outermost;
    if (function[0] == '?' || (is_system && place->is_resolved))
        return;
    source[strcspn(source, " ")] = '\0';
    const char *slash = strrchr(source, '/'), *file = slash ? slash + 1 : source;
    snprintf(name->function, sizeof name->function, "%.119s", function);
    snprintf(name->source, sizeof name->source, "%.63s", file[0] != '?' ? file : "");
    place->is_resolved = true;
    place->is_library = is_system;
}

/* For each address: the address, then two lines for each function. */
static void read_answers(struct reader *reader, struct place **places, int count)
{
    char line[1024], source[1024];
    int index = -1;
    while (read_line(reader, line, sizeof line)) {
        if (strncmp(line, "0x", 2) == 0) {
            index++;
            continue;
        }
        if (!read_line(reader, source, sizeof source))
            return;
        if (index >= 0 && index < count)
            take_answer(places[index], line, source);
    }
}

void addr2line_ask(const char *path, uintptr_t bias, struct place **places, int count)
{
    static struct reader reader;
    char addresses[ADDR2LINE_AT_ONCE][20],
        *words[ADDR2LINE_AT_ONCE + 8] = {"addr2line", "-a", "-f", "-C", "-i", "-e", (char *)path};
    pid_t child;
    for (int i = 0; i < count; i++) {
        /* The byte before belongs to the call. */
        snprintf(addresses[i], sizeof addresses[i], "0x%lx", (unsigned long)((uintptr_t)places[i]->address - 1 - bias));
        words[7 + i] = addresses[i];
    }
    words[7 + count] = NULL;
    reader = (struct reader){.file = start(words, &child)};
    if (reader.file < 0)
        return;
    read_answers(&reader, places, count);
    close(reader.file);
    syscall(SYS_wait4, child, NULL, __WCLONE, NULL);
}
