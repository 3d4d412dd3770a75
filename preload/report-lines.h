/* SPDX-License-Identifier: MIT */
/* Lines of text about places, for reports. */
#ifndef RECIP_PRELOAD_REPORT_LINES_H
#define RECIP_PRELOAD_REPORT_LINES_H

#include "preload/report-places.h"

enum { REPORT_COLUMNS = 80 };

/* A line that begins with `label`. Where it is too long, the end of the function's name is left out. */
void report_print_place(int file, const char *label, const struct place *place);
/* At most so many calls, those of the program's own, one in a line, the innermost first. */
void report_print_stack(int file, const char *first, const char *others, const struct stack *stack, int max);

#endif
