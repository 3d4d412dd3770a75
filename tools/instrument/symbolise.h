/* SPDX-License-Identifier: MIT */
/* Places in the code as lines of its source, from this program's own debugging information. */
#ifndef RECIP_INSTRUMENT_SYMBOLISE_H
#define RECIP_INSTRUMENT_SYMBOLISE_H

#include <stdbool.h>

enum { SYMBOL_DEPTH = 8 };

struct source_line {
    const char *file; /* "zoo/gate.h": from the top of our sources; of another file, its folder and name */
    int number;
    bool ours; /* in the source tree, and not made by the build */
};

struct symbol {
    const char *function; /* the innermost */
    const char *line;     /* "zoo/gate.h:38", the innermost */
    const char *unit;     /* the file of the outermost: which translation unit it is in */
    struct source_line
        lines[SYMBOL_DEPTH]; /* the innermost, then where that was inlined, and so on; the last is the outermost */
    unsigned depth;
};

/* Of the call that returns to `place`. Null if nothing is known of it. Lives as long as the program. */
const struct symbol *symbol_of(const void *place);

/* "zoo/gate.h:38", or the address. Good until the fourth call after it. */
const char *symbol_line(const void *place);

#endif
