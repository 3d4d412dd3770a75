/* SPDX-License-Identifier: MIT */
/* Coroutines go on where they were left, with their registers and their stacks. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "instrument/coroutine.h"

enum { COROUTINES = 4, STACK_SIZE = 1 << 16, ROUNDS = 1000 };

static struct coroutine outside, coroutines[COROUTINES];
static _Alignas(16) char stacks[COROUTINES][STACK_SIZE];
static unsigned running, steps[COROUTINES];
static uint64_t sums[COROUTINES];

/* More values than there are registers live over the switch, some of them not integers. */
static void work(void)
{
    unsigned own = running;
    uint64_t a = own + 1, b = own + 2, c = own + 3, d = own + 5, e = own + 7, f = own + 11, g = own + 13, h = own + 17;
    double half = own + 0.5;
    for (;;) {
        a += b, b += c, c += d, d += e, e += f, f += g, g += h, h += a, half += own;
        sums[own] = a ^ b ^ c ^ d ^ e ^ f ^ g ^ h ^ (uint64_t)half;
        steps[own]++;
        coroutine_switch(&coroutines[own], &outside);
    }
}

static void enter(unsigned which)
{
    running = which;
    coroutine_switch(&outside, &coroutines[which]);
}

static void make_all(void)
{
    memset(steps, 0, sizeof steps);
    for (unsigned i = 0; i < COROUTINES; i++)
        coroutine_make(&coroutines[i], stacks[i], STACK_SIZE, work);
}

/* In turns as one after the other. */
static void test_they_do_not_disturb_each_other(void **state)
{
    uint64_t expected[COROUTINES];
    (void)state;
    make_all();
    for (unsigned i = 0; i < COROUTINES; i++)
        for (unsigned round = 0; round < ROUNDS; round++)
            enter(i);
    memcpy(expected, sums, sizeof sums);
    make_all();
    for (unsigned round = 0; round < ROUNDS; round++)
        for (unsigned i = 0; i < COROUTINES; i++)
            enter(i);
    for (unsigned i = 0; i < COROUTINES; i++) {
        assert_int_equal(steps[i], ROUNDS);
        assert_true(sums[i] == expected[i]);
    }
    assert_true(sums[0] != sums[1]);
}

/* What the checker's snapshots are made of: the structure, and the stack from where it is in use. */
static void test_a_copy_goes_on_from_where_it_was_made(void **state)
{
    static char copy[STACK_SIZE];
    (void)state;
    make_all();
    enter(2);
    enter(2);
    char *lowest = coroutines[2].stack;
    size_t size = (size_t)(stacks[2] + STACK_SIZE - lowest);
    assert_true(lowest > stacks[2] && lowest < stacks[2] + STACK_SIZE);
    struct coroutine kept = coroutines[2];
    memcpy(copy, lowest, size);
    enter(2);
    uint64_t third = sums[2];
    enter(2);
    assert_true(sums[2] != third);
    coroutines[2] = kept;
    memset(stacks[2], 0xab, STACK_SIZE - size);
    memcpy(lowest, copy, size);
    enter(2);
    assert_true(sums[2] == third);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_they_do_not_disturb_each_other),
        cmocka_unit_test(test_a_copy_goes_on_from_where_it_was_made),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
