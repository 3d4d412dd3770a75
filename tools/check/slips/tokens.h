/* SPDX-License-Identifier: MIT */
/* A source file as the tokens of C. Comments and directives are left out, but for the body of a macro, whose tokens
 * stand among the others. No preprocessing: what the other branch of an #if has is there too. */
#ifndef RECIP_CHECK_SLIPS_TOKENS_H
#define RECIP_CHECK_SLIPS_TOKENS_H

#include <stdbool.h>
#include <stddef.h>

enum token_kind {
    TOKEN_NAME, /* keywords too; in a macro NAME##NAME is one */
    TOKEN_NUMBER,
    TOKEN_TEXT, /* a string or a character */
    TOKEN_SIGN,
};

struct token {
    enum token_kind kind;
    unsigned line;
    bool of_value; /* of the body of a macro without parameters */
    size_t at, length;
    size_t match; /* of a bracket: the index of the other one; itself if there is none */
};

struct source {
    char *file; /* from the top of the source tree */
    char *text;
    size_t size;
    struct token *tokens;
    size_t count;
};

/* Refuses a file that cannot be read, by name. */
struct source source_read(const char *file);
void source_free(struct source *source);

/* Whether a token is that word or sign; false beyond the last one. */
bool token_is(const struct source *source, size_t token, const char *text);
bool token_is_one_of(const struct source *source, size_t token, const char *const *texts);

/* What stands there from one token to the one before `end`, with single spaces; at most `most` characters and dots.
 * Freed by the caller. */
char *source_words(const struct source *source, size_t from, size_t end, size_t most);

#endif
