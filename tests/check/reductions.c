/* SPDX-License-Identifier: MIT */
/* What the explorer leaves out changes nothing: every lock, with three threads, is explored with no assumption, graph
 * by graph, merged, and merged with interchangeable threads. The first two have the same number of executions; all have
 * the same verdict and the same orders of admission. The mutex has too many executions for the first two. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include <recip-check.h>
#include "check/clients.h"
#include "check/engine/explore.h"
#include "zoo/algorithm.h"
#include "port/thread.h"

enum { THREADS = 3 };

static const struct recip_algorithm *lock;
static bool alike;
static _Alignas(RECIP_LINE) char storage[RECIP_LOCK_SIZE_MAX];
static unsigned admitted, order[THREADS];

static void acquire_and_release(void *unused)
{
    (void)unused;
    struct recip_any_context context;
    lock->acquire(storage, &context);
    order[admitted++] = check_self() - 1;
    lock->release(storage, &context);
}

static void setup(void *unused)
{
    (void)unused;
    check_port_reset();
    memset(storage, 0, sizeof storage);
    lock->init(storage);
    if (alike)
        check_alike();
    for (unsigned i = 0; i < THREADS; i++)
        check_thread(acquire_and_release, NULL);
}

static unsigned name_of(const unsigned *threads)
{
    return threads[0] * THREADS * THREADS + threads[1] * THREADS + threads[2];
}

static void finish(void *unused)
{
    (void)unused;
    check_outcome(name_of(order));
}

/* The orders that come from these by giving the threads other numbers. */
static uint64_t renumbered(uint64_t orders)
{
    static const unsigned numbers[][THREADS] = {{0, 1, 2}, {0, 2, 1}, {1, 0, 2}, {1, 2, 0}, {2, 0, 1}, {2, 1, 0}};
    uint64_t all = 0;
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        for (size_t j = 0; j < sizeof numbers / sizeof *numbers; j++)
            if (orders >> name_of(numbers[i]) & 1)
                all |= UINT64_C(1) << name_of((unsigned[]){numbers[j][numbers[i][0]], numbers[j][numbers[i][1]],
                                                           numbers[j][numbers[i][2]]});
    return all;
}

static struct result explore_with(const struct limits *limits, bool interchangeable)
{
    alike = interchangeable;
    check_forget_outcomes();
    struct result result = explore(&(struct program){setup, finish, NULL}, limits);
    assert_int_equal(result.verdict, VERDICT_PASSED);
    return result;
}

static void leave_out_nothing(void **state)
{
    (void)state;
    const struct limits naive = {.seconds = 3600, .bytes = 1 << 28, .counted = 1 << 24, .naive = true},
                        counted = {.seconds = 3600, .bytes = 1 << 28, .counted = 1 << 24},
                        merged = {.seconds = 3600, .bytes = 1 << 28, .counted = 0};
    for (size_t i = 0; i < recip_algorithm_count; i++) {
        lock = recip_algorithms[i];
        if (lock->traits & RECIP_NATIVE)
            continue;
        explore_with(&merged, false);
        uint64_t orders = check_outcomes();
        if (lock->waits != RECIP_WAITS_LEADER) {
            uint64_t executions = explore_with(&naive, false).executions;
            assert_int_equal(check_outcomes(), orders);
            printf("%-32s %llu executions\n", lock->id, (unsigned long long)executions);
            uint64_t kept = explore_with(&counted, false).executions;
            assert_int_equal(check_outcomes(), orders);
            /* A first waiter that looks at several words in a turn: the naive exploration counts each of its turns. */
            if (lock->waits != RECIP_WAITS_FIRST)
                assert_int_equal(kept, executions);
        }
        if (lock->traits & RECIP_SOCKETS)
            continue;
        explore_with(&merged, true);
        assert_int_equal(renumbered(check_outcomes()), orders);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(leave_out_nothing)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
