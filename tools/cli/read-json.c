/* SPDX-License-Identifier: MIT */
#include "cli/read-json.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>

json_t *read_json(const char *path, char why[256])
{
    json_error_t error;
    FILE *file = fopen(path, "r");
    if (!file) {
        snprintf(why, 256, "%s", strerror(errno));
        return NULL;
    }
    errno = 0;
    json_t *document = json_loadf(file, 0, &error);
    int reason = errno;
    if (!document && ferror(file))
        snprintf(why, 256, "%s", strerror(reason));
    else if (!document && json_error_code(&error) == json_error_premature_end_of_input)
        snprintf(why, 256, "it is cut off, at line %d", error.line);
    else if (!document)
        snprintf(why, 256, "line %d: %s", error.line, error.text);
    fclose(file);
    return document;
}

bool is_count(const json_t *field)
{
    return json_is_integer(field) && json_integer_value(field) >= 1 && json_integer_value(field) <= INT_MAX;
}

bool is_amount(const json_t *field)
{
    return json_is_number(field) && json_number_value(field) >= 0;
}
