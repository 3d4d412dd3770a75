/* SPDX-License-Identifier: MIT */
/* What is in a file: functions, structures, enumerations and macros. */
#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check/slips/slips.h"
#include "check/slips/walk.h"
#include "cli/command.h"

char *source_text(const struct source *source, size_t from, size_t end)
{
    const struct token *last = &source->tokens[end - 1];
    size_t at = source->tokens[from].at;
    return from < end ? need_memory(strndup(source->text + at, last->at + last->length - at)) : need_memory(strdup(""));
}

static char *text_of_list(const char *format, va_list arguments)
{
    char *text;
    if (vasprintf(&text, format, arguments) < 0)
        need_memory(NULL);
    return text;
}

char *text_of(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    char *text = text_of_list(format, arguments);
    va_end(arguments);
    return text;
}

static bool is_taken(const struct slips *slips, const char *file, const char *text)
{
    for (size_t i = 0; i < slips->count; i++)
        if (strcmp(slips->values[i].text, text) == 0 && strcmp(slips->values[i].file, file) == 0)
            return true;
    return false;
}

/* The text, with a number behind it if another slip of the file reads the same. Frees what it is given. */
static char *make_different(const struct slips *slips, const char *file, char *text)
{
    char *different = text;
    for (unsigned number = 2; is_taken(slips, file, different); number++) {
        if (different != text)
            free(different);
        different = text_of("%s #%u", text, number);
    }
    if (different != text)
        free(text);
    return different;
}

void propose(struct walk *walk, size_t from, size_t end, char *with, const char *format, ...)
{
    const struct token *first = &walk->source->tokens[from], *last = &walk->source->tokens[end - 1];
    struct slips *slips = walk->slips;
    va_list arguments;
    va_start(arguments, format);
    char *edit = text_of_list(format, arguments), *text = text_of("%s: %s", walk->function, edit);
    va_end(arguments);
    free(edit);
    for (char *c = text; *c; c++)
        if (*c == '\n')
            *c = ' ';
    if (slips->count % 64 == 0)
        slips->values = need_memory(realloc(slips->values, (slips->count + 64) * sizeof *slips->values));
    text = make_different(slips, walk->source->file, text);
    slips->values[slips->count++] = (struct slip){
        .file = need_memory(strdup(walk->source->file)),
        .line = first->line,
        .text = text,
        .at = first->at,
        .length = last->at + last->length - first->at,
        .with = with,
    };
}

/* The name of the function whose body that brace opens, as a token; 0: it opens something else. */
static size_t function_at(const struct source *source, size_t brace)
{
    if (brace == 0 || !token_is(source, brace - 1, ")"))
        return 0;
    size_t open = source->tokens[brace - 1].match;
    return open > 0 && open < brace && source->tokens[open - 1].kind == TOKEN_NAME ? open - 1 : 0;
}

static bool returns_bool(const struct source *source, size_t name)
{
    static const char *const ends[] = {";", "}", ")", NULL};
    for (size_t at = name; at-- > 0 && !token_is_one_of(source, at, ends);)
        if (token_is(source, at, "bool"))
            return true;
    return false;
}

/* The parts of a list between brackets, each to names_declare. */
static void declare_list(struct names *names, const struct source *source, size_t open, const char *sign,
                         const char *of)
{
    size_t close = source->tokens[open].match, from = open + 1;
    for (size_t at = from; at <= close && from < close; at++) {
        if (at == close || token_is(source, at, sign)) {
            names_declare(names, source, from, at, of);
            from = at + 1;
        } else if (source->tokens[at].match > at) {
            at = source->tokens[at].match;
        }
    }
}

static void add_enumeration(struct names *names, const struct source *source, size_t open)
{
    char *type = text_of("enum %s %zu", source->file, open);
    for (size_t at = open + 1; at < source->tokens[open].match; at++) {
        static const char *const before[] = {"{", ",", NULL};
        if (source->tokens[at].kind == TOKEN_NAME && token_is_one_of(source, at - 1, before)) {
            char *name = source_text(source, at, at + 1);
            names_add_constant(names, name, type);
            free(name);
        }
    }
    free(type);
}

/* Calls for each pair of braces at file level: of a function, a structure, an enumeration. */
static void each_braces(const struct source *source, void (*call)(const struct source *source, size_t open, void *to),
                        void *to)
{
    for (size_t at = 0; at < source->count; at++)
        if (token_is(source, at, "{") && source->tokens[at].match > at) {
            call(source, at, to);
            at = source->tokens[at].match;
        }
}

