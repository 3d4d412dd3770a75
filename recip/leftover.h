/* Files and folders that must not outlive the command: they are removed when it exits, or is ended by Ctrl-C or another
 * signal that asks it to end, unless they have been kept. The last is removed first. */
#ifndef RECIP_LEFTOVER_H
#define RECIP_LEFTOVER_H

#include <stdbool.h>

/* As mkstemp and mkdtemp. */
int leftover_file(char *pattern);
bool leftover_folder(char *pattern);

/* A file that another program may make. */
void leftover_name(const char *path);

/* It stays, or is no longer there. */
void leftover_keep(const char *path);

#endif
