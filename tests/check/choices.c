/* SPDX-License-Identifier: MIT */
/* check_choose: every number is tried, each is an execution of its own, and a choice in a turn of a spin loop that was
 * in vain is none. Explored with no assumption, graph by graph, and merged. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <recip-check.h>
#include "check/clients.h"
#include "check/engine/explore.h"

static _Atomic(int) x, y;
static unsigned r[2];

static const struct limits ways[] = {
    {.seconds = 600, .bytes = 1 << 26, .counted = 1 << 20, .naive = true},
    {.seconds = 600, .bytes = 1 << 26, .counted = 1 << 20},
    {.seconds = 600, .bytes = 1 << 26, .counted = 0},
};
enum { WAYS = sizeof ways / sizeof *ways };

typedef void body(void *argument);
struct threads {
    body *first, *second;
};

static void setup(void *threads)
{
    const struct threads *both = threads;
    check_thread(both->first, NULL);
    if (both->second)
        check_thread(both->second, NULL);
}

static void finish(void *unused)
{
    (void)unused;
    check_outcome(r[0] | r[1] << 3);
}

static struct result run(body *first, body *second, int way)
{
    struct threads both = {first, second};
    check_forget_outcomes();
    return explore(&(struct program){setup, finish, &both}, &ways[way]);
}

#define OUTCOME(a, b) (UINT64_C(1) << ((a) | (b) << 3))

static void sees(body *first, body *second, uint64_t outcomes, uint64_t executions)
{
    for (int way = 0; way < WAYS; way++) {
        struct result result = run(first, second, way);
        assert_int_equal(result.verdict, VERDICT_PASSED);
        assert_int_equal(check_outcomes(), outcomes);
        if (!result.merged)
            assert_int_equal(result.executions, executions);
    }
}

static void fails_with(body *first, body *second, enum failure_kind kind)
{
    for (int way = 0; way < WAYS; way++) {
        struct result result = run(first, second, way);
        assert_int_equal(result.verdict, VERDICT_FAILED);
        assert_int_equal(result.failure.kind, kind);
    }
}

#define THREAD(name, ...)                                                                                              \
    static void name(void *unused)                                                                                     \
    {                                                                                                                  \
        (void)unused;                                                                                                  \
        __VA_ARGS__                                                                                                    \
    }
#define LOAD(word) atomic_load_explicit(&word, memory_order_acquire)
#define STORE(word, value) atomic_store_explicit(&word, value, memory_order_release)

THREAD(choose_of_three, r[0] = check_choose(3);)
THREAD(choose_of_two, r[1] = check_choose(2);)
THREAD(choose_twice, unsigned one = check_choose(2); r[0] = 2 * one + check_choose(2);)
THREAD(choose_of_one, r[0] = check_choose(1);)

static void every_number_is_tried(void **state)
{
    (void)state;
    sees(choose_of_three, NULL, OUTCOME(0, 0) | OUTCOME(1, 0) | OUTCOME(2, 0), 3);
    sees(choose_twice, NULL, OUTCOME(0, 0) | OUTCOME(1, 0) | OUTCOME(2, 0) | OUTCOME(3, 0), 4);
    sees(choose_of_one, NULL, OUTCOME(0, 0), 1);
    sees(choose_of_three, choose_of_two,
         OUTCOME(0, 0) | OUTCOME(1, 0) | OUTCOME(2, 0) | OUTCOME(0, 1) | OUTCOME(1, 1) | OUTCOME(2, 1), 6);
}

/* What one thread has chosen, another may have seen or not. */
THREAD(tell_choice, STORE(x, (int)check_choose(2) + 1);)
THREAD(hear_choice, r[0] = (unsigned)LOAD(x);)
THREAD(choose_after_a_read, r[0] = (unsigned)LOAD(x); r[1] = check_choose(2);)

static void choices_meet_accesses(void **state)
{
    (void)state;
    sees(tell_choice, hear_choice, OUTCOME(0, 0) | OUTCOME(1, 0) | OUTCOME(2, 0), 4);
    sees(tell_choice, choose_after_a_read,
         OUTCOME(0, 0) | OUTCOME(0, 1) | OUTCOME(1, 0) | OUTCOME(1, 1) | OUTCOME(2, 0) | OUTCOME(2, 1), 8);
}

/* Turns in vain: whatever is chosen in them, they leave nothing; what was chosen before them stays. */
THREAD(set_y, STORE(y, 1);)
THREAD(
    choose_in_vain, while (!LOAD(y)) {
        check_choose(2);
        check_relax();
    })
THREAD(
    choose_first_in_vain, do {
        check_choose(2);
        check_relax();
    } while (!LOAD(y));)
THREAD(choose_and_wait, unsigned one = check_choose(2); while (!LOAD(y)) check_relax(); r[0] = one;)
THREAD(
    choose_to_look, while (!LOAD(y)) {
        if (check_choose(2))
            (void)LOAD(x);
        check_relax();
    })

static void turns_of_spin_loops(void **state)
{
    (void)state;
    sees(choose_in_vain, set_y, OUTCOME(0, 0), 1);
    sees(choose_and_wait, set_y, OUTCOME(0, 0) | OUTCOME(1, 0), 2);
    for (int way = 0; way < WAYS; way++) {
        assert_int_equal(run(choose_first_in_vain, set_y, way).verdict, VERDICT_PASSED);
        assert_int_equal(run(choose_to_look, set_y, way).verdict, VERDICT_PASSED);
    }
    fails_with(choose_in_vain, NULL, FAILURE_WAITS);
    fails_with(choose_first_in_vain, NULL, FAILURE_WAITS);
    fails_with(choose_and_wait, NULL, FAILURE_WAITS);
    fails_with(choose_to_look, NULL, FAILURE_WAITS);
}

THREAD(never_three, check_assert(check_choose(4) != 3);)
THREAD(choose_of_none, (void)check_choose(0);)
THREAD(choose_of_many, (void)check_choose(65);)

static void a_bad_choice_is_found(void **state)
{
    (void)state;
    fails_with(never_three, NULL, FAILURE_ASSERTION);
    fails_with(choose_of_none, NULL, FAILURE_UNMODELLED);
    fails_with(choose_of_many, NULL, FAILURE_UNMODELLED);
}

static void choose_in_setup(void *unused)
{
    (void)unused;
    (void)check_choose(2);
}

static void setup_does_not_choose(void **state)
{
    (void)state;
    struct result result = explore(&(struct program){choose_in_setup, NULL, NULL}, &ways[1]);
    assert_int_equal(result.verdict, VERDICT_FAILED);
    assert_int_equal(result.failure.kind, FAILURE_UNMODELLED);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_number_is_tried), cmocka_unit_test(choices_meet_accesses),
        cmocka_unit_test(turns_of_spin_loops),   cmocka_unit_test(a_bad_choice_is_found),
        cmocka_unit_test(setup_does_not_choose),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
