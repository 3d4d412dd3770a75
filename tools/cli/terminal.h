/* SPDX-License-Identifier: MIT */
/* What the output goes to: how wide it is, and whether it shows colours. */
#ifndef RECIP_CLI_TERMINAL_H
#define RECIP_CLI_TERMINAL_H

#include <stdio.h>

/* The columns of standard output: what COLUMNS says, or what the terminal does; UNLIMITED for a file or a pipe, which
 * gets the whole table. */
enum { UNLIMITED = 1 << 20 };
unsigned terminal_width(void);

enum style { STYLE_PLAIN, STYLE_BOLD, STYLE_RED };

/* What switches to the style; "" unless it goes to a terminal that has colours and NO_COLOR is unset or empty. */
const char *terminal_style(FILE *to, enum style style);

/* Prints, with a line break in place of a space where a line would be wider than standard output; what follows is
 * indented by so many columns. */
void print_folded(FILE *to, unsigned indent, const char *format, ...) __attribute__((format(printf, 3, 4)));

#endif
