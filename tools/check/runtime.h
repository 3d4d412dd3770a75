/* SPDX-License-Identifier: MIT */
/* What stands between the compiler's thread instrumentation and the engine. */
#ifndef RECIP_CHECK_RUNTIME_H
#define RECIP_CHECK_RUNTIME_H

#include <stddef.h>
#include <stdint.h>

/* A place in the code that makes an atomic access, with the order that the source asks for. */
struct site {
    const void *place;
    int order;
    char kind; /* 'l' load, 's' store, 'x' exchange or fetch-and-change, 'c' compare-and-swap, 'f' one that fails, 'b' a
                  fence */
};

/* The sites that have been run while they were noted, since that began. */
const struct site *runtime_sites(size_t *count);
void runtime_note_sites(int on);

/* A mutant: at these places the order of accesses of that kind is this one instead. None with a count of 0. */
void runtime_weaken(const void *const *places, size_t count, char kind, int order);

/* Coverage: the basic blocks that have been run since runtime_forget_blocks. */
void runtime_cover(int on);
size_t runtime_blocks(const void *const **blocks);
void runtime_forget_blocks(void);

#endif
