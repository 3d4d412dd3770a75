/* SPDX-License-Identifier: MIT */
#include "check/slips/names.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/command.h"

static void add(struct names *names, struct named named)
{
    names->values = need_memory(realloc(names->values, (names->count + 1) * sizeof *names->values));
    names->values[names->count++] = named;
}

void names_add_constant(struct names *names, const char *name, const char *type)
{
    add(names, (struct named){need_memory(strdup(name)), need_memory(strdup(type)), NULL, (size_t)-1});
}

void names_free(struct names *names)
{
    for (size_t i = 0; i < names->count; i++) {
        free(names->values[i].name);
        free(names->values[i].type);
        free(names->values[i].of);
    }
    free(names->values);
}

static bool is_name(const struct source *source, size_t token)
{
    return token < source->count && source->tokens[token].kind == TOKEN_NAME;
}

/* What a declaration may begin with and that makes no other type. */
static bool is_qualifier(const struct source *source, size_t token)
{
    static const char *const words[] = {"const",  "static",   "inline",        "volatile",
                                        "extern", "register", "_Thread_local", NULL};
    return token_is_one_of(source, token, words);
}

static bool is_type_word(const struct source *source, size_t token)
{
    static const char *const words[] = {"void",     "bool",      "char",    "int",     "unsigned", "signed",
                                        "long",     "short",     "float",   "double",  "size_t",   "int8_t",
                                        "uint8_t",  "int16_t",   "int32_t", "int64_t", "uint16_t", "uint32_t",
                                        "uint64_t", "uintptr_t", NULL};
    return token_is_one_of(source, token, words);
}

/* A name that is a type because of what follows: another name, or stars and a name that is declared. */
static bool is_type_by_place(const struct source *source, size_t token, size_t end)
{
    static const char *const after[] = {"=", ";", ",", ")", "[", NULL};
    static const char *const no_types[] = {"return", "goto", "else", "case", "sizeof", "do", "break", "continue", NULL};
    size_t next = token + 1;
    if (!is_name(source, token) || token_is_one_of(source, token, no_types))
        return false;
    if (is_name(source, next) && next < end)
        return true;
    while (token_is(source, next, "*"))
        next++;
    return next > token + 1 && next < end && is_name(source, next) &&
           (next + 1 == end || token_is_one_of(source, next + 1, after));
}

static void append_word(char **text, const struct source *source, size_t from, size_t end)
{
    char *word = source_words(source, from, end, 200), *longer;
    if (asprintf(&longer, "%s%s ", *text ? *text : "", word) < 0)
        need_memory(NULL);
    free(*text);
    free(word);
    *text = longer;
}

/* The type before the first name that is declared; the token behind it. */
static size_t read_type(const struct source *source, size_t at, size_t end, char **type)
{
    static const char *const tags[] = {"struct", "union", "enum", NULL};
    static const char *const attributes[] = {"alignas", "_Alignas", "__attribute__", NULL};
    while (at < end) {
        size_t first = at;
        if (is_qualifier(source, at)) {
            at++;
            continue;
        }
        if (token_is_one_of(source, at, attributes) && token_is(source, at + 1, "(")) {
            at = source->tokens[at + 1].match + 1;
            continue;
        }
        if (token_is_one_of(source, at, tags) && is_name(source, at + 1))
            at += 2;
        else if (token_is(source, at, "_Atomic") && token_is(source, at + 1, "("))
            at = source->tokens[at + 1].match + 1;
        else if (is_type_word(source, at) || (!*type && is_type_by_place(source, at, end)))
            at++;
        else
            break;
        append_word(type, source, first, at);
    }
    return at;
}

/* Behind the initial value or whatever follows a name: the comma, or the end. */
static size_t skip_value(const struct source *source, size_t at, size_t end)
{
    while (at < end && !token_is(source, at, ","))
        at = source->tokens[at].match > at ? source->tokens[at].match + 1 : at + 1;
    return at;
}

bool names_declare(struct names *names, const struct source *source, size_t from, size_t end, const char *of)
{
    char *base = NULL;
    size_t at = read_type(source, from, end, &base);
    bool declares = false;
    while (base && at < end) {
        struct named named = {.of = of ? need_memory(strdup(of)) : NULL};
        named.type = need_memory(strdup(base));
        for (; token_is(source, at, "*") || is_qualifier(source, at); at++)
            if (token_is(source, at, "*"))
                append_word(&named.type, source, at, at + 1);
        if (!is_name(source, at) || at >= end) {
            free(named.type);
            free(named.of);
            break;
        }
        named.token = at;
        named.name = source_words(source, at, at + 1, source->tokens[at].length);
        if (token_is(source, at + 1, "["))
            append_word(&named.type, source, at + 1, at + 2);
        add(names, named);
        declares = true;
        at = skip_value(source, at + 1, end) + 1;
    }
    free(base);
    return declares;
}
