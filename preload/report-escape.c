/* SPDX-License-Identifier: MIT */
#include "preload/report-escape.h"

#include <stdio.h>

/* The size of the character at `text`; 0 if it is not UTF-8. */
static int utf8_size(const char *text)
{
    const unsigned char *byte = (const unsigned char *)text;
    unsigned char low = byte[0] == 0xe0 ? 0xa0 : byte[0] == 0xf0 ? 0x90 : 0x80;
    unsigned char high = byte[0] == 0xed ? 0x9f : byte[0] == 0xf4 ? 0x8f : 0xbf;
    int size = byte[0] < 0x80   ? 1
               : byte[0] < 0xc2 ? 0
               : byte[0] < 0xe0 ? 2
               : byte[0] < 0xf0 ? 3
               : byte[0] < 0xf5 ? 4
                                : 0;
    if (size > 1 && (byte[1] < low || byte[1] > high))
        return 0;
    for (int i = 2; i < size; i++)
        if ((byte[i] & 0xc0) != 0x80)
            return 0;
    return size;
}

const char *report_escape(const char *text, char escaped[ESCAPED_TEXT])
{
    enum { LONGEST = sizeof "\\u001f" };
    int length = 0;
    for (int size; *text && length < ESCAPED_TEXT - LONGEST; text += size ? size : 1) {
        char *to = escaped + length;
        size = utf8_size(text);
        if (size == 0)
            length += snprintf(to, LONGEST, "\\ufffd");
        else if (*text == '"' || *text == '\\')
            length += snprintf(to, LONGEST, "\\%c", *text);
        else if (size == 1 && *text < ' ')
            length += snprintf(to, LONGEST, "\\u%04x", (unsigned)*text);
        else
            length += snprintf(to, LONGEST, "%.*s", size, text);
    }
    escaped[length] = '\0';
    return escaped;
}
