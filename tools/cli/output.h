/* SPDX-License-Identifier: MIT */
/* A file that the user has named, written whole or not at all: it is written under another name in the same folder, and
 * renamed when it is complete. No reader sees half of it, and a failure, or Ctrl-C, leaves the old file as it was. */
#ifndef RECIP_CLI_OUTPUT_H
#define RECIP_CLI_OUTPUT_H

#include <stdio.h>

struct output {
    FILE *file;
    const char *name; /* as the user has it */
    char *path,
        *beside; /* where it will be, and where it is written; null if it is no regular file: written in place */
};

/* Refuses, with the option's name, what cannot be written. A symlink stays a symlink: the file that it names is
 * written, whether it exists or not. */
struct output output_open(const char *option, const char *name);

/* Renames it to its name; exits with STATUS_FAILED if it could not be written. */
void output_close(struct output *output);

#endif
