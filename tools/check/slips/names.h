/* SPDX-License-Identifier: MIT */
/* Which names of a source have the same type, as it is written: parameters and variables of a function, members of a
 * structure, constants of an enumeration. */
#ifndef RECIP_CHECK_SLIPS_NAMES_H
#define RECIP_CHECK_SLIPS_NAMES_H

#include "check/slips/tokens.h"

struct named {
    char *name, *type;
    char *of;     /* a member: its structure; otherwise null */
    size_t token; /* that declares it */
};

struct names {
    struct named *values;
    size_t count;
};

/* Adds what tokens from..end-1 declare, if they are a declaration without its semicolon, or a parameter. `of`: members
 * of that structure. False: they are none. */
bool names_declare(struct names *names, const struct source *source, size_t from, size_t end, const char *of);

/* Adds a constant; those of the same type can stand for each other. */
void names_add_constant(struct names *names, const char *name, const char *type);

void names_free(struct names *names);

#endif
