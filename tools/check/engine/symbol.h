/* Places in the code as source lines, by addr2line. */
#ifndef RECIP_CHECK_ENGINE_SYMBOL_H
#define RECIP_CHECK_ENGINE_SYMBOL_H

#include <stdbool.h>
#include <stddef.h>

struct symbol {
    const void *place;
    char *line;     /* "zoo/gate.h:38", the innermost */
    char *function; /* the innermost */
    char *unit;     /* the file of the outermost: which of the zoo's translation units it is in */
};

/* Looks up those that are not known yet, all in one go. */
void symbol_prepare(const void *const *places, size_t count);

const struct symbol *symbol_of(const void *place);
const char *symbol_line(const void *place);

#endif
