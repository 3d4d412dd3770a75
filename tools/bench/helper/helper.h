/* SPDX-License-Identifier: MIT */
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
#include "bench/measure/waiting.h"

/* Freed by the caller. */
char *helper_request(const char *subject, const struct mutexbench *bench);
/* `cond`: with the condition variable of that name. */
char *helper_waiting_request(const char *subject, bool cond, const struct waiting *waiting);

struct helper {
    /* The lock of that name, or the operation of that name as a lock: one call of mutex_lock is all of it. */
    const struct recip_algorithm *(*find)(const char *subject);
    bool operations;            /* `find` returns operations, not locks */
    const char *(*wrong)(void); /* after the run: what was wrong, or null; may be null itself */
    json_t *(*list)(void);
    pairs_function *(*pairs)(const char *subject); /* inline, for SECTION_PAIR; null if it has none, and may be null */
    const struct monitor *(*monitor)(const char *subject); /* likewise, with a condition variable */
};

/* Whether the request is one of waiting; and the answer to it, as the status of the program. */
bool helper_is_waiting(const json_t *request);
int helper_measure_waiting(const struct helper *helper, const json_t *request);

/* The result as the program's output; a line that says what went wrong. Both return the status of the program. */
int helper_print(json_t *said);
int helper_fail(const char *subject, const char *why);

/* The body of main. */
int helper_main(const struct helper *helper, int argc, char **argv);

#endif
