/* What comes with this program: beside it, as in a build, or elsewhere in the tree that is installed. */
#ifndef RECIP_CLI_OWN_FILES_H
#define RECIP_CLI_OWN_FILES_H

#include <limits.h>
#include <stdbool.h>

/* The folder that this program is in. */
void own_folder(char folder[PATH_MAX]);

/* Where the file of that name is; installed it is at `way` from the program's folder. False if it is at neither place.
 */
bool own_file(const char *name, const char *way, char path[2 * PATH_MAX]);

/* Where a program of ours is: beside this one, as in a build, or in the folder of such programs when installed; null if
 * it is not. */
const char *program_path(const char *name);

#endif
