/* SPDX-License-Identifier: MIT */
/* A place in the code is told as its line, its function, and the lines that it was inlined at. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>

#include <cmocka.h>

#include "instrument/symbolise.h"

#define THIS_FILE "tests/instrument/symbolise.c"

enum { INNER_LINE = __LINE__ + 9, OUTER_LINE = __LINE__ + 14 };

__attribute__((noinline)) static const void *here(void)
{
    return __builtin_return_address(0);
}

__attribute__((always_inline)) static inline const void *inner(void)
{
    return here();
}

__attribute__((noinline)) static const void *outer(void)
{
    return inner();
}

static void test_lines_of_inlined_calls(void **state)
{
    (void)state;
    const struct symbol *symbol = symbol_of(outer());
    assert_non_null(symbol);
    assert_string_equal(symbol->function, "inner");
    assert_int_equal(symbol->depth, 2);
    assert_int_equal(symbol->lines[0].number, INNER_LINE);
    assert_int_equal(symbol->lines[1].number, OUTER_LINE);
    assert_string_equal(symbol->lines[1].file, THIS_FILE);
    assert_true(symbol->lines[0].ours);
    assert_string_equal(symbol->unit, THIS_FILE);
    char line[64];
    snprintf(line, sizeof line, "%s:%d", THIS_FILE, INNER_LINE);
    assert_string_equal(symbol->line, line);
    assert_string_equal(symbol_line(outer()), line);
    assert_ptr_equal(symbol_of(outer()), symbol);
}

static void test_what_is_no_code(void **state)
{
    char address[32];
    int data = 0;
    assert_null(symbol_of(NULL));
    assert_null(symbol_of(&data));
    snprintf(address, sizeof address, "%p", (void *)state);
    assert_string_equal(symbol_line(state), address);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_lines_of_inlined_calls),
        cmocka_unit_test(test_what_is_no_code),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
