/* A file that the user has named, written whole or not at all: beside its place until it is complete, then renamed. No
 * reader meets half of it, and a failure, or Ctrl-C, leaves what was there. */
#ifndef RECIP_CLI_OUTPUT_H
#define RECIP_CLI_OUTPUT_H

#include <stdio.h>

struct output {
    FILE *file;
    const char *name;    /* as the user has it */
    char *path, *beside; /* from the root; null: written in place, being no file that could be replaced */
};

/* Refuses, with the option's name, what cannot be written. A link stays one: the file that it names is written, be it
 * there or not. */
struct output output_open(const char *option, const char *name);

/* Puts it in its place; exits with STATUS_FAILED if it could not be written. */
void output_close(struct output *output);

#endif
