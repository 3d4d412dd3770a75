/* SPDX-License-Identifier: MIT */
/* check_handler: a signal handler runs once, at any step of its thread or never; what the thread has stored plainly may
 * come later than the handler where no fence is between, and what it has read may too. */
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
static int data, flag;
static unsigned seen;

static const struct limits ways[] = {
    {.seconds = 600, .bytes = 1 << 26, .counted = 1 << 20, .naive = true},
    {.seconds = 600, .bytes = 1 << 26, .counted = 1 << 20},
    {.seconds = 600, .bytes = 1 << 26, .counted = 0},
};
enum { WAYS = sizeof ways / sizeof *ways };

typedef void body(void *argument);
struct bodies {
    body *thread, *handler, *other;
};

enum { NEVER_RAN = 10 };

static void setup(void *bodies)
{
    const struct bodies *all = bodies;
    seen = NEVER_RAN;
    check_handler(check_thread(all->thread, NULL), all->handler, NULL);
    if (all->other)
        check_thread(all->other, NULL);
}

static void finish(void *unused)
{
    (void)unused;
    check_outcome(seen);
}

static struct result run(const struct bodies *bodies, int way)
{
    check_forget_outcomes();
    return explore(&(struct program){setup, finish, (void *)(uintptr_t)bodies}, &ways[way]);
}

#define BODIES(...)                                                                                                    \
    &(struct bodies)                                                                                                   \
    {                                                                                                                  \
        __VA_ARGS__                                                                                                    \
    }
#define SEEN(n) (UINT64_C(1) << (n))

static void sees(const struct bodies *bodies, uint64_t outcomes)
{
    for (int way = 0; way < WAYS; way++) {
        struct result result = run(bodies, way);
        assert_int_equal(result.verdict, VERDICT_PASSED);
        assert_int_equal(check_outcomes(), outcomes | SEEN(NEVER_RAN));
    }
}

static void fails_with(const struct bodies *bodies, enum failure_kind kind)
{
    for (int way = 0; way < WAYS; way++) {
        struct result result = run(bodies, way);
        assert_int_equal(result.verdict, VERDICT_FAILED);
        assert_int_equal(result.failure.kind, kind);
    }
}

#define BODY(name, ...)                                                                                                \
    static void name(void *unused)                                                                                     \
    {                                                                                                                  \
        (void)unused;                                                                                                  \
        __VA_ARGS__                                                                                                    \
    }
#define LOAD(word, order) atomic_load_explicit(&word, memory_order_##order)
#define STORE(word, value, order) atomic_store_explicit(&word, value, memory_order_##order)

BODY(count_to_two, STORE(x, 1, relaxed); STORE(x, 2, relaxed);)
BODY(see_x, seen = (unsigned)LOAD(x, relaxed);)
BODY(read_x_twice, (void)LOAD(x, relaxed); (void)LOAD(x, relaxed);)
BODY(set_x, STORE(x, 1, relaxed);)

static void it_runs_at_any_step(void **state)
{
    (void)state;
    sees(BODIES(count_to_two, see_x, NULL), SEEN(0) | SEEN(1) | SEEN(2));
    sees(BODIES(read_x_twice, see_x, set_x), SEEN(0) | SEEN(1));
}

/* It runs once, and its accesses are its thread's: what it has read the thread does not unread. */
BODY(see_x_and_note, seen = (unsigned)LOAD(x, relaxed); STORE(y, 1 + LOAD(x, relaxed), relaxed);)
BODY(read_as_the_handler, int noted = LOAD(y, relaxed); check_assert(LOAD(x, relaxed) >= noted - 1);)
BODY(count_handled, check_assert(LOAD(y, relaxed) == 0); STORE(y, 1, relaxed);)

static void it_is_its_thread(void **state)
{
    (void)state;
    sees(BODIES(read_as_the_handler, see_x_and_note, count_to_two), SEEN(0) | SEEN(1) | SEEN(2));
    for (int way = 0; way < WAYS; way++)
        assert_int_equal(run(BODIES(count_to_two, count_handled, NULL), way).verdict, VERDICT_PASSED);
}

/* A message to the handler. */
BODY(send_plainly, data = 1; flag = 1;)
BODY(send_fenced, data = 1; atomic_signal_fence(memory_order_release); flag = 1;)
BODY(send_relaxed, data = 1; STORE(x, 1, relaxed);)
BODY(send_released, data = 1; STORE(x, 1, release);)
BODY(send_relaxed_fenced, data = 1; atomic_signal_fence(memory_order_release); STORE(x, 1, relaxed);)
BODY(send_thread_fenced, data = 1; atomic_thread_fence(memory_order_release); STORE(x, 1, relaxed);)
BODY(send_and_acquire, data = 1; atomic_signal_fence(memory_order_acquire); STORE(x, 1, relaxed);)
BODY(send_fenced_late, data = 1; flag = 1; atomic_signal_fence(memory_order_seq_cst);)
BODY(send_and_wake, data = 1; check_wake(&y); STORE(x, 1, relaxed);)
BODY(receive_plainly, seen = flag ? 1 + (unsigned)data : 0;)
BODY(receive_by_x, seen = LOAD(x, relaxed) ? 1 + (unsigned)data : 0;)

