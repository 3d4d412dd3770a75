/* SPDX-License-Identifier: MIT */
/* Slips of whole statements and of conditions. */
#include <stdlib.h>
#include <string.h>

#include "check/slips/walk.h"

enum { WORDS = 60 };

enum statement_kind {
    STATEMENT_PLAIN, /* an expression, or a declaration */
    STATEMENT_BLOCK, /* has others in it */
    STATEMENT_LEAVES,
    STATEMENT_NOTHING, /* a label, or what does nothing */
};

struct statement {
    enum statement_kind kind;
    size_t from, end;
};

static struct statement read_statement(struct walk *walk, size_t at);

void propose_condition(struct walk *walk, size_t from, size_t end, bool of_loop)
{
    char *condition = source_text(walk->source, from, end), *words = source_words(walk->source, from, end, WORDS);
    if (from < end) {
        propose(walk, from, end, text_of("!(%s)", condition), "not `%s`", words);
        propose(walk, from, end, text_of("((%s), 0)", condition), "never `%s`", words);
        if (!of_loop)
            propose(walk, from, end, text_of("((%s), 1)", condition), "always `%s`", words);
    }
    free(condition);
    free(words);
}

static void propose_without(struct walk *walk, size_t from, size_t end)
{
    char *words = source_words(walk->source, from, end, WORDS);
    propose(walk, from, end, text_of(";"), "without `%s`", words);
    free(words);
}

static void propose_swap(struct walk *walk, const struct statement *first, const struct statement *second)
{
    const struct source *source = walk->source;
    char *one = source_text(source, first->from, first->end), *other = source_text(source, second->from, second->end);
    char *with_both = source_text(source, first->from, second->end);
    size_t between = strlen(with_both) - strlen(one) - strlen(other);
    char *words = source_words(source, first->from, first->end, WORDS);
    char *other_words = source_words(source, second->from, second->end, WORDS);
    propose(walk, first->from, second->end, text_of("%s%.*s%s", other, (int)between, with_both + strlen(one), one),
            "`%s` after `%s`", words, other_words);
    free(one);
    free(other);
    free(with_both);
    free(words);
    free(other_words);
}

static bool can_swap(const struct statement *first, const struct statement *second)
{
    return first->kind <= STATEMENT_BLOCK && second->kind <= STATEMENT_BLOCK;
}

static size_t read_block(struct walk *walk, size_t at)
{
    size_t end = walk->source->tokens[at].match;
    struct statement before = {.kind = STATEMENT_NOTHING};
    for (at++; at < end;) {
        struct statement statement = read_statement(walk, at);
        if (can_swap(&before, &statement))
            propose_swap(walk, &before, &statement);
        before = statement;
        at = statement.end;
    }
    return end + 1;
}

/* Where a bracketed list ends its first part, at that sign; or the end. */
static size_t find_sign(const struct source *source, size_t at, size_t end, const char *sign)
{
    while (at < end && !token_is(source, at, sign))
        at = source->tokens[at].match > at ? source->tokens[at].match + 1 : at + 1;
    return at;
}

static size_t read_if(struct walk *walk, size_t at)
{
    const struct source *source = walk->source;
    size_t close = source->tokens[at + 1].match;
    propose_condition(walk, at + 2, close, false);
    size_t end = read_statement(walk, close + 1).end;
    if (token_is(source, end, "else"))
        end = read_statement(walk, end + 1).end;
    return end;
}

static size_t read_while(struct walk *walk, size_t at)
{
    const struct source *source = walk->source;
    size_t close = source->tokens[at + 1].match;
    propose_condition(walk, at + 2, close, true);
    char *words = source_words(source, at + 2, close, WORDS);
    if (!token_is(source, close + 1, ";"))
        propose(walk, at, at + 1, text_of("if"), "once `%s`", words);
    free(words);
    return read_statement(walk, close + 1).end;
}

static size_t read_for(struct walk *walk, size_t at)
{
    const struct source *source = walk->source;
    size_t close = source->tokens[at + 1].match, first = find_sign(source, at + 2, close, ";");
    size_t second = find_sign(source, first + 1, close, ";");
    names_declare(&walk->locals, source, at + 2, first, NULL);
    propose_condition(walk, first + 1, second, true);
    return read_statement(walk, close + 1).end;
}

static size_t read_do(struct walk *walk, size_t at)
{
    size_t end = read_statement(walk, at + 1).end;
    if (!token_is(walk->source, end, "while"))
        return end;
    size_t close = walk->source->tokens[end + 1].match;
    propose_condition(walk, end + 2, close, true);
    return close + 2;
}

static size_t read_return(struct walk *walk, size_t at)
{
    size_t end = find_sign(walk->source, at, walk->end, ";");
    if (end + 1 < walk->end)
        propose_without(walk, at, end + 1);
    if (walk->answers && end > at + 2)
        propose_condition(walk, at + 1, end, false);
    return end + 1;
}

static struct statement read_plain(struct walk *walk, size_t at)
{
    const struct source *source = walk->source;
    size_t end = find_sign(source, at, walk->end, ";");
    struct statement statement = {STATEMENT_PLAIN, at, end < walk->end ? end + 1 : end};
    bool is_void = token_is(source, at, "(") && token_is(source, at + 1, "void");
    if (is_void || end == at || token_is(source, at, "_Static_assert"))
        statement.kind = STATEMENT_NOTHING;
    else if (!names_declare(&walk->locals, source, at, end, NULL))
        propose_without(walk, at, statement.end);
    return statement;
}

static struct statement read_leaving(struct walk *walk, size_t at)
{
    const char *other = token_is(walk->source, at, "break") ? "continue" : "break";
    if (!token_is(walk->source, at, "goto")) {
        propose_without(walk, at, at + 2);
        propose(walk, at, at + 1, text_of("%s", other), "`%s` instead", other);
    }
    return (struct statement){STATEMENT_LEAVES, at, find_sign(walk->source, at, walk->end, ";") + 1};
}

static struct statement read_statement(struct walk *walk, size_t at)
{
    static const struct {
        const char *word;
        size_t (*read)(struct walk *walk, size_t at);
    } kinds[] = {{"{", read_block}, {"if", read_if},        {"while", read_while},
                 {"for", read_for}, {"switch", read_while}, {"do", read_do}};
    static const char *const leave[] = {"break", "continue", "goto", NULL};
    static const char *const cases[] = {"case", "default", NULL};
    const struct source *source = walk->source;
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (token_is(source, at, kinds[i].word))
            return (struct statement){STATEMENT_BLOCK, at, kinds[i].read(walk, at)};
    if (token_is(source, at, "return"))
        return (struct statement){STATEMENT_LEAVES, at, read_return(walk, at)};
    if (token_is_one_of(source, at, leave))
        return read_leaving(walk, at);
    if (token_is_one_of(source, at, cases) || token_is(source, at + 1, ":"))
        return (struct statement){STATEMENT_NOTHING, at, find_sign(source, at, walk->end, ":") + 1};
    return read_plain(walk, at);
}

void propose_statements(struct walk *walk)
{
    read_block(walk, walk->body);
}
