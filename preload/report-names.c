/* SPDX-License-Identifier: MIT */
#include "preload/report-names.h"

#include <stdio.h>
#include <string.h>

/* A length and as many letters; null if there is none. */
static const char *read_identifier(const char *text, size_t *length)
{
    *length = 0;
    for (; *text >= '0' && *text <= '9' && *length < 1000; text++)
        *length = 10 * *length + (size_t)(*text - '0');
    return *length == 0 || strlen(text) < *length ? NULL : text;
}

/* Behind a number as an argument of a template: Li5E, Lb1E. Null for what needs more. */
static const char *skip_number(const char *text)
{
    if (text[0] != 'L' || text[1] < 'a' || text[1] > 'z')
        return NULL;
    text += 2 + (text[2] == 'n'); /* negative */
    text += strspn(text, "0123456789");
    return *text == 'E' ? text + 1 : NULL;
}

/* Behind the arguments of a template, which begin with I and end with its E. Within them names, with a length, are the
 * only ones that may have any letter; what else has an end of its own begins with one of these capitals. */
static const char *skip_arguments(const char *text)
{
    int depth = 0;
    size_t length;
    do {
        if (*text == '\0' || *text == 'X') /* an expression */
            return NULL;
        if (*text >= '0' && *text <= '9') {
            text = read_identifier(text, &length);
            text = text ? text + length : NULL;
        } else if (*text == 'L') {
            text = skip_number(text);
        } else if (*text == 'S' && text[1] >= 'a' && text[1] <= 'z') { /* St, Ss */
            text += 2;
        } else if (*text == 'S' || *text == 'T' || *text == 'A') { /* S1_, T_, A5_ */
            text += 1 + strspn(text + 1, "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ");
            text = *text == '_' ? text + 1 : NULL;
        } else {
            depth += *text == 'I' || *text == 'N' || *text == 'J' || *text == 'F' ? 1 : *text == 'E' ? -1 : 0;
            text++;
        }
    } while (text && depth > 0);
    return text;
}

/* A name, which it adds to what is there, with those arguments that it has as a template; false if there is none. */
static bool take_identifier(const char **symbol, char *name, size_t size)
{
    size_t length, written = strlen(name);
    const char *text = read_identifier(*symbol + (**symbol == 'L'), &length); /* L: static */
    if (!text)
        return false;
    bool is_anonymous = length > 12 && strncmp(text, "_GLOBAL__N", 10) == 0;
    if (!is_anonymous)
        snprintf(name + written, size - written, "%s%.*s", written ? "::" : "", (int)length, text);
    text += length;
    if (*text == 'I') {
        text = skip_arguments(text);
        written = strlen(name);
        snprintf(name + written, size - written, "<...>");
    }
    *symbol = text;
    return text;
}

/* A name alone, or N, names, E. */
static bool take_name(const char **symbol, char *name, size_t size)
{
    if (**symbol != 'N')
        return take_identifier(symbol, name, size);
    ++*symbol;
    while (**symbol != 'E')
        if (!take_identifier(symbol, name, size))
            return false;
    ++*symbol;
    return true;
}

void name_of_variable(const char *symbol, char *name, size_t size)
{
    name[0] = '\0';
    if (strncmp(symbol, "_Z", 2) == 0) {
        const char *text = symbol + 2;
        const char *local = *text == 'Z' ? strrchr(text, 'E') : NULL; /* in a function, whose name is before */
        text = local ? local + 1 : text;
        if (take_name(&text, name, size) && (*text == '\0' || *text == '_' || *text == 'B'))
            return;
    } else {
        const char *dot = strchr(symbol, '.'); /* "till.0": static in a function */
        if (dot && dot > symbol && dot[1] >= '0' && dot[1] <= '9') {
            snprintf(name, size, "%.*s", (int)(dot - symbol), symbol);
            return;
        }
    }
    snprintf(name, size, "%s", symbol);
}

bool scope_of_function(const char *symbol, char *scope, size_t size)
{
    char ignored[256] = "";
    if (strncmp(symbol, "_ZN", 3) != 0)
        return false;
    const char *begin = symbol + 3 + (symbol[3] == 'K'), *text = begin, *last = begin; /* K: const */
    while (*text != 'E') {
        last = text;
        if (*text == 'C' || *text == 'D') /* a constructor or destructor */
            text += 2;
        else if (!take_identifier(&text, ignored, sizeof ignored))
            return false;
    }
    if (last == begin || (size_t)(last - begin) >= size)
        return false;
    snprintf(scope, size, "%.*s", (int)(last - begin), begin);
    return true;
}
