/* SPDX-License-Identifier: MIT */
/* Reading results files. */
#ifndef RECIP_CLI_READ_JSON_H
#define RECIP_CLI_READ_JSON_H

#include <jansson.h>
#include <stdbool.h>

/* The file as JSON; null, with the reason in `why`, if it cannot be read or is not JSON. */
json_t *read_json(const char *path, char why[256]);

/* An integer from 1 on, such as a number of threads. */
bool is_count(const json_t *field);

/* A number that is not negative, as everything that is measured. */
bool is_amount(const json_t *field);

#endif
