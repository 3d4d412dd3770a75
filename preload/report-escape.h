/* SPDX-License-Identifier: MIT */
/* Text in JSON. */
#ifndef RECIP_PRELOAD_REPORT_ESCAPE_H
#define RECIP_PRELOAD_REPORT_ESCAPE_H

enum { ESCAPED_TEXT = 1000 };

/* What stands between the quotes; the end of a text that is too long is left out. Bytes that are not UTF-8 become the
 * replacement character. Returns `escaped`. */
const char *report_escape(const char *text, char escaped[ESCAPED_TEXT]);

#endif
