/* SPDX-License-Identifier: MIT */
/* The C compiler, at run time: for clients of the user's own and for mutants. */
#ifndef RECIP_CHECK_COMPILE_H
#define RECIP_CHECK_COMPILE_H

#include <limits.h>
#include <stdbool.h>

/* Exit status of a child that could not start its program. */
enum { STATUS_CANNOT_RUN = 127 };

/* $CC, or cc. */
const char *compiler(void);

/* Runs a program and waits for it; the result is what waitpid stores. Its output goes to the descriptor `output`, or if
 * that is negative to this process's own. It is killed if this process ends first. */
int run_program(char *const arguments[], int output);

/* Whether the headers beside this program are used, as in an installed tree. Otherwise those of the source tree are. */
bool is_installed(void);

/* Compiles a source for the check world. `options`, which end with null and may be null, come before all others, so
 * that a folder of theirs is searched first. The result is as of run_program. */
int compile_for_check(const char *source, const char *object, const char *const *options, int output);

/* Links a client of the user's own, compiled so, with the engine. As run_program. */
int link_client(char *object, char *program, int output);

/* A file in memory, to be the `output` of the above, and its text on stderr. */
int open_output(void);
void show_output(int output);

/* Whether both are there and have the same bytes. */
bool same_files(const char *one, const char *other);

/* A temporary folder, removed when the command ends. False after it has said why there is none. */
bool scratch_folder(char folder[PATH_MAX]);

#endif
