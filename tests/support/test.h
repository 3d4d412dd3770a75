/* SPDX-License-Identifier: MIT */
/* What the test programs share: cmocka, a test for each lock of the registry, and threads. */
#ifndef RECIP_TESTS_TEST_H
#define RECIP_TESTS_TEST_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "zoo/algorithm.h"

/* Repetitions, fewer where the configuration is slow. */
#define REPEAT(times) ((times) / TEST_SCALE > 0 ? (times) / TEST_SCALE : 1)

typedef void lock_test(const struct recip_algorithm *lock);
typedef bool lock_choice(const struct recip_algorithm *lock);

/* Runs the test once for each lock that is chosen (null: all), as a cmocka group. Arguments name locks to run it for,
 * all others are left out. The number of failures. */
int run_for_each_lock(const char *title, lock_test *test, lock_choice *choice, int argc, char **argv);

/* A lock, or a mutex, in memory of its own, ready. */
void *new_lock(const struct recip_algorithm *lock);
void free_lock(const struct recip_algorithm *lock, void *memory);

/* Runs body(argument, 0) .. body(argument, threads - 1), each in a thread, all starting together; returns when all
 * ended. */
void run_crew(unsigned threads, void (*body)(void *argument, unsigned index), void *argument);

#endif
