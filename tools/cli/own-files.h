/* SPDX-License-Identifier: MIT */
/* The files that come with this program: beside it, as in a build, or elsewhere in the installed tree. */
#ifndef RECIP_CLI_OWN_FILES_H
#define RECIP_CLI_OWN_FILES_H

#include <limits.h>
#include <stdbool.h>

/* The folder that this program is in. */
void own_folder(char folder[PATH_MAX]);

/* The path of a file: beside the program, or, when installed, at `way` from the program's folder. False if it is in
 * neither place. */
bool own_file(const char *name, const char *way, char path[2 * PATH_MAX]);

/* The path of another program of this project; null if it was not built. */
const char *program_path(const char *name);

#endif
