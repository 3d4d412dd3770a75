/* SPDX-License-Identifier: MIT */
#include "tests/support/test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static lock_test *current_test;

static void run_one(void **state)
{
    current_test(*state);
}

static bool is_named(const char *id, int argc, char **argv)
{
    for (int i = 1; i < argc; i++)
        if (strcmp(argv[i], id) == 0)
            return true;
    return argc < 2;
}

int run_for_each_lock(const char *title, lock_test *test, lock_choice *choice, int argc, char **argv)
{
    struct CMUnitTest *tests = calloc(recip_algorithm_count, sizeof *tests);
    size_t count = 0;
    current_test = test;
    for (size_t i = 0; i < recip_algorithm_count; i++) {
        const struct recip_algorithm *lock = recip_algorithms[i];
        if (is_named(lock->id, argc, argv) && (!choice || choice(lock)))
            tests[count++] = (struct CMUnitTest){.name = lock->id, .test_func = run_one, .initial_state = (void *)lock};
    }
    int failures = _cmocka_run_group_tests(title, tests, count, NULL, NULL);
    free(tests);
    return failures;
}

void *new_lock(const struct recip_algorithm *lock)
{
    void *memory = aligned_alloc(lock->alignment, lock->mutex_size);
    assert_non_null(memory);
    memset(memory, 0, lock->mutex_size);
    if (lock->traits & RECIP_NEEDS_INIT)
        lock->init(memory);
    return memory;
}

void free_lock(const struct recip_algorithm *lock, void *memory)
{
    lock->destroy(memory);
    free(memory);
}
