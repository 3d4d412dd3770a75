/* SPDX-License-Identifier: MIT */
/* Slips within an expression: operators, constants, and one operand for another. */
#include <stdlib.h>
#include <string.h>

#include "check/slips/walk.h"

static const char *const ends_before[] = {"(", "{", "[", ";", ",", "=", "&&", "||", "?", ":", "return", NULL};
static const char *const ends_behind[] = {")", "}", "]", ";", ",", "&&", "||", "?", ":", NULL};

/* The file's line, without blanks around it and the backslash of a macro. */
static char *line_around(const struct source *source, size_t token)
{
    enum { MOST = 70 };
    const char *from = source->text + source->tokens[token].at, *end;
    while (from > source->text && from[-1] != '\n')
        from--;
    from += strspn(from, " ");
    end = from + strcspn(from, "\n\\");
    while (end > from && end[-1] == ' ')
        end--;
    return text_of(end - from > MOST ? "%.*s ..." : "%.*s", end - from > MOST ? MOST : (int)(end - from), from);
}

static void propose_instead(struct walk *walk, size_t token, const char *other)
{
    const struct token *at = &walk->source->tokens[token];
    char *line = line_around(walk->source, token);
    propose(walk, token, token + 1, text_of("%s", other), "`%.*s` -> `%s` in `%s`", (int)at->length,
            walk->source->text + at->at, other, line);
    free(line);
}

/* Where the operand before a token begins, or the one behind it ends. */
static size_t operand_begin(const struct source *source, size_t at)
{
    while (at > 0 && !token_is_one_of(source, at - 1, ends_before)) {
        at--;
        if (source->tokens[at].match < at)
            at = source->tokens[at].match;
    }
    return at;
}

static size_t operand_end(const struct source *source, size_t at)
{
    while (at < source->count && !token_is_one_of(source, at, ends_behind))
        at = source->tokens[at].match > at ? source->tokens[at].match + 1 : at + 1;
    return at;
}

static void propose_dropped_operands(struct walk *walk, size_t at)
{
    size_t begin = operand_begin(walk->source, at), end = operand_end(walk->source, at + 1);
    char *before = source_words(walk->source, begin, at + 1, 60), *behind = source_words(walk->source, at, end, 60);
    propose(walk, begin, at + 1, text_of(" "), "without `%s`", before);
    propose(walk, at, end, text_of(" "), "without `%s`", behind);
    free(before);
    free(behind);
}

static bool is_binary(const struct source *source, size_t at)
{
    static const char *const closes[] = {")", "]", NULL};
    if (at == 0 || token_is(source, at - 1, "return"))
        return false;
    return source->tokens[at - 1].kind <= TOKEN_NUMBER || token_is_one_of(source, at - 1, closes);
}

/* "!" before all that is in brackets: there is a slip that negates the whole. */
static bool negates_the_whole(const struct source *source, size_t at)
{
    size_t open = at - 1;
    return at > 0 && token_is(source, at, "!") && token_is(source, open, "(") &&
           operand_end(source, at + 1) == source->tokens[open].match;
}

static void propose_operator(struct walk *walk, size_t at)
{
    static const struct {
        const char *sign, *other;
        bool binary;
    } others[] = {
        {"==", "!=", true},  {"!=", "==", true},  {"<", "<=", true},  {"<=", "<", true},  {">", ">=", true},
        {">=", ">", true},   {"&&", "||", true},  {"||", "&&", true}, {"+", "-", true},   {"-", "+", true},
        {"|", "&", true},    {"&", "|", true},    {"^", "|", true},   {"<<", ">>", true}, {">>", "<<", true},
        {"%", "/", true},    {"+=", "-=", true},  {"-=", "+=", true}, {"|=", "&=", true}, {"&=", "|=", true},
        {"++", "--", false}, {"--", "++", false}, {"!", " ", false},  {"~", " ", false},
    };
    for (size_t i = 0; i < sizeof others / sizeof *others && !negates_the_whole(walk->source, at); i++)
        if (token_is(walk->source, at, others[i].sign) && (!others[i].binary || is_binary(walk->source, at)))
            propose_instead(walk, at, others[i].other);
    if (token_is(walk->source, at, "&&") || token_is(walk->source, at, "||"))
        propose_dropped_operands(walk, at);
    if (token_is(walk->source, at, "?"))
        propose_condition(walk, operand_begin(walk->source, at), at, false);
}

