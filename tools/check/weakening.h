/* SPDX-License-Identifier: MIT */
/* Weakened orders: each ordered access of a lock, made weaker by one step at run time. */
#ifndef RECIP_CHECK_WEAKENING_H
#define RECIP_CHECK_WEAKENING_H

#include <stddef.h>

#include "check/runtime.h"
#include "zoo/algorithm.h"

/* One access of the source: all the places that it was compiled to. */
struct ordered_access {
    const char *line, *function;
    int order;
    char kind; /* runtime.h */
    const void **places;
    size_t place_count;
};

struct weakening {
    const struct ordered_access *access;
    int to;
    char text[160];       /* "zoo/clh.h:62 clh_acquire, acquire -> relaxed" */
    const char *harmless; /* the reason, if nothing comes of it; otherwise null */
};

struct weakenings {
    struct weakening *values;
    size_t count;
    struct ordered_access *accesses;
    size_t access_count;
};

/* Of the places that a lock has run those that are in its source, sorted by line. */
struct weakenings weakenings_find(const struct recip_algorithm *lock, const struct site *sites, size_t count);
void weakenings_free(struct weakenings *weakenings);

/* From here on, in this process. */
void weakening_apply(const struct weakening *weakening);

/* A weakening after which everything still holds, and why: harmless-weakenings.c. */
struct harmless_weakening {
    const char *lock;
    const char *function; /* where the access is */
    char kind;            /* of the access: runtime.h */
    int from, to;         /* __ATOMIC_ constants */
    const char *reason;
};

extern const struct harmless_weakening harmless_weakenings[];
extern const size_t harmless_weakening_count;

#endif
