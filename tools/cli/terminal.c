/* SPDX-License-Identifier: MIT */
#include "cli/terminal.h"

#include <stdarg.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

enum { NARROWEST = 40, USUAL = 80, LEAST_ROOM = 20 };

static unsigned width_of_output(void)
{
    const char *columns = getenv("COLUMNS");
    struct winsize size;
    char *end;
    long asked = columns ? strtol(columns, &end, 10) : 0;
    if (asked > 0 && !*end)
        return asked < UNLIMITED ? (unsigned)asked : UNLIMITED;
    if (!isatty(STDOUT_FILENO))
        return UNLIMITED;
    return ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col ? size.ws_col : USUAL;
}

unsigned terminal_width(void)
{
    unsigned width = width_of_output();
    return width < NARROWEST ? NARROWEST : width;
}

static bool has_colours(FILE *to)
{
    const char *refused = getenv("NO_COLOR"), *kind = getenv("TERM");
    return isatty(fileno(to)) && !(refused && *refused) && kind && *kind && strcmp(kind, "dumb") != 0;
}

const char *terminal_style(FILE *to, enum style style)
{
    static const char *const codes[] = {[STYLE_PLAIN] = "\033[0m", [STYLE_BOLD] = "\033[1m", [STYLE_RED] = "\033[31m"};
    return has_colours(to) ? codes[style] : "";
}

/* How many columns UTF-8 text takes: characters, of which none is wide here. */
static size_t columns_of(const char *text, size_t size)
{
    size_t columns = 0;
    for (size_t i = 0; i < size; i++)
        columns += ((unsigned char)text[i] & 0xc0) != 0x80;
    return columns;
}

/* Where the line ends: at the last space that leaves it narrow enough, or else at the first one after. */
static size_t end_of_line(const char *text, size_t first, unsigned room)
{
    size_t end = strcspn(text, "\n"), last = 0;
    if (columns_of(text, end) <= room)
        return end;
    for (size_t i = first; i < end; i++) {
        if (text[i] != ' ')
            continue;
        if (last && columns_of(text, i) > room)
            break;
        last = i;
    }
    return last ? last : end;
}

void print_folded(FILE *to, unsigned indent, const char *format, ...)
{
    char *text;
    va_list arguments;
    va_start(arguments, format);
    int size = vasprintf(&text, format, arguments);
    va_end(arguments);
    if (size < 0)
        return;
    unsigned width = terminal_width(), margin = 0;
    if (indent + LEAST_ROOM > width)
        indent = width / 4;
    for (const char *rest = text; *rest;) {
        size_t first = margin ? 0 : strspn(rest, " "), end = end_of_line(rest, first, width - margin);
        size_t shown = end;
        while (rest[end] == ' ' && shown > 0 && rest[shown - 1] == ' ')
            shown--;
        fprintf(to, "%*s%.*s", (int)margin, "", (int)shown, rest);
        rest += end;
        if (*rest)
            fputc('\n', to);
        margin = *rest == ' ' ? indent : 0;
        rest += *rest != '\0';
        while (margin && *rest == ' ')
            rest++;
    }
    free(text);
}
