/* SPDX-License-Identifier: MIT */
/* What the parts of the generator share: one function, or another piece of a file, and where proposals go. */
#ifndef RECIP_CHECK_SLIPS_WALK_H
#define RECIP_CHECK_SLIPS_WALK_H

#include "check/slips/names.h"
#include "check/slips/slips.h"
#include "check/slips/tokens.h"

struct walk {
    const struct source *source;
    const struct names *shared; /* members and constants, of all files */
    struct names locals;
    struct slips *slips;
    const char *function; /* its name, or that of the enumeration or macro */
    size_t body, end;     /* its braces */
    bool answers;         /* it returns a bool */
};

/* What replaces tokens from..end-1 is `with`, which is freed; the format says how the slip reads. */
void propose(struct walk *walk, size_t from, size_t end, char *with, const char *format, ...)
    __attribute__((format(printf, 5, 6)));

/* The text of tokens from..end-1 as it stands in the file. Freed by the caller. */
char *source_text(const struct source *source, size_t from, size_t end);

/* Text as printf makes it; freed by the caller. */
char *text_of(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* The statements of a function, and the variables that they declare. */
void propose_statements(struct walk *walk);

/* A condition, tokens from..end-1: not, never, always. */
void propose_condition(struct walk *walk, size_t from, size_t end, bool of_loop);

/* Each token from..end-1 for itself. */
void propose_tokens(struct walk *walk, size_t from, size_t end);

#endif