static void add_shared(const struct source *source, size_t open, void *to)
{
    if (open < 1)
        return;
    if (token_is(source, open - 1, "enum") || (open > 1 && token_is(source, open - 2, "enum"))) {
        add_enumeration(to, source, open);
    } else if (open > 1 && token_is(source, open - 2, "struct")) {
        char *tag = source_text(source, open - 1, open);
        declare_list(to, source, open, ";", tag);
        free(tag);
    }
}

/* Macros for pointers, and null, in one group; the words for truth in another. */
static void add_macros(struct names *names, const struct source *source)
{
    for (const char *at = source->text; (at = strstr(at, "#define ")) != NULL;) {
        at += strlen("#define ");
        size_t length = strcspn(at, " (\n");
        const char *end = at + strcspn(at, "\n");
        const char *stars = strstr(at, " *)");
        if (at[length] == ' ' && isupper((unsigned char)*at) && stars && stars < end) {
            char *name = need_memory(strndup(at, length));
            names_add_constant(names, name, "pointer");
            free(name);
        }
    }
}

struct pass {
    struct slips *slips;
    const struct names *shared;
};

static void propose_function(const struct pass *pass, const struct source *source, size_t open, size_t name)
{
    char *function = source_text(source, name, name + 1);
    struct walk walk = {
        .source = source,
        .shared = pass->shared,
        .slips = pass->slips,
        .function = function,
        .body = open,
        .end = source->tokens[open].match,
        .answers = returns_bool(source, name),
    };
    declare_list(&walk.locals, source, name + 1, ",", NULL);
    propose_statements(&walk);
    propose_tokens(&walk, open + 1, walk.end);
    names_free(&walk.locals);
    free(function);
}

/* Numbers outside functions: tokens from..end-1. */
static void propose_values(const struct pass *pass, const struct source *source, size_t from, size_t end)
{
    struct walk walk = {.source = source, .shared = pass->shared, .slips = pass->slips, .function = "value"};
    for (size_t at = from; at < end; at++)
        if (source->tokens[at].kind == TOKEN_NUMBER)
            propose_tokens(&walk, at, at + 1);
}

static void propose_braces(const struct source *source, size_t open, void *to)
{
    size_t name = function_at(source, open);
    if (name)
        propose_function(to, source, open, name);
    else if (open > 1 && (token_is(source, open - 1, "enum") || token_is(source, open - 2, "enum")))
        propose_values(to, source, open, source->tokens[open].match);
}

static void propose_file(const struct pass *pass, const struct source *source)
{
    each_braces(source, propose_braces, (void *)pass);
    for (size_t at = 0; at < source->count; at++)
        if (source->tokens[at].of_value)
            propose_values(pass, source, at, at + 1);
}

struct slips slips_of(const char *const *files, size_t count)
{
    struct slips slips = {0};
    struct names shared = {0};
    struct source *sources = need_memory(calloc(count + 1, sizeof *sources));
    names_add_constant(&shared, "NULL", "pointer");
    names_add_constant(&shared, "true", "truth");
    names_add_constant(&shared, "false", "truth");
    for (size_t i = 0; i < count; i++) {
        sources[i] = source_read(files[i]);
        each_braces(&sources[i], add_shared, &shared);
        add_macros(&shared, &sources[i]);
    }
    for (size_t i = 0; i < count; i++) {
        propose_file(&(struct pass){&slips, &shared}, &sources[i]);
        source_free(&sources[i]);
    }
    free(sources);
    names_free(&shared);
    return slips;
}

void slips_free(struct slips *slips)
{
    for (size_t i = 0; i < slips->count; i++) {
        free(slips->values[i].file);
        free(slips->values[i].text);
        free(slips->values[i].with);
    }
    free(slips->values);
}

bool slip_apply(const struct slip *slip, const char *copy)
{
    struct source source = source_read(slip->file);
    FILE *stream = fopen(copy, "w");
    if (stream) {
        fwrite(source.text, 1, slip->at, stream);
        fputs(slip->with, stream);
        fwrite(source.text + slip->at + slip->length, 1, source.size - slip->at - slip->length, stream);
    }
    source_free(&source);
    return stream && fclose(stream) == 0;
}
