/* SPDX-License-Identifier: MIT */
/* Slips: small edits of a source, such as a person makes by mistake, proposed by reading its tokens. Nothing is known
 * of types beyond how they are written, so some edits do not compile, and some compile to the same code.
 *
 *     without STATEMENT           a statement, a return, a part of a condition is left out
 *     STATEMENT and STATEMENT     two neighbours are swapped
 *     not, never, always, once    a condition is negated, false, true; a loop is run through once at most
 *     THIS -> THAT                a constant, a compared value, an operator or an operand is another of its kind
 */
#ifndef RECIP_CHECK_SLIPS_SLIPS_H
#define RECIP_CHECK_SLIPS_SLIPS_H

#include <stdbool.h>
#include <stddef.h>

struct slip {
    char *file; /* from the top of the source tree */
    unsigned line;
    char *text;        /* "FUNCTION: EDIT"; no two of a file have the same */
    size_t at, length; /* what is replaced in the file */
    char *with;
};

struct slips {
    struct slip *values;
    size_t count;
};

/* Of all these files; a name of one can stand in another. */
struct slips slips_of(const char *const *files, size_t count);
void slips_free(struct slips *slips);

/* Writes the changed file to that path; false if it cannot be written. */
bool slip_apply(const struct slip *slip, const char *copy);

#endif
