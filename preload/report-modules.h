/* SPDX-License-Identifier: MIT */
/* The files that the program is made of, and the symbols in them. Without stdio and malloc: for signal handlers. */
#ifndef RECIP_PRELOAD_REPORT_MODULES_H
#define RECIP_PRELOAD_REPORT_MODULES_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A program or library. */
struct module {
    uintptr_t bias;      /* of its addresses in memory over those in its file */
    char path[PATH_MAX]; /* to open it by */
    const char *name;    /* without folders */
    const unsigned char *file;
    size_t size; /* of the file, which is mapped from the first question for its symbols on */
    enum { LINES_UNKNOWN, LINES_NONE, LINES_MAYBE } lines; /* from the first question for them on */
};

/* Names are as in the symbol table: not demangled. */
struct symbol {
    const char *name;
    const void *start;
    size_t size;
};

/* The module at that address; null if there is none, or too many. */
const struct module *module_of(const void *address);

/* The function or variable at that address. The name is valid until modules_end. */
bool module_function(const void *address, struct symbol *symbol);
bool module_variable(const void *address, struct symbol *symbol);

/* Whether addr2line may know more than the functions that the module exports: it takes some milliseconds to say no. */
bool module_has_lines(const struct module *module);

/* Whether this C++ scope, mangled, is a class in the module at that address: it has a constructor, a destructor or type
 * information. */
bool module_has_class(const void *address, const char *scope);

/* Unmaps the files. */
void modules_end(void);

#endif
