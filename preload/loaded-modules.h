/* SPDX-License-Identifier: MIT */
/* The program and libraries in which stacks were taken. The program may unload a library before the report is written:
 * then this is what is known of it. */
#ifndef RECIP_PRELOAD_LOADED_MODULES_H
#define RECIP_PRELOAD_LOADED_MODULES_H

#include <stdint.h>

struct loaded_module {
    uintptr_t begin, end, bias; /* in memory; of its addresses there over those in its file */
    char path[512];
};

/* By a thread that is in the function at that address. Takes no lock. */
void loaded_module_note(const void *address);
/* The last that was noted there; null if there is none. */
const struct loaded_module *loaded_module_at(const void *address);

#endif
