/* A program that `recip bench` starts for one measurement, because what it measures is not in `recip`: code that has to
 * run on the preload library, or libraries that not everybody has installed.
 *
 *     PROGRAM list          what it can measure, as JSON
 *     PROGRAM '{...}'       one measurement, as helper_request describes it; prints the result as JSON
 *
 * In C++ this is included in extern "C", after the standard headers. */
#ifndef RECIP_BENCH_HELPER_H
#define RECIP_BENCH_HELPER_H

#include <jansson.h>

#include "bench/measure/mutexbench.h"

/* Freed by the caller. */
char *helper_request(const char *subject, const struct mutexbench *bench);

struct helper {
    /* The lock of that name, or the operation of that name as a lock: one call of mutex_lock is all of it. */
    const struct recip_algorithm *(*find)(const char *subject);
    bool operations;            /* `find` returns operations, not locks */
    const char *(*wrong)(void); /* after the run: what was wrong, or null; may be null itself */
    json_t *(*list)(void);
    pairs_function *(*pairs)(const char *subject); /* inline, for SECTION_PAIR; null if it has none, and may be null */
};

/* The body of main. */
int helper_main(const struct helper *helper, int argc, char **argv);

#endif