static void propose_number(struct walk *walk, size_t at)
{
    char *text = source_text(walk->source, at, at + 1), *end;
    unsigned long value = strtoul(text, &end, 0), others[] = {value + 1, value - 1, 0};
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        if ((i > 0 && value == 0) || (i == 2 && value == 1))
            continue;
        char *other = text_of("%lu%s", others[i], end);
        propose_instead(walk, at, other);
        free(other);
    }
    free(text);
}

/* What is between two signs of a list may stand in each other's place. */
static void propose_swapped_arguments(struct walk *walk, size_t open)
{
    const struct source *source = walk->source;
    size_t close = source->tokens[open].match, first = open + 1;
    for (size_t i = first; i < close; i++)
        if (token_is(source, i, ";"))
            return;
    for (size_t at = operand_end(source, first); at < close && token_is(source, at, ",");) {
        size_t end = operand_end(source, at + 1);
        char *one = source_text(source, first, at), *other = source_text(source, at + 1, end);
        char *line = line_around(source, first);
        if (strcmp(one, other) != 0)
            propose(walk, first, end, text_of("%s, %s", other, one), "`%s` and `%s` swapped in `%s`", one, other, line);
        free(one);
        free(other);
        free(line);
        first = at + 1;
        at = end;
    }
}

static bool starts_with(const struct source *source, size_t at, const char *start)
{
    return strncmp(source->text + source->tokens[at].at, start, strlen(start)) == 0;
}

static void propose_call(struct walk *walk, size_t at)
{
    static const char *const others[][2] = {
        {"atomic_fetch_add_explicit", "atomic_fetch_sub_explicit"},
        {"atomic_fetch_sub_explicit", "atomic_fetch_add_explicit"},
        {"atomic_fetch_or_explicit", "atomic_fetch_and_explicit"},
        {"atomic_fetch_and_explicit", "atomic_fetch_or_explicit"},
        {"atomic_compare_exchange_strong_explicit", "atomic_compare_exchange_weak_explicit"},
    };
    static const char *const no_calls[] = {"if", "while", "for", "switch", "sizeof", "return", "_Atomic", NULL};
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (token_is(walk->source, at, others[i][0]))
            propose_instead(walk, at, others[i][1]);
    if (!token_is_one_of(walk->source, at, no_calls) && !starts_with(walk->source, at, "atomic_") &&
        !starts_with(walk->source, at, "__atomic_"))
        propose_swapped_arguments(walk, at + 1);
}

static const struct named *find(const struct names *names, const struct source *source, size_t at, bool member)
{
    for (size_t i = 0; i < names->count; i++)
        if (!names->values[i].of == !member && token_is(source, at, names->values[i].name))
            return &names->values[i];
    return NULL;
}

static bool is_declared_here(const struct names *names, size_t at)
{
    for (size_t i = 0; i < names->count; i++)
        if (names->values[i].token == at)
            return true;
    return false;
}

/* Each name of the same type, and of the same structure. */
static void propose_others(struct walk *walk, const struct names *names, size_t at, bool member)
{
    const struct named *own = find(names, walk->source, at, member);
    for (size_t i = 0; own && i < names->count; i++) {
        const struct named *other = &names->values[i];
        if (strcmp(other->name, own->name) == 0 || strcmp(other->type, own->type) != 0 || !other->of != !own->of ||
            (own->of && strcmp(other->of, own->of) != 0))
            continue;
        propose_instead(walk, at, other->name);
    }
}

static void propose_name(struct walk *walk, size_t at)
{
    bool member = at > 0 && (token_is(walk->source, at - 1, "->") || token_is(walk->source, at - 1, "."));
    if (token_is(walk->source, at + 1, "(") && !member) {
        propose_call(walk, at);
        return;
    }
    if (is_declared_here(&walk->locals, at))
        return;
    if (!member)
        propose_others(walk, &walk->locals, at, false);
    propose_others(walk, walk->shared, at, member);
}

void propose_tokens(struct walk *walk, size_t from, size_t end)
{
    for (size_t at = from; at < end; at++) {
        switch (walk->source->tokens[at].kind) {
        case TOKEN_NAME:
            propose_name(walk, at);
            break;
        case TOKEN_NUMBER:
            propose_number(walk, at);
            break;
        case TOKEN_SIGN:
            propose_operator(walk, at);
            if (token_is(walk->source, at, "{") && at > 0 && token_is(walk->source, at - 1, ")"))
                propose_swapped_arguments(walk, at);
            break;
        default:
            break;
        }
    }
}
