/* SPDX-License-Identifier: MIT */
#include "cli/own-files.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

void own_folder(char folder[PATH_MAX])
{
    ssize_t length = readlink("/proc/self/exe", folder, PATH_MAX - 1);
    folder[length > 0 ? length : 0] = '\0';
    char *slash = strrchr(folder, '/');
    if (slash)
        *slash = '\0';
}

bool own_file(const char *name, const char *way, char path[2 * PATH_MAX])
{
    char folder[PATH_MAX];
    own_folder(folder);
    snprintf(path, 2 * PATH_MAX, "%s/%s", folder, name);
    if (access(path, R_OK) == 0)
        return true;
    snprintf(path, 2 * PATH_MAX, "%s/%s/%s", folder, way, name);
    return access(path, R_OK) == 0;
}

const char *program_path(const char *name)
{
    static char path[2 * PATH_MAX];
    return own_file(name, RECIP_TO_LIBEXEC, path) ? path : NULL;
}
