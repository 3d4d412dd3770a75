/* SPDX-License-Identifier: MIT */
#include "check/slips/tokens.h"

#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/command.h"

struct scanner {
    struct source *source;
    size_t at;
    unsigned line;
    bool at_line_start;
    size_t macro_end; /* of the body that is being read; 0: none */
    size_t brackets[64], depth;
};

static bool is_name_character(char c)
{
    return isalnum((unsigned char)c) || c == '_';
}

static const char *here(const struct scanner *scanner)
{
    return scanner->source->text + scanner->at;
}

static void go_to(struct scanner *scanner, size_t at)
{
    for (; scanner->at < at; scanner->at++)
        scanner->line += scanner->source->text[scanner->at] == '\n';
}

/* The end of a line, with those that a backslash joins to it. */
static size_t line_end(const struct scanner *scanner)
{
    const char *end = here(scanner);
    do
        end = strchr(end + 1, '\n');
    while (end && end[-1] == '\\');
    return end ? (size_t)(end - scanner->source->text) : scanner->source->size;
}

/* At a directive: to its end, or to the body of the macro that it defines. */
static void skip_directive(struct scanner *scanner)
{
    size_t end = line_end(scanner);
    const char *text = here(scanner) + 1;
    text += strspn(text, " ");
    if (strncmp(text, "define ", 7) != 0) {
        go_to(scanner, end);
        return;
    }
    text += 7;
    while (is_name_character(*text))
        text++;
    bool has_parameters = *text == '(';
    if (has_parameters)
        text = strchr(text, ')') + 1;
    go_to(scanner, (size_t)(text - scanner->source->text));
    scanner->macro_end = has_parameters ? 0 : end;
}

static size_t length_of_comment(const char *text)
{
    const char *end = NULL;
    if (strncmp(text, "/*", 2) == 0)
        end = strstr(text + 2, "*/") + 2;
    else if (strncmp(text, "//", 2) == 0)
        end = text + strcspn(text, "\n");
    return end ? (size_t)(end - text) : 0;
}

static size_t length_of_text(const char *text)
{
    size_t length = 1;
    while (text[length] && text[length] != *text)
        length += text[length] == '\\' ? 2 : 1;
    return length + 1;
}

/* A name, with those that ## joins to it. */
static size_t length_of_name(const char *text)
{
    size_t length = 0;
    while (is_name_character(text[length]) || (strncmp(text + length, "##", 2) == 0 && length))
        length += text[length] == '#' ? 2 : 1;
    return length;
}

static size_t length_of_sign(const char *text)
{
    static const char *const long_signs[] = {"<<=", ">>=", "...", "->", "++", "--", "<<", ">>", "<=", ">=", "==", "!=",
                                             "&&",  "||",  "+=",  "-=", "*=", "/=", "%=", "&=", "|=", "^=", "##"};
    for (size_t i = 0; i < sizeof long_signs / sizeof *long_signs; i++)
        if (strncmp(text, long_signs[i], strlen(long_signs[i])) == 0)
            return strlen(long_signs[i]);
    return 1;
}

static void note_bracket(struct scanner *scanner, size_t token, char c)
{
    struct token *tokens = scanner->source->tokens;
    enum { DEPTH_MAX = sizeof scanner->brackets / sizeof *scanner->brackets };
    if (strchr("([{", c) && scanner->depth < DEPTH_MAX) {
        scanner->brackets[scanner->depth++] = token;
    } else if (strchr(")]}", c) && scanner->depth) {
        tokens[token].match = scanner->brackets[--scanner->depth];
        tokens[tokens[token].match].match = token;
    }
}

static void add_token(struct scanner *scanner, enum token_kind kind, size_t length)
{
    struct source *source = scanner->source;
    if (source->count % 256 == 0)
        source->tokens = need_memory(realloc(source->tokens, (source->count + 256) * sizeof *source->tokens));
    source->tokens[source->count] =
        (struct token){kind, scanner->line, scanner->at < scanner->macro_end, scanner->at, length, source->count};
    if (kind == TOKEN_SIGN)
        note_bracket(scanner, source->count, *here(scanner));
    source->count++;
    go_to(scanner, scanner->at + length);
}

static void scan_token(struct scanner *scanner)
{
    const char *text = here(scanner);
    size_t comment = length_of_comment(text);
    if (*text == '\n')
        scanner->at_line_start = true;
    if (comment || isspace((unsigned char)*text) || (*text == '\\' && text[1] == '\n')) {
        go_to(scanner, scanner->at + (comment ? comment : *text == '\\' ? 2 : 1));
        return;
    }
    bool is_directive = *text == '#' && scanner->at_line_start;
    scanner->at_line_start = false;
    if (is_directive)
        skip_directive(scanner);
    else if (isdigit((unsigned char)*text))
        add_token(scanner, TOKEN_NUMBER, length_of_name(text));
    else if (is_name_character(*text))
        add_token(scanner, TOKEN_NAME, length_of_name(text));
    else if (*text == '"' || *text == '\'')
        add_token(scanner, TOKEN_TEXT, length_of_text(text));
    else
        add_token(scanner, TOKEN_SIGN, length_of_sign(text));
}

static char *read_text(const char *file, size_t *size)
{
    char *path;
    if (asprintf(&path, "%s/%s", RECIP_SOURCE_TREE, file) < 0)
        need_memory(NULL);
    FILE *stream = fopen(path, "r");
    if (!stream)
        refuse("cannot read '%s': %s", path, strerror(errno));
    char *text = NULL;
    size_t room = 0;
    ssize_t length = getdelim(&text, &room, '\0', stream);
    fclose(stream);
    free(path);
    *size = length > 0 ? (size_t)length : 0;
    return length > 0 ? text : need_memory(calloc(1, 1));
}

struct source source_read(const char *file)
{
    struct source source = {.file = need_memory(strdup(file))};
    source.text = read_text(file, &source.size);
    struct scanner scanner = {.source = &source, .line = 1, .at_line_start = true};
    while (scanner.at < source.size)
        scan_token(&scanner);
    return source;
}

void source_free(struct source *source)
{
    free(source->file);
    free(source->text);
    free(source->tokens);
}

bool token_is(const struct source *source, size_t token, const char *text)
{
    return token < source->count && source->tokens[token].length == strlen(text) &&
           strncmp(source->text + source->tokens[token].at, text, strlen(text)) == 0;
}

bool token_is_one_of(const struct source *source, size_t token, const char *const *texts)
{
    for (; *texts; texts++)
        if (token_is(source, token, *texts))
            return true;
    return false;
}

/* One line: blanks, comments and the backslashes of a macro become one space. */
char *source_words(const struct source *source, size_t from, size_t end, size_t most)
{
    char *words = need_memory(calloc(1, most + 8));
    size_t length = 0, before = from < end ? source->tokens[from].at : 0;
    for (size_t i = from; i < end; i++) {
        const struct token *token = &source->tokens[i];
        bool apart = token->at > before;
        if (length + apart + token->length > most) {
            memcpy(words + length, " ...", 5);
            break;
        }
        if (apart)
            words[length++] = ' ';
        memcpy(words + length, source->text + token->at, token->length);
        length += token->length;
        before = token->at + token->length;
    }
    return words;
}
