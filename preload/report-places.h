/* SPDX-License-Identifier: MIT */
/* Names of places in the program: of return addresses and of variables. */
#ifndef RECIP_PRELOAD_REPORT_PLACES_H
#define RECIP_PRELOAD_REPORT_PLACES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "preload/stack.h"

enum { PLACE_FUNCTION = 120, PLACE_SOURCE = 64, PLACE_TEXT = PLACE_FUNCTION + PLACE_SOURCE + 8 };

struct place_name {
    char function[PLACE_FUNCTION];
    char source[PLACE_SOURCE]; /* file:line, or module+0x12 */
};

/* Where a call returns to. With calls that were inlined there, there are several functions. The first is the innermost
 * that is the program's own: not of a header of the system's, nor of the C++ library. */
struct place {
    const void *address;
    bool is_resolved;
    bool is_library; /* no function there is the program's own */
    struct place_name name, outermost;
};

/* The place of that address, which is resolved by the next places_resolve. Null if there are too many. */
struct place *place_of(const void *address);
/* The same of all frames of a stack. */
void places_of_stack(const struct stack *stack);

/* By addr2line, a child process, or without: then by the symbols that the files have, and without lines. */
void places_resolve(bool use_addr2line);
/* How many there are. */
int places_count(void);
/* Forget them all. */
void places_end(void);

/* Of a resolved stack the first place that is the program's own, or else the first; null if there is none. */
const struct place *place_in_stack(const struct stack *stack);
/* By symbols alone, and so quick: the index of the first frame of the program's own, or 0. */
uint32_t stack_own_frame(const struct stack *stack);

/* "function (source)"; "unknown" for null. */
const char *place_text(const struct place *place, char text[PLACE_TEXT]);
const char *place_name_text(const struct place_name *name, char text[PLACE_TEXT]);

/* ---- report-addr2line.c ---- */

enum { ADDR2LINE_AT_ONCE = 64 };

/* Asks addr2line for places of one module. Those that it does not know stay unresolved. */
void addr2line_ask(const char *path, uintptr_t bias, struct place **places, int count);

#endif
