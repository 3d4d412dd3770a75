/* SPDX-License-Identifier: MIT */
/* Temporary files and folders. They are removed when the command exits, and when Ctrl-C or another signal ends it,
 * unless they have been kept. The last is removed first. */
#ifndef RECIP_CLI_TEMP_FILES_H
#define RECIP_CLI_TEMP_FILES_H

#include <stdbool.h>

/* As mkstemp and mkdtemp. */
int temp_file(char *pattern);
bool temp_folder(char *pattern);

/* A file or folder that another program may create. It may be named twice. */
void temp_name(const char *path);

/* Does not remove it: it is to stay, or is gone already. */
void temp_keep(const char *path);

/* Called before anything is removed, also in a signal handler: ends those who might still make such files. */
void temp_before_removal(void (*call)(void));

/* In a child process that does not exec: from now on a signal or its end removes nothing. */
void temp_leave_to_parent(void);

#endif
