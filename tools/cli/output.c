/* SPDX-License-Identifier: MIT */
#include "cli/output.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/command.h"
#include "cli/temp-files.h"

enum { MAX_LINKS = 40 };

/* Where symlinks lead to, whether there is a file or not; null with errno if there are too many. */
static char *follow_links(const char *name)
{
    char *path = need_memory(strdup(name)), link[PATH_MAX];
    for (int i = 0; i < MAX_LINKS; i++) {
        ssize_t length = readlink(path, link, sizeof link);
        if (length < 0)
            return path;
        const char *slash = link[0] == '/' ? NULL : strrchr(path, '/');
        char *next;
        if (asprintf(&next, "%.*s%.*s", slash ? (int)(slash + 1 - path) : 0, path, (int)length, link) < 0)
            need_memory(NULL);
        free(path);
        path = next;
    }
    free(path);
    errno = ELOOP;
    return NULL;
}

/* The canonical path of a file that need not exist; null with errno if its folder does not. */
static char *canonical(char *path)
{
    char *slash = strrchr(path, '/'), *whole = NULL;
    const char *name = slash ? slash + 1 : path;
    if (slash)
        *slash = '\0';
    char *folder = realpath(!slash ? "." : *path ? path : "/", NULL);
    if (folder && asprintf(&whole, "%s/%s", strcmp(folder, "/") == 0 ? "" : folder, name) < 0)
        need_memory(NULL);
    free(folder);
    return whole;
}

/* The permissions of a file that a shell creates. */
static mode_t default_mode(void)
{
    mode_t mask = umask(0);
    umask(mask);
    return 0666 & ~mask;
}

static FILE *open_beside(struct output *output, mode_t mode)
{
    char *followed = follow_links(output->name);
    output->path = followed ? canonical(followed) : NULL;
    free(followed);
    if (!output->path)
        return NULL;
    if (asprintf(&output->beside, "%s.XXXXXX", output->path) < 0)
        need_memory(NULL);
    int descriptor = temp_file(output->beside);
    return descriptor >= 0 && fchmod(descriptor, mode) == 0 ? fdopen(descriptor, "w") : NULL;
}

static bool is_standard_output(const struct stat *about)
{
    struct stat standard;
    return fstat(STDOUT_FILENO, &standard) == 0 && standard.st_dev == about->st_dev && standard.st_ino == about->st_ino;
}

struct output output_open(const char *option, const char *name)
{
    struct output output = {.name = name};
    struct stat about;
    if (!*name)
        refuse("%s: the file's name is empty", option);
    bool exists = stat(name, &about) == 0;
    if (exists && S_ISREG(about.st_mode) && is_standard_output(&about))
        refuse("%s: '%s' is where standard output goes; give another file", option, name);
    if (exists && !S_ISREG(about.st_mode))
        output.file = fopen(name, "w");
    else if (!exists || access(name, W_OK) == 0)
        output.file = open_beside(&output, exists ? about.st_mode & 0777 : default_mode());
    if (!output.file)
        refuse("%s: '%s' cannot be written: %s", option, name, strerror(errno));
    return output;
}

void output_close(struct output *output)
{
    bool good = !ferror(output->file);
    good = fclose(output->file) == 0 && good;
    if (good && output->beside)
        good = rename(output->beside, output->path) == 0;
    if (!good) {
        fprintf(stderr, "recip: '%s' could not be written: %s\n", output->name, strerror(errno));
        exit(STATUS_FAILED);
    }
    if (output->beside)
        temp_keep(output->beside);
    free(output->path);
    free(output->beside);
    *output = (struct output){0};
}
