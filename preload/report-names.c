/* SPDX-License-Identifier: MIT */
#include "preload/report-names.h"

#include <stdio.h>
#include <string.h>

/* A length and as many letters, which it adds to the name; false if there is none. */
static bool take_identifier(const char **symbol, char *name, size_t size)
{
    size_t length = 0, written = strlen(name);
    const char *text = *symbol + (**symbol == 'L'); /* L: static */
    for (; *text >= '0' && *text <= '9' && length < 1000; text++)
        length = 10 * length + (size_t)(*text - '0');
    if (length == 0 || strlen(text) < length)
        return false;
    bool is_anonymous = length > 12 && strncmp(text, "_GLOBAL__N", 10) == 0;
    if (!is_anonymous)
        snprintf(name + written, size - written, "%s%.*s", written ? "::" : "", (int)length, text);
    *symbol = text + length;
    return true;
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
