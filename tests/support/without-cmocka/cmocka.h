/* SPDX-License-Identifier: MIT */
/* As much of cmocka as the tests of the locks and the mutex use, for systems that have no package of it
 * (-DRECIP_TEST_CMOCKA=OFF). A test that fails ends the program. */
#ifndef RECIP_TESTS_WITHOUT_CMOCKA_H
#define RECIP_TESTS_WITHOUT_CMOCKA_H

#include <setjmp.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct CMUnitTest {
    const char *name;
    void (*test_func)(void **state);
    void *initial_state;
};

#define cmocka_unit_test(function)                                                                                     \
    {                                                                                                                  \
        .name = #function, .test_func = (function)                                                                     \
    }

/* One for all parts of the program. */
__attribute__((weak)) jmp_buf test_skipped;

__attribute__((noinline, unused)) static void run_unless_skipped(const struct CMUnitTest *test)
{
    void *state = test->initial_state;
    if (setjmp(test_skipped) == 0)
        test->test_func(&state);
    else
        puts("skipped");
}

typedef int test_fixture(void **state);

static inline int _cmocka_run_group_tests(const char *group, const struct CMUnitTest *tests, size_t count,
                                          test_fixture *before, test_fixture *after)
{
    void *state = NULL;
    if (before && before(&state) != 0)
        return 1;
    for (size_t i = 0; i < count; i++) {
        printf("%s: %s\n", group, tests[i].name);
        fflush(stdout);
        run_unless_skipped(&tests[i]);
    }
    printf("%s: %zu test(s) passed\n", group, count);
    return after ? after(&state) : 0;
}

#define cmocka_run_group_tests(tests, before, after) cmocka_run_group_tests_name(#tests, tests, before, after)
#define cmocka_run_group_tests_name(name, tests, before, after)                                                        \
    _cmocka_run_group_tests(name, tests, sizeof(tests) / sizeof *(tests), before, after)

#define skip() longjmp(test_skipped, 1)
#define fail_msg(...)                                                                                                  \
    do {                                                                                                               \
        fprintf(stderr, "%s:%d: ", __FILE__, __LINE__);                                                                \
        fprintf(stderr, __VA_ARGS__);                                                                                  \
        fputc('\n', stderr);                                                                                           \
        abort();                                                                                                       \
    } while (0)
#define assert_true(condition)                                                                                         \
    do {                                                                                                               \
        if (!(condition))                                                                                              \
            fail_msg("%s does not hold", #condition);                                                                  \
    } while (0)
#define assert_false(condition) assert_true(!(condition))
#define assert_null(pointer) assert_true(!(pointer))
#define assert_non_null(pointer) assert_true(pointer)
#define assert_ptr_equal(a, b) assert_true((const void *)(a) == (const void *)(b))
#define assert_ptr_not_equal(a, b) assert_true((const void *)(a) != (const void *)(b))
#define assert_int_equal(a, b)                                                                                         \
    do {                                                                                                               \
        long long left_value = (long long)(a), right_value = (long long)(b);                                           \
        if (left_value != right_value)                                                                                 \
            fail_msg("%s is %lld, not %lld", #a, left_value, right_value);                                             \
    } while (0)
#define assert_in_range(value, least, most)                                                                            \
    assert_true((uintmax_t)(value) >= (uintmax_t)(least) && (uintmax_t)(value) <= (uintmax_t)(most))
#define assert_string_equal(a, b) assert_true(strcmp(a, b) == 0)
#define assert_memory_equal(a, b, size) assert_true(memcmp(a, b, size) == 0)

#endif
