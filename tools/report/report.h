/* SPDX-License-Identifier: MIT */
/* recip report: results in, one page out. */
#ifndef RECIP_REPORT_REPORT_H
#define RECIP_REPORT_REPORT_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/* The results in a file, with the file's name added under "file" and without what the page does not show. Null if they
 * cannot be used, with the reason in `why`. */
json_t *document_read(const char *path, char why[256]);

/* A part of the page by its name, such as "style.css"; null if there is none. */
const char *part_find(const char *name, size_t name_length, size_t *length);

/* Writes the page that shows these documents; whether it could be written shows in the stream. */
void page_write(const json_t *documents, FILE *to);

#endif