static void stores_may_come_later(void **state)
{
    const uint64_t in_order = SEEN(0) | SEEN(2), late = in_order | SEEN(1);
    (void)state;
    sees(BODIES(send_plainly, receive_plainly, NULL), late);
    sees(BODIES(send_fenced, receive_plainly, NULL), in_order);
    sees(BODIES(send_fenced_late, receive_plainly, NULL), late);
    sees(BODIES(send_relaxed, receive_by_x, NULL), late);
    sees(BODIES(send_released, receive_by_x, NULL), in_order);
    sees(BODIES(send_relaxed_fenced, receive_by_x, NULL), in_order);
    sees(BODIES(send_thread_fenced, receive_by_x, NULL), in_order);
    sees(BODIES(send_and_acquire, receive_by_x, NULL), late);
    sees(BODIES(send_and_wake, receive_by_x, NULL), in_order);
}

/* What comes later overwrites what the handler has stored. */
BODY(store_both, data = 1; flag = 1;)
BODY(
    take_if_free, if (!data) {
        flag = 2;
        seen = 0;
    })
BODY(store_both_and_look, data = 1; flag = 1; atomic_signal_fence(memory_order_seq_cst); check_assert(flag == 1);)

static void what_is_late_is_stored_all_the_same(void **state)
{
    (void)state;
    sees(BODIES(store_both_and_look, take_if_free, NULL), SEEN(0));
    for (int way = 0; way < WAYS; way++)
        assert_int_equal(run(BODIES(store_both, take_if_free, NULL), way).verdict, VERDICT_PASSED);
}

/* A place that the thread has emptied, and says so. */
BODY(empty_plainly, int value = data; flag = 1; check_assert(value == 0);)
BODY(empty_fenced, int value = data; atomic_signal_fence(memory_order_seq_cst); flag = 1; check_assert(value == 0);)
BODY(empty_fenced_late, int value = data; flag = 1; atomic_signal_fence(memory_order_seq_cst);
     check_assert(value == 0);)
BODY(empty_acquiring, int value = data; atomic_signal_fence(memory_order_acquire); flag = 1; check_assert(value == 0);)
BODY(empty_relaxed, int value = data; STORE(x, 1, relaxed); check_assert(value == 0);)
BODY(
    fill_if_emptied, if (flag) {
        data = 2;
        seen = 0;
    })
BODY(
    fill_if_x, if (LOAD(x, relaxed)) {
        data = 2;
        seen = 0;
    })
BODY(only_fill, data = 2; seen = 0;)

static void reads_may_come_later(void **state)
{
    (void)state;
    fails_with(BODIES(empty_plainly, fill_if_emptied, NULL), FAILURE_RACE);
    fails_with(BODIES(empty_fenced_late, fill_if_emptied, NULL), FAILURE_RACE);
    fails_with(BODIES(empty_relaxed, fill_if_x, NULL), FAILURE_RACE);
    sees(BODIES(empty_fenced, fill_if_emptied, NULL), SEEN(0));
    sees(BODIES(empty_acquiring, fill_if_emptied, NULL), SEEN(0));
    /* Where it does not look at the store, it might as well have come before both. */
    fails_with(BODIES(empty_plainly, only_fill, NULL), FAILURE_ASSERTION);
}

/* Waiting. */
BODY(hold_x, while (atomic_exchange_explicit(&x, 1, memory_order_acquire)) check_relax(); STORE(x, 0, release);)
BODY(try_x, int free = 0;
     seen = atomic_compare_exchange_strong_explicit(&x, &free, 1, memory_order_acquire, memory_order_relaxed);
     if (seen) STORE(x, 0, release);)
BODY(await_x, while (!LOAD(x, acquire)) check_relax();)
BODY(park_at_x, while (!LOAD(x, acquire)) check_park(&x, sizeof x, 0);)
BODY(set_and_wake, STORE(x, 1, release); check_wake(&x);)
BODY(never_wake, STORE(x, 1, release);)

static void it_waits_and_is_waited_for(void **state)
{
    (void)state;
    fails_with(BODIES(hold_x, hold_x, NULL), FAILURE_WAITS);
    sees(BODIES(hold_x, try_x, NULL), SEEN(0) | SEEN(1));
    sees(BODIES(hold_x, try_x, hold_x), SEEN(0) | SEEN(1));
    sees(BODIES(await_x, see_x, set_x), SEEN(0) | SEEN(1));
    sees(BODIES(park_at_x, see_x, set_and_wake), SEEN(0) | SEEN(1));
    fails_with(BODIES(park_at_x, see_x, never_wake), FAILURE_WAITS);
    fails_with(BODIES(await_x, see_x, NULL), FAILURE_WAITS);
}

static void setup_for_nobody(void *unused)
{
    (void)unused;
    check_handler(1, see_x, NULL);
}

static void it_needs_a_thread(void **state)
{
    (void)state;
    struct result result = explore(&(struct program){setup_for_nobody, NULL, NULL}, &ways[1]);
    assert_int_equal(result.verdict, VERDICT_FAILED);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(it_runs_at_any_step),   cmocka_unit_test(it_is_its_thread),
        cmocka_unit_test(stores_may_come_later), cmocka_unit_test(what_is_late_is_stored_all_the_same),
        cmocka_unit_test(reads_may_come_later),  cmocka_unit_test(it_waits_and_is_waited_for),
        cmocka_unit_test(it_needs_a_thread),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
