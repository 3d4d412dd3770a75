/* SPDX-License-Identifier: MIT */
/* The explorer against litmus shapes whose outcomes are known: each is seen if the model allows it, and only then.
 * Every shape is explored three times: with no assumption, graph by graph, and with graphs in the same state taken as
 * one.
 *
 * Instrumented like the locks. What a thread reads goes into r, which only it writes. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include <recip-check.h>
#include "check/clients.h"
#include "check/engine/explore.h"

#define RELAXED memory_order_relaxed
#define ACQUIRE memory_order_acquire
#define RELEASE memory_order_release
#define ACQ_REL memory_order_acq_rel

static _Atomic(int) x, y;
static int data;
static int r[4];

typedef void body(void *argument);

struct shape {
    body *threads[4];
    unsigned registers; /* how many of r make the outcome: two bits each, r[0] lowest */
    bool locations;     /* then x and y, at the end */
};

static void setup(void *argument)
{
    const struct shape *shape = argument;
    for (int i = 0; i < 4 && shape->threads[i]; i++)
        check_thread(shape->threads[i], NULL);
}

static void finish(void *argument)
{
    const struct shape *shape = argument;
    unsigned outcome = 0, bits = 0;
    for (unsigned i = 0; i < shape->registers; i++, bits += 2)
        outcome |= (unsigned)r[i] << bits;
    if (shape->locations) {
        outcome |= (unsigned)atomic_load_explicit(&x, RELAXED) << bits;
        outcome |= (unsigned)atomic_load_explicit(&y, RELAXED) << (bits + 2);
    }
    check_outcome(outcome);
}

static const struct limits ways[] = {
    {.seconds = 600, .bytes = 1 << 26, .counted = 1 << 20, .naive = true},
    {.seconds = 600, .bytes = 1 << 26, .counted = 1 << 20},
    {.seconds = 600, .bytes = 1 << 26, .counted = 0},
};
enum { WAYS = sizeof ways / sizeof *ways };

static struct result run(const struct shape *shape, int way)
{
    struct program program = {setup, finish, (void *)(uintptr_t)shape};
    check_forget_outcomes();
    return explore(&program, &ways[way]);
}

#define OUTCOME(a, b, c) (UINT64_C(1) << ((a) | (b) << 2 | (c) << 4))
#define BOTH(a, b) OUTCOME(a, b, 0)

static void sees_exactly(const struct shape *shape, uint64_t outcomes)
{
    for (int way = 0; way < WAYS; way++) {
        struct result result = run(shape, way);
        assert_int_equal(result.verdict, VERDICT_PASSED);
        assert_int_equal(check_outcomes(), outcomes);
    }
}

static void fails_with(const struct shape *shape, enum failure_kind kind)
{
    for (int way = 0; way < WAYS; way++) {
        struct result result = run(shape, way);
        assert_int_equal(result.verdict, VERDICT_FAILED);
        assert_int_equal(result.failure.kind, kind);
    }
}

#define THREAD(name, ...)                                                                                              \
    static void name(void *argument)                                                                                   \
    {                                                                                                                  \
        (void)argument;                                                                                                \
        __VA_ARGS__                                                                                                    \
    }
#define W(location, value, order) atomic_store_explicit(&location, value, order);
#define R(to, location, order) r[to] = atomic_load_explicit(&location, order);
#define ADD(location, value, order) atomic_fetch_add_explicit(&location, value, order);

/* Message passing. */
THREAD(mp_write, W(x, 1, RELAXED) W(y, 1, RELAXED))
THREAD(mp_publish, W(x, 1, RELAXED) W(y, 1, RELEASE))
THREAD(mp_read, R(0, y, RELAXED) R(1, x, RELAXED))
THREAD(mp_acquire, R(0, y, ACQUIRE) R(1, x, RELAXED))

static void message_passing(void **state)
{
    (void)state;
    uint64_t forbidden = BOTH(1, 0), others = BOTH(0, 0) | BOTH(0, 1) | BOTH(1, 1);
    sees_exactly(&(struct shape){{mp_publish, mp_acquire}, 2, false}, others);
    sees_exactly(&(struct shape){{mp_write, mp_acquire}, 2, false}, others | forbidden);
    sees_exactly(&(struct shape){{mp_publish, mp_read}, 2, false}, others | forbidden);
}

/* The same with fences. */
THREAD(mp_fenced_write, W(x, 1, RELAXED) atomic_thread_fence(RELEASE); W(y, 1, RELAXED))
THREAD(mp_fenced_read, R(0, y, RELAXED) atomic_thread_fence(ACQUIRE); R(1, x, RELAXED))

static void message_passing_with_fences(void **state)
{
    (void)state;
    uint64_t others = BOTH(0, 0) | BOTH(0, 1) | BOTH(1, 1);
    sees_exactly(&(struct shape){{mp_fenced_write, mp_fenced_read}, 2, false}, others);
    sees_exactly(&(struct shape){{mp_fenced_write, mp_acquire}, 2, false}, others);
    sees_exactly(&(struct shape){{mp_write, mp_fenced_read}, 2, false}, others | BOTH(1, 0));
}

/* Store buffering: release and acquire do not forbid it. */
THREAD(sb_left, W(x, 1, RELEASE) R(0, y, ACQUIRE))
THREAD(sb_right, W(y, 1, RELEASE) R(1, x, ACQUIRE))

static void store_buffering(void **state)
{
    (void)state;
    sees_exactly(&(struct shape){{sb_left, sb_right}, 2, false}, BOTH(0, 0) | BOTH(0, 1) | BOTH(1, 0) | BOTH(1, 1));
}

/* Load buffering: C11 allows it for relaxed accesses; it is not modelled, as in RC11. */
THREAD(lb_left, R(0, x, RELAXED) W(y, 1, RELAXED))
THREAD(lb_right, R(1, y, RELAXED) W(x, 1, RELAXED))

static void load_buffering_is_excluded(void **state)
{
    (void)state;
    sees_exactly(&(struct shape){{lb_left, lb_right}, 2, false}, BOTH(0, 0) | BOTH(0, 1) | BOTH(1, 0));
}

/* Coherence: of one location. */
THREAD(co_write_two, W(x, 1, RELAXED) W(x, 2, RELAXED))
THREAD(co_read_two, R(0, x, RELAXED) R(1, x, RELAXED))

static void coherence_of_two_reads(void **state)
{
    (void)state;
    sees_exactly(&(struct shape){{co_write_two, co_read_two}, 2, false},
                 BOTH(0, 0) | BOTH(0, 1) | BOTH(0, 2) | BOTH(1, 1) | BOTH(1, 2) | BOTH(2, 2));
}

THREAD(co_write_one, W(x, 1, RELAXED))
THREAD(co_write_then_read, W(x, 2, RELAXED) R(0, x, RELAXED))
THREAD(co_read_then_write, R(0, x, RELAXED) W(x, 2, RELAXED))

static void coherence_of_writes(void **state)
{
    (void)state;
    sees_exactly(&(struct shape){{co_write_two}, 0, true}, BOTH(2, 0));
    /* r0, x: having written 2 one does not read 1 and find 2 at the end. */
    sees_exactly(&(struct shape){{co_write_one, co_write_then_read}, 1, true}, BOTH(2, 2) | BOTH(2, 1) | BOTH(1, 1));
    /* Having read 1 one's own 2 comes after it. */
    sees_exactly(&(struct shape){{co_write_one, co_read_then_write}, 1, true}, BOTH(0, 1) | BOTH(0, 2) | BOTH(1, 2));
}

/* 2+2W: both locations may end with the first values, unless the order of stores is appended only. */
THREAD(ww_left, W(x, 1, RELEASE) W(y, 2, RELEASE))
THREAD(ww_right, W(y, 1, RELEASE) W(x, 2, RELEASE))

static void two_plus_two_writes(void **state)
{
    (void)state;
    sees_exactly(&(struct shape){{ww_left, ww_right}, 0, true}, BOTH(1, 1) | BOTH(1, 2) | BOTH(2, 1) | BOTH(2, 2));
}

/* IRIW: two readers may disagree about the order of two writes. */
THREAD(iriw_x, W(x, 1, RELEASE))
THREAD(iriw_y, W(y, 1, RELEASE))
THREAD(iriw_left, R(0, x, ACQUIRE) R(1, y, ACQUIRE))
THREAD(iriw_right, R(2, y, ACQUIRE) r[2] |= atomic_load_explicit(&x, ACQUIRE) << 1;)

static void independent_reads(void **state)
{
    (void)state;
    for (int way = 0; way < WAYS; way++) {
        struct result result = run(&(struct shape){{iriw_x, iriw_y, iriw_left, iriw_right}, 3, false}, way);
        assert_int_equal(result.verdict, VERDICT_PASSED);
        assert_int_equal(result.executions, 16);
        assert_true(check_outcomes() & OUTCOME(1, 0, 1));
    }
}

/* Release sequences: a read-modify-write of another thread carries one on, whatever its order; a store ends it. */
THREAD(rs_publish, W(x, 1, RELAXED) W(y, 1, RELEASE))
THREAD(rs_add, ADD(y, 1, RELAXED))
THREAD(rs_overwrite, if (atomic_load_explicit(&y, RELAXED) == 1){W(y, 2, RELAXED)})
THREAD(rs_read, R(0, y, ACQUIRE) R(1, x, RELAXED))

static void release_sequences(void **state)
{
    (void)state;
    /* 2 is seen only if the addition read the published 1. */
    sees_exactly(&(struct shape){{rs_publish, rs_add, rs_read}, 2, false},
                 BOTH(0, 0) | BOTH(0, 1) | BOTH(1, 0) | BOTH(1, 1) | BOTH(2, 1));
    sees_exactly(&(struct shape){{rs_publish, rs_overwrite, rs_read}, 2, false},
                 BOTH(0, 0) | BOTH(0, 1) | BOTH(1, 1) | BOTH(2, 0) | BOTH(2, 1));
}

/* Atomicity: two additions are never lost in one another. */
THREAD(rmw_add, ADD(x, 1, RELAXED))

static void additions_are_not_lost(void **state)
{
    (void)state;
    sees_exactly(&(struct shape){{rmw_add, rmw_add, rmw_add}, 0, true}, BOTH(3, 0));
}

/* A compare-and-swap: one of two wins; a failed one is a load of its failure order. */
THREAD(cas_left, int zero = 0; r[0] = atomic_compare_exchange_strong_explicit(&x, &zero, 1, ACQ_REL, RELAXED);)
THREAD(cas_right, int zero = 0; r[1] = atomic_compare_exchange_strong_explicit(&x, &zero, 2, ACQ_REL, RELAXED);)
THREAD(cas_failing, int two = 2; atomic_compare_exchange_strong_explicit(&y, &two, 3, ACQ_REL, RELAXED); r[0] = two;
       R(1, x, RELAXED))
THREAD(cas_failing_acquire, int two = 2; atomic_compare_exchange_strong_explicit(&y, &two, 3, ACQ_REL, ACQUIRE);
       r[0] = two; R(1, x, RELAXED))

static void compare_and_swap(void **state)
{
    (void)state;
    sees_exactly(&(struct shape){{cas_left, cas_right}, 2, false}, BOTH(1, 0) | BOTH(0, 1));
    uint64_t others = BOTH(0, 0) | BOTH(0, 1) | BOTH(1, 1);
    sees_exactly(&(struct shape){{mp_publish, cas_failing}, 2, false}, others | BOTH(1, 0));
    sees_exactly(&(struct shape){{mp_publish, cas_failing_acquire}, 2, false}, others);
}

/* A weak one may fail for no reason. clang's instrumentation does not tell a weak one from a strong one. */
#ifdef __clang__
#define WEAK_FAILURE 0
#else
#define WEAK_FAILURE BOTH(0, 0)
#endif
THREAD(cas_weak, int zero = 0; r[0] = atomic_compare_exchange_weak_explicit(&x, &zero, 1, ACQ_REL, RELAXED);)

static void weak_compare_and_swap(void **state)
{
    (void)state;
    sees_exactly(&(struct shape){{cas_weak}, 1, false}, WEAK_FAILURE | BOTH(1, 0));
}

/* Each try of a loop stores something that others may see: failures without number would have no end. */
THREAD(
    push, int found = 0;
    do { W(y, 1, RELAXED) } while (!atomic_compare_exchange_weak_explicit(&x, &found, found + 1, ACQ_REL, RELAXED));)

static void weak_compare_and_swap_after_a_store(void **state)
{
    (void)state;
    sees_exactly(&(struct shape){{push, push}, 0, true}, BOTH(2, 1));
}

/* Two that are alike, but for one that starts when the second of them has ended. */
THREAD(count_up, ADD(x, 1, RELAXED))
THREAD(expect_both, check_assert(atomic_load_explicit(&x, RELAXED) == 2);)

static void setup_followed(void *unused)
{
    (void)unused;
    check_alike();
    check_thread(count_up, NULL);
    check_thread_after(check_thread(count_up, NULL), expect_both, NULL);
}

static void one_of_those_alike_is_followed(void **state)
{
    (void)state;
    for (int way = 0; way < WAYS; way++) {
        struct result result = explore(&(struct program){setup_followed, NULL, NULL}, &ways[way]);
        assert_int_equal(result.verdict, VERDICT_FAILED);
        assert_int_equal(result.failure.kind, FAILURE_ASSERTION);
    }
}

/* Plain accesses. */
THREAD(race_publish, data = 1; W(y, 1, RELEASE))
THREAD(race_acquire, if (atomic_load_explicit(&y, ACQUIRE)) r[0] = data;)
THREAD(race_relaxed, if (atomic_load_explicit(&y, RELAXED)) r[0] = data;)
THREAD(race_after, W(y, 1, RELEASE) data = 1;)
THREAD(race_fenced, data = 1; atomic_thread_fence(RELEASE); W(y, 1, RELAXED))
THREAD(race_after_fence, atomic_thread_fence(RELEASE); data = 1; W(y, 1, RELAXED))
THREAD(
    race_read_fenced, if (atomic_load_explicit(&y, RELAXED)) {
        atomic_thread_fence(ACQUIRE);
        r[0] = data;
    })

static void data_races(void **state)
{
    (void)state;
    sees_exactly(&(struct shape){{race_publish, race_acquire}, 1, false}, BOTH(0, 0) | BOTH(1, 0));
    fails_with(&(struct shape){{race_publish, race_relaxed}, 1, false}, FAILURE_RACE);
    fails_with(&(struct shape){{race_after, race_acquire}, 1, false}, FAILURE_RACE);
    sees_exactly(&(struct shape){{race_fenced, race_acquire}, 1, false}, BOTH(0, 0) | BOTH(1, 0));
    sees_exactly(&(struct shape){{race_fenced, race_read_fenced}, 1, false}, BOTH(0, 0) | BOTH(1, 0));
    fails_with(&(struct shape){{race_after_fence, race_acquire}, 1, false}, FAILURE_RACE);
    fails_with(&(struct shape){{race_after_fence, race_read_fenced}, 1, false}, FAILURE_RACE);
}

/* A later access that knows of an earlier one stands for it, but a read for no write. */
THREAD(race_write_first, data = 1; W(x, 1, RELEASE))
THREAD(
    race_write_again, if (atomic_load_explicit(&x, ACQUIRE)) {
        data = 2;
        W(y, 1, RELAXED)
    })
THREAD(
    race_read_between, if (atomic_load_explicit(&x, ACQUIRE)) {
        r[0] = data;
        W(y, 1, RELAXED)
    })
THREAD(
    race_read_and_publish, if (atomic_load_explicit(&x, ACQUIRE)) {
        r[0] = data;
        W(y, 1, RELEASE)
    })
THREAD(race_read_last, if (atomic_load_explicit(&y, ACQUIRE)) r[1] = data;)
/* A word of one thread's, but for a branch that is rarely taken. */
THREAD(race_own, data = 1; W(x, 1, RELAXED) W(x, 2, RELAXED) W(y, 1, RELAXED) data = 2;)
THREAD(race_rarely, if (atomic_load_explicit(&y, RELAXED) && atomic_load_explicit(&x, RELAXED) == 1) r[0] = data;)

static void data_races_with_the_first_of_two(void **state)
{
    (void)state;
    fails_with(&(struct shape){{race_write_first, race_write_again, race_read_last}, 0, false}, FAILURE_RACE);
    fails_with(&(struct shape){{race_write_first, race_read_between, race_read_last}, 0, false}, FAILURE_RACE);
    sees_exactly(&(struct shape){{race_write_first, race_read_and_publish, race_read_last}, 2, false},
                 BOTH(0, 0) | BOTH(1, 0) | BOTH(1, 1));
    fails_with(&(struct shape){{race_own, race_rarely}, 0, false}, FAILURE_RACE);
}

/* Waiting. */
THREAD(wait_for_one, while (atomic_load_explicit(&y, ACQUIRE) != 1) check_relax(); R(0, x, RELAXED))
THREAD(wait_for_both,
       while (atomic_load_explicit(&x, RELAXED) != 1 || atomic_load_explicit(&y, RELAXED) != 1) check_relax();)
THREAD(wait_changing, while (atomic_exchange_explicit(&y, 1, ACQUIRE)) check_relax();)
THREAD(wait_alone, while (!atomic_load_explicit(&x, RELAXED)) check_relax();)
THREAD(wait_never, while (atomic_load_explicit(&y, ACQUIRE) != 3) check_relax();)
THREAD(open, W(y, 0, RELEASE))
THREAD(shut, W(y, 1, RELEASE))

static void spin_loops(void **state)
{
    (void)state;
    sees_exactly(&(struct shape){{mp_publish, wait_for_one}, 1, false}, BOTH(1, 0));
    sees_exactly(&(struct shape){{iriw_x, iriw_y, wait_for_both}, 0, true}, BOTH(1, 1));
    fails_with(&(struct shape){{iriw_x, wait_for_both}, 0, true}, FAILURE_WAITS);
    fails_with(&(struct shape){{mp_publish, wait_never}, 0, true}, FAILURE_WAITS);
    fails_with(&(struct shape){{wait_alone}, 0, true}, FAILURE_WAITS);
    fails_with(&(struct shape){{shut, wait_changing, wait_changing, open}, 0, true}, FAILURE_WAITS);
}

/* What a turn of a spin loop changes is not forgotten: in a local, in the value that a compare-and-swap expects, or in
 * memory. A loop that counts its turns up to few is followed; one that counts without end is refused. */
THREAD(spin_forgetting, int one = 1;
       while (!atomic_compare_exchange_strong_explicit(&y, &one, 0, ACQUIRE, RELAXED)) check_relax();
       check_assert(one == 1);)
THREAD(
    spin_resetting, int one = 1; while (!atomic_compare_exchange_strong_explicit(&y, &one, 2, ACQUIRE, RELAXED)) {
        one = 1;
        check_relax();
    } check_assert(one == 1);)
THREAD(
    spin_noting, int waited = 0; while (!atomic_load_explicit(&y, RELAXED)) {
        waited = 1;
        check_relax();
    } r[0] = waited;)
THREAD(spin_once, if (!atomic_load_explicit(&y, RELAXED)) check_relax(); R(0, y, RELAXED))
THREAD(spin_twice, for (int i = 0; i < 2 && !atomic_load_explicit(&y, RELAXED); i++) check_relax(); R(0, y, RELAXED))
THREAD(
    spin_counting, int turns = 0; while (!atomic_load_explicit(&y, RELAXED)) {
        turns++;
        check_relax();
    } r[0] = turns > 2;)
THREAD(
    spin_writing, while (!atomic_load_explicit(&y, RELAXED)) {
        data = 0;
        check_relax();
    })
THREAD(
    spin_reading, while (!atomic_load_explicit(&y, RELAXED)) {
        r[0] = data;
        check_relax();
    })
THREAD(write_data, data = 0;)

static void turns_that_change_something(void **state)
{
    (void)state;
    fails_with(&(struct shape){{spin_forgetting, shut}, 0, false}, FAILURE_ASSERTION);
    sees_exactly(&(struct shape){{spin_resetting, shut}, 0, true}, BOTH(0, 2));
    sees_exactly(&(struct shape){{spin_noting, shut}, 1, false}, BOTH(0, 0) | BOTH(1, 0));
    sees_exactly(&(struct shape){{spin_once, shut}, 1, false}, BOTH(0, 0) | BOTH(1, 0));
    sees_exactly(&(struct shape){{spin_twice, shut}, 1, false}, BOTH(0, 0) | BOTH(1, 0));
    fails_with(&(struct shape){{spin_counting, shut}, 0, false}, FAILURE_UNMODELLED);
    fails_with(&(struct shape){{spin_writing, write_data, shut}, 0, false}, FAILURE_RACE);
    fails_with(&(struct shape){{spin_reading, write_data, shut}, 0, false}, FAILURE_RACE);
    sees_exactly(&(struct shape){{spin_writing, shut}, 0, true}, BOTH(0, 1));
    fails_with(&(struct shape){{spin_noting}, 0, false}, FAILURE_WAITS);
    fails_with(&(struct shape){{spin_writing}, 0, false}, FAILURE_WAITS);
}

/* A thread reads one word and then waits for another: for ever only after the value that it has read, the newest or an
 * older one. */
THREAD(wait_after_a_look, R(0, x, RELAXED) while (atomic_load_explicit(&y, RELAXED) != 1) check_relax();)
THREAD(wait_if_old, if (!atomic_load_explicit(&x, RELAXED)) while (!atomic_load_explicit(&y, RELAXED)) check_relax();)
THREAD(wait_if_new, if (atomic_load_explicit(&x, RELAXED)) while (!atomic_load_explicit(&y, RELAXED)) check_relax();)
THREAD(wait_if_new_then_old,
       if (atomic_load_explicit(&x, RELAXED) &&
           !atomic_load_explicit(&y, RELAXED)) while (atomic_load_explicit(&x, RELAXED) != 3) check_relax();)
THREAD(say_two_twice, W(y, 2, RELAXED) W(y, 2, RELAXED))

static void waiting_after_a_look(void **state)
{
    (void)state;
    sees_exactly(&(struct shape){{wait_after_a_look, mp_write}, 1, true}, OUTCOME(0, 1, 1) | OUTCOME(1, 1, 1));
    fails_with(&(struct shape){{wait_after_a_look, iriw_x}, 0, true}, FAILURE_WAITS);
    fails_with(&(struct shape){{wait_if_old, iriw_x}, 0, true}, FAILURE_WAITS);
    fails_with(&(struct shape){{wait_if_new, iriw_x}, 0, true}, FAILURE_WAITS);
    fails_with(&(struct shape){{wait_if_old, wait_if_old, iriw_x}, 0, true}, FAILURE_WAITS);
    fails_with(&(struct shape){{wait_if_new, wait_if_new, iriw_x}, 0, true}, FAILURE_WAITS);
    fails_with(&(struct shape){{wait_if_old, wait_if_new, iriw_x}, 0, true}, FAILURE_WAITS);
    fails_with(&(struct shape){{wait_if_new_then_old, mp_write}, 0, true}, FAILURE_WAITS);
    sees_exactly(&(struct shape){{wait_if_new, wait_if_old, mp_write}, 0, true}, BOTH(1, 1));
    fails_with(&(struct shape){{say_two_twice, wait_for_one}, 0, true}, FAILURE_WAITS);
}

/* Stores of the same value: the second publishes nothing, and there is a third, so that it is not the newest. */
THREAD(say_one_twice, W(y, 1, RELAXED) W(x, 1, RELEASE) W(x, 1, RELAXED) W(x, 2, RELEASE))
THREAD(hear_one, R(0, x, ACQUIRE) R(1, y, RELAXED))

static void the_same_value_again(void **state)
{
    (void)state;
    sees_exactly(&(struct shape){{say_one_twice, hear_one}, 2, false},
                 BOTH(0, 0) | BOTH(0, 1) | BOTH(1, 0) | BOTH(1, 1) | BOTH(2, 1));
}

/* Parking: compare-and-block is one step, a wake is not kept, a thread may wake for no reason. */
THREAD(park_loop, while (!atomic_load_explicit(&y, ACQUIRE)) check_park(&y, sizeof y, 0);)
THREAD(park_once, if (!atomic_load_explicit(&y, ACQUIRE)) check_park(&y, sizeof y, 0); R(0, y, RELAXED))
THREAD(wake, W(y, 1, RELEASE) check_wake(&y);)
THREAD(wake_early, check_wake(&y); W(y, 1, RELEASE))

static void parking(void **state)
{
    (void)state;
    sees_exactly(&(struct shape){{park_loop, wake}, 0, true}, BOTH(0, 1));
    fails_with(&(struct shape){{park_loop, wake_early}, 0, true}, FAILURE_WAITS);
    fails_with(&(struct shape){{park_loop, mp_write}, 0, true}, FAILURE_WAITS);
    fails_with(&(struct shape){{park_loop, park_loop, wake}, 0, true}, FAILURE_WAITS);
    sees_exactly(&(struct shape){{park_loop, park_loop, wake, wake}, 0, true}, BOTH(0, 1));
    sees_exactly(&(struct shape){{park_once, wake}, 1, false}, BOTH(0, 0) | BOTH(1, 0));
}

/* A spurious wake-up is the only way to come here too early; one is not enough for the second thread. */
THREAD(park_trusting, if (!atomic_load_explicit(&y, ACQUIRE)) check_park(&y, sizeof y, 0);
       check_assert(atomic_load_explicit(&y, ACQUIRE));)
THREAD(
    park_twice, int turns = 0; while (turns < 2 && !atomic_load_explicit(&y, ACQUIRE)) {
        check_park(&y, sizeof y, 0);
        turns++;
    } check_assert(turns < 2);)
THREAD(park_blind, check_park(&y, sizeof y, 0); R(0, y, RELAXED))

static void spurious_wake_ups(void **state)
{
    (void)state;
    fails_with(&(struct shape){{park_trusting, wake}, 0, false}, FAILURE_ASSERTION);
    fails_with(&(struct shape){{park_twice, wake}, 0, false}, FAILURE_ASSERTION);
    sees_exactly(&(struct shape){{park_blind, wake}, 1, false}, BOTH(0, 0) | BOTH(1, 0));
}

/* Asleep after a compare-and-swap that failed for no reason, and nobody wakes it. */
THREAD(park_startled, int zero = 0; while (!atomic_compare_exchange_weak_explicit(&y, &zero, 1, ACQUIRE, RELAXED) &&
                                           zero == 0) check_park(&y, sizeof y, 0);)

static void sleep_after_a_weak_failure(void **state)
{
    (void)state;
#ifdef __clang__
    sees_exactly(&(struct shape){{park_startled}, 0, true}, BOTH(0, 1));
#else
    fails_with(&(struct shape){{park_startled}, 0, true}, FAILURE_WAITS);
#endif
}

/* Two wait at one word for different values: a wake may go to the one that it is not meant for. */
THREAD(park_for_two, int seen; while ((seen = atomic_load_explicit(&y, ACQUIRE)) != 2) check_park(&y, sizeof y, seen);)
THREAD(wake_two, W(y, 2, RELEASE) check_wake(&y);)
THREAD(wake_all, W(y, 2, RELEASE) check_wake(&y); check_wake(&y);)
THREAD(park_for_any, while (!atomic_load_explicit(&y, ACQUIRE)) check_park(&y, sizeof y, 0);)

static void wakes_that_go_astray(void **state)
{
    (void)state;
    fails_with(&(struct shape){{park_for_two, park_for_any, wake_two}, 0, true}, FAILURE_WAITS);
    sees_exactly(&(struct shape){{park_for_two, park_for_any, wake_all}, 0, true}, BOTH(0, 2));
}

/* Two sleep at one word, but never at the same time. */
THREAD(park_first, while (!atomic_load_explicit(&y, ACQUIRE)) check_park(&y, sizeof y, 0); W(x, 1, RELEASE))
THREAD(park_second, while (!atomic_load_explicit(&x, ACQUIRE)) check_relax(); int seen;
       while ((seen = atomic_load_explicit(&y, ACQUIRE)) != 2) check_park(&y, sizeof y, seen);)
THREAD(wake_in_turn, W(y, 1, RELEASE) check_wake(&y); while (!atomic_load_explicit(&x, ACQUIRE)) check_relax();
       W(y, 2, RELEASE) check_wake(&y);)
THREAD(wake_only_the_first, W(y, 1, RELEASE) check_wake(&y); while (!atomic_load_explicit(&x, ACQUIRE)) check_relax();
       check_wake(&y); W(y, 2, RELEASE))

static void sleepers_one_after_the_other(void **state)
{
    (void)state;
    sees_exactly(&(struct shape){{park_first, park_second, wake_in_turn}, 0, true}, BOTH(1, 2));
    fails_with(&(struct shape){{park_first, park_second, wake_only_the_first}, 0, true}, FAILURE_WAITS);
}

/* One function parks for all: what comes after a sleep is another thing at each place that calls it. */
__attribute__((noinline)) static void sleep_at(_Atomic(int) *where, int value)
{
    check_park(where, sizeof *where, (uint64_t)value);
    __asm__ volatile("" : : : "memory");
}

__attribute__((noinline)) static int look_at(_Atomic(int) *where)
{
    return atomic_load_explicit(where, ACQUIRE);
}

THREAD(sleep_here, while (!atomic_load_explicit(&y, ACQUIRE)) sleep_at(&y, 0);)
THREAD(sleep_there, while (!atomic_load_explicit(&y, RELAXED)) sleep_at(&y, 0);)
THREAD(sleep_for_two, int seen; while ((seen = atomic_load_explicit(&y, ACQUIRE)) != 2) sleep_at(&y, seen);)
THREAD(wake_twice, W(y, 1, RELEASE) check_wake(&y); W(y, 2, RELEASE) check_wake(&y);)
THREAD(
    sleep_elsewhere, _Atomic(int) *where = &y; while (!look_at(where)) {
        sleep_at(where, 0);
        where = &x;
    })
THREAD(
    sleep_three_times, volatile int most = 3; int turns = 0; while (turns < most && !look_at(&y)) {
        sleep_at(&y, 0);
        turns++;
    } check_assert(turns < most);)
THREAD(sleep_at_x, while (!look_at(&x)) sleep_at(&x, 0);)
THREAD(wake_at_x, W(x, 1, RELEASE) check_wake(&x);)
THREAD(sleep_once, if (!look_at(&y)) sleep_at(&y, 0); R(0, y, RELAXED))
THREAD(sleep_blindly, sleep_at(&y, 0); R(0, y, RELAXED))

static void sleeps_of_one_function(void **state)
{
    (void)state;
    fails_with(&(struct shape){{sleep_here, sleep_there, wake}, 0, false}, FAILURE_WAITS);
    fails_with(&(struct shape){{wake, sleep_there, sleep_here}, 0, false}, FAILURE_WAITS);
    fails_with(&(struct shape){{sleep_for_two, sleep_here, wake_twice}, 0, false}, FAILURE_WAITS);
    fails_with(&(struct shape){{sleep_elsewhere, wake}, 0, false}, FAILURE_WAITS);
    fails_with(&(struct shape){{sleep_three_times, wake}, 0, false}, FAILURE_ASSERTION);
    sees_exactly(&(struct shape){{sleep_at_x, wake_at_x, sleep_once, wake}, 1, false}, BOTH(0, 0) | BOTH(1, 0));
    sees_exactly(&(struct shape){{sleep_at_x, wake_at_x, sleep_blindly, wake}, 1, false}, BOTH(0, 0) | BOTH(1, 0));
}

/* A wake names an address, whose memory may be gone; an access to it must not come as late. */
static _Atomic(int) *word;
THREAD(sleep_and_free, while (!atomic_load_explicit(word, ACQUIRE)) check_park(word, sizeof *word, 0);
       check_free(word);)
THREAD(wake_late, atomic_store_explicit(word, 1, RELEASE); check_wake(word);)
THREAD(touch_late, atomic_store_explicit(word, 1, RELEASE); atomic_load_explicit(word, RELAXED); check_wake(word);)

static void setup_word(void *shape)
{
    word = check_allocate(_Alignof(int), sizeof *word);
    atomic_store_explicit(word, 0, RELAXED);
    setup(shape);
}

static void wake_of_a_dead_address(void **state)
{
    (void)state;
    struct shape late = {{sleep_and_free, wake_late}, 0, false}, touching = {{sleep_and_free, touch_late}, 0, false};
    for (int way = 0; way < WAYS; way++) {
        struct result result = explore(&(struct program){setup_word, NULL, &late}, &ways[way]);
        assert_int_equal(result.verdict, VERDICT_PASSED);
        result = explore(&(struct program){setup_word, NULL, &touching}, &ways[way]);
        assert_int_equal(result.verdict, VERDICT_FAILED);
    }
}

/* A word that one thread alone accesses, and another frees. */
THREAD(use_and_publish, atomic_store_explicit(word, 1, RELAXED); W(y, 1, RELEASE))
THREAD(use_and_tell, atomic_store_explicit(word, 1, RELAXED); W(y, 1, RELAXED))
THREAD(free_when_told, if (atomic_load_explicit(&y, ACQUIRE)) check_free(word);)

static void word_freed_by_another(void **state)
{
    (void)state;
    struct shape published = {{use_and_publish, free_when_told}, 0, false},
                 told = {{use_and_tell, free_when_told}, 0, false};
    for (int way = 0; way < WAYS; way++) {
        struct result result = explore(&(struct program){setup_word, NULL, &published}, &ways[way]);
        assert_int_equal(result.verdict, VERDICT_PASSED);
        result = explore(&(struct program){setup_word, NULL, &told}, &ways[way]);
        assert_int_equal(result.verdict, VERDICT_FAILED);
        assert_int_equal(result.failure.kind, FAILURE_RACE);
    }
}

THREAD(free_it, check_free(word);)

static void word_freed_twice(void **state)
{
    (void)state;
    struct shape shape = {{free_it, free_it}, 0, false};
    for (int way = 0; way < WAYS; way++) {
        struct result result = explore(&(struct program){setup_word, NULL, &shape}, &ways[way]);
        assert_int_equal(result.verdict, VERDICT_FAILED);
        assert_int_equal(result.failure.kind, FAILURE_GONE);
    }
}

/* Memory of the C library: without a value until it is written, and gone when it is freed. */
static int *block;
THREAD(make_block, block = malloc(8); block[0] = 1; W(y, 1, RELEASE))
THREAD(make_clear_block, block = calloc(2, 4); W(y, 1, RELEASE))
THREAD(make_filled_block, block = malloc(64); memset(block, 0, 64); W(y, 1, RELEASE))
THREAD(make_grown_block, block = malloc(4); block[0] = 1; block = realloc(block, 8); W(y, 1, RELEASE))
THREAD(read_first, if (atomic_load_explicit(&y, ACQUIRE)) r[0] = block[0];)
THREAD(read_second, if (atomic_load_explicit(&y, ACQUIRE)) r[0] = block[1];)
THREAD(
    read_and_free, if (atomic_load_explicit(&y, ACQUIRE)) {
        r[0] = block[0];
        free(block);
    })
THREAD(
    copy_and_free, if (atomic_load_explicit(&y, ACQUIRE)) {
        int copy[2];
        memcpy(copy, block, sizeof copy);
        r[0] = copy[0];
        free(block);
    })
THREAD(
    use_after_free, if (atomic_load_explicit(&y, ACQUIRE)) {
        int *volatile same = block;
        free(block);
        r[0] = *same;
    })
THREAD(keep_block, block = malloc(8);)
THREAD(lose_block, void *volatile lost = malloc(8); lost = malloc(8); free(lost);)

static void finish_blocks(void *left)
{
    check_assert(check_allocated() == (uintptr_t)left);
}

static void setup_keep(void *unused)
{
    (void)unused;
    check_thread(keep_block, NULL);
}

static void setup_lose(void *unused)
{
    (void)unused;
    check_thread(lose_block, NULL);
}

static void memory_of_the_library(void **state)
{
    (void)state;
    uint64_t both = BOTH(0, 0) | BOTH(1, 0);
    sees_exactly(&(struct shape){{make_block, read_first}, 1, false}, both);
    sees_exactly(&(struct shape){{make_block, read_and_free}, 1, false}, both);
    fails_with(&(struct shape){{make_block, read_second}, 1, false}, FAILURE_GONE);
    fails_with(&(struct shape){{make_block, copy_and_free}, 1, false}, FAILURE_GONE);
    fails_with(&(struct shape){{make_block, use_after_free}, 1, false}, FAILURE_GONE);
    fails_with(&(struct shape){{make_block, read_first, read_and_free}, 1, false}, FAILURE_RACE);
    sees_exactly(&(struct shape){{make_clear_block, copy_and_free}, 1, false}, BOTH(0, 0));
    sees_exactly(&(struct shape){{make_filled_block, copy_and_free}, 1, false}, BOTH(0, 0));
    sees_exactly(&(struct shape){{make_grown_block, read_and_free}, 1, false}, both);
    fails_with(&(struct shape){{make_grown_block, read_second}, 1, false}, FAILURE_GONE);
    for (int way = 0; way < WAYS; way++) {
        assert_int_equal(explore(&(struct program){setup_keep, finish_blocks, (void *)1}, &ways[way]).verdict,
                         VERDICT_PASSED);
        assert_int_equal(explore(&(struct program){setup_lose, finish_blocks, (void *)0}, &ways[way]).verdict,
                         VERDICT_FAILED);
    }
}

/* A lock that says who came first and does not care. */
static struct {
    _Atomic(int) arrivals, held;
} barging;
static int promise;

static void take_and_release(void)
{
    while (atomic_exchange_explicit(&barging.held, 1, ACQUIRE))
        check_relax();
    check_owned(&barging);
    check_leaving(&barging);
    atomic_store_explicit(&barging.held, 0, RELEASE);
    check_released(&barging);
}

static void barge(void *times)
{
    for (uintptr_t i = 0; i < (uintptr_t)times; i++) {
        check_arriving(&barging, sizeof barging);
        atomic_fetch_add_explicit(&barging.arrivals, 1, RELAXED);
        take_and_release();
    }
}

static void setup_barging(void *times)
{
    check_max_overtakes(&barging, promise);
    check_thread(barge, (void *)1);
    check_thread(barge, times);
}

static void overtaking(void **state)
{
    (void)state;
    for (int way = 0; way < WAYS; way++)
        for (int times = 1; times <= 3; times++)
            for (promise = -1; promise <= 2; promise++) {
                struct program program = {setup_barging, NULL, (void *)(uintptr_t)times};
                struct result result = explore(&program, &ways[way]);
                bool kept = promise < 0 || times <= promise;
                assert_int_equal(result.verdict, kept ? VERDICT_PASSED : VERDICT_FAILED);
                if (!kept)
                    assert_int_equal(result.failure.kind, FAILURE_OVERTAKEN);
            }
}

/* A turn of a spin loop in vain is no arrival, though it is an exchange: who spins has not come first. */
static void spin_in(void *times)
{
    for (uintptr_t i = 0; i < (uintptr_t)times; i++) {
        check_arriving(&barging, sizeof barging);
        take_and_release();
    }
}

static void setup_spinning(void *unused)
{
    (void)unused;
    check_max_overtakes(&barging, 0);
    check_thread(spin_in, (void *)1);
    check_thread(spin_in, (void *)2);
    check_thread(spin_in, (void *)2);
}

static void spinning_is_no_arrival(void **state)
{
    (void)state;
    for (int way = 0; way < WAYS; way++) {
        struct result result = explore(&(struct program){setup_spinning, NULL, NULL}, &ways[way]);
        assert_int_equal(result.verdict, VERDICT_PASSED);
    }
}

/* The end writes to its own stack, deep and shallow: other frames are there when the next execution begins. */
__attribute__((noinline)) static void fill(volatile unsigned char *bytes, unsigned size)
{
    for (unsigned i = 0; i < size; i++)
        bytes[i] = 0xff;
}

static void finish_on_the_stack(void *shape)
{
    unsigned char bytes[256];
    fill(bytes, sizeof bytes);
    check_assert(bytes[0] == 0xff && bytes[sizeof bytes - 1] == 0xff);
    finish(shape);
}

static void stack_of_the_end_is_left_alone(void **state)
{
    (void)state;
    struct shape shape = {{mp_write, mp_read}, 2, false};
    for (int way = 0; way < WAYS; way++) {
        struct result result = explore(&(struct program){setup, finish_on_the_stack, &shape}, &ways[way]);
        assert_int_equal(result.verdict, VERDICT_PASSED);
    }
}

/* A word that is also accessed in parts: its bytes, its halves. */
static union {
    _Atomic(uint32_t) all;
    _Atomic(uint8_t) byte[4];
    _Atomic(uint16_t) half[2];
} parts;
#define SWAP_BYTE(to, which, from, value, order)                                                                       \
    {                                                                                                                  \
        uint8_t expected = from;                                                                                       \
        r[to] = atomic_compare_exchange_strong_explicit(&parts.byte[which], &expected, value, order, RELAXED);         \
    }
#define SWAP_ALL(to, from, value, order)                                                                               \
    {                                                                                                                  \
        uint32_t expected = from;                                                                                      \
        r[to] = atomic_compare_exchange_strong_explicit(&parts.all, &expected, value, order, RELAXED);                 \
    }

THREAD(parts_byte, SWAP_BYTE(0, 1, 0, 1, ACQ_REL))
THREAD(parts_all, SWAP_ALL(1, 0, 1, ACQ_REL))
THREAD(parts_add, atomic_fetch_add_explicit(&parts.all, 1, RELAXED);)
THREAD(parts_half, atomic_store_explicit(&parts.half[1], 2, RELEASE);)
THREAD(parts_end, r[3] = (int)(atomic_load_explicit(&parts.all, RELAXED) >> 8 & 3);)

static uint32_t parts_expected;
static void finish_parts(void *unused)
{
    (void)unused;
    check_assert(atomic_load_explicit(&parts.all, RELAXED) == parts_expected);
}

static void ends_with(const struct shape *shape, uint32_t end)
{
    parts_expected = end;
    for (int way = 0; way < WAYS; way++) {
        struct result result = explore(&(struct program){setup, finish_parts, (void *)(uintptr_t)shape}, &ways[way]);
        assert_int_equal(result.verdict, VERDICT_PASSED);
    }
}

static void parts_of_a_word(void **state)
{
    (void)state;
    /* A swap of the whole fails if a byte was swapped before; that of the byte succeeds in any case. */
    sees_exactly(&(struct shape){{parts_byte, parts_all}, 2, false}, BOTH(1, 0) | BOTH(1, 1));
    sees_exactly(&(struct shape){{parts_all, parts_byte, parts_half}, 2, false}, BOTH(1, 0) | BOTH(1, 1));
    /* Nothing is lost. */
    ends_with(&(struct shape){{parts_byte, parts_add, parts_half, parts_add}, 0, false}, 0x20102);
    ends_with(&(struct shape){{parts_add, parts_half, parts_byte}, 0, false}, 0x20101);
}

/* Who reads some bytes learns of those who wrote them, and of no others. */
THREAD(parts_publish, W(x, 1, RELAXED) atomic_store_explicit(&parts.byte[0], 1, RELEASE);)
THREAD(parts_publish_all, W(x, 1, RELAXED) atomic_store_explicit(&parts.all, 1, RELEASE);)
THREAD(parts_relaxed, SWAP_BYTE(2, 1, 0, 1, RELAXED))
THREAD(parts_read_byte, r[0] = atomic_load_explicit(&parts.byte[1], ACQUIRE); R(1, x, RELAXED))
THREAD(parts_read_first, r[0] = atomic_load_explicit(&parts.byte[0], ACQUIRE); R(1, x, RELAXED))
THREAD(parts_read_all, uint32_t all = atomic_load_explicit(&parts.all, ACQUIRE);
       r[0] = (all == 0x101) << 1 | (all == 1); R(1, x, RELAXED))

static void messages_of_parts(void **state)
{
    (void)state;
    uint64_t others = BOTH(0, 0) | BOTH(0, 1) | BOTH(1, 1);
    sees_exactly(&(struct shape){{parts_publish, parts_read_first, parts_end}, 2, false}, others);
    sees_exactly(&(struct shape){{parts_publish, parts_relaxed, parts_read_first}, 2, false}, others);
    sees_exactly(&(struct shape){{parts_publish, parts_relaxed, parts_read_byte, parts_end}, 2, false},
                 others | BOTH(1, 0));
    sees_exactly(&(struct shape){{parts_publish, parts_relaxed, parts_read_all}, 2, false}, others | BOTH(2, 1));
    /* The byte was swapped behind the store of the whole, or was overwritten by it. */
    sees_exactly(&(struct shape){{parts_publish_all, parts_relaxed, parts_read_all}, 2, false}, others | BOTH(2, 1));
}

/* Waiting for one byte while others change; sleeping at the whole. */
THREAD(parts_wait, while (atomic_load_explicit(&parts.byte[2], ACQUIRE) != 2) check_relax(); R(3, x, RELAXED))
THREAD(parts_sleep, uint32_t seen;
       while (!((seen = atomic_load_explicit(&parts.all, ACQUIRE)) >> 16)) check_park(&parts.all, 4, seen);)
THREAD(parts_wake, W(x, 1, RELAXED) atomic_store_explicit(&parts.half[1], 2, RELEASE); check_wake(&parts.all);)

static void waiting_for_parts(void **state)
{
    (void)state;
    sees_exactly(&(struct shape){{parts_wait, parts_wake, parts_byte}, 0, false}, BOTH(0, 0));
    fails_with(&(struct shape){{parts_wait, parts_byte, parts_add}, 0, false}, FAILURE_WAITS);
    sees_exactly(&(struct shape){{parts_sleep, parts_wake, parts_byte}, 0, false}, BOTH(0, 0));
    fails_with(&(struct shape){{parts_sleep, parts_half, parts_byte}, 0, false}, FAILURE_WAITS);
}

/* Sequentially consistent accesses and fences, as RC11 has them. Of each shape one outcome is in question. */
#define SEQ_CST memory_order_seq_cst
#define FENCE(order) atomic_thread_fence(order);

static _Atomic(int) z;

static void judges(const struct shape *shape, uint64_t outcome, bool allowed, uint64_t executions)
{
    for (int way = 0; way < WAYS; way++) {
        struct result result = run(shape, way);
        assert_int_equal(result.verdict, VERDICT_PASSED);
        assert_int_equal((check_outcomes() & outcome) != 0, allowed);
        if (!result.merged)
            assert_int_equal(result.executions, executions);
    }
}

/* Store buffering: both find nothing. All four accesses have to be seq_cst, or a fence of that order to be in both. */
THREAD(sb_left_sc, W(x, 1, SEQ_CST) R(0, y, SEQ_CST))
THREAD(sb_right_sc, W(y, 1, SEQ_CST) R(1, x, SEQ_CST))
THREAD(sb_left_fenced, W(x, 1, RELAXED) FENCE(SEQ_CST) R(0, y, RELAXED))
THREAD(sb_right_fenced, W(y, 1, RELAXED) FENCE(SEQ_CST) R(1, x, RELAXED))
THREAD(sb_right_weaker_fence, W(y, 1, RELAXED) FENCE(ACQ_REL) R(1, x, RELAXED))
THREAD(sb_right_store_only, W(y, 1, SEQ_CST) R(1, x, ACQUIRE))
THREAD(sb_right_load_only, W(y, 1, RELEASE) R(1, x, SEQ_CST))
THREAD(sb_left_exchange, atomic_exchange(&x, 1); R(0, y, SEQ_CST))

static void store_buffering_seq_cst(void **state)
{
    (void)state;
    judges(&(struct shape){{sb_left_sc, sb_right_sc}, 2, false}, BOTH(0, 0), false, 3);
    judges(&(struct shape){{sb_left_fenced, sb_right_fenced}, 2, false}, BOTH(0, 0), false, 3);
    judges(&(struct shape){{sb_left_exchange, sb_right_sc}, 2, false}, BOTH(0, 0), false, 3);
    judges(&(struct shape){{sb_left_fenced, sb_right_weaker_fence}, 2, false}, BOTH(0, 0), true, 4);
    judges(&(struct shape){{sb_left_sc, sb_right_store_only}, 2, false}, BOTH(0, 0), true, 4);
    judges(&(struct shape){{sb_left_sc, sb_right_load_only}, 2, false}, BOTH(0, 0), true, 4);
    /* A fence is before seq_cst accesses that come after it, too. */
    judges(&(struct shape){{sb_left_fenced, sb_right_sc}, 2, false}, BOTH(0, 0), false, 3);
}

/* 2+2W: each location ends with the value that was stored first in program order. */
THREAD(ww_left_sc, W(x, 1, SEQ_CST) W(y, 2, SEQ_CST))
THREAD(ww_right_sc, W(y, 1, SEQ_CST) W(x, 2, SEQ_CST))
THREAD(ww_left_fenced, W(x, 1, RELAXED) FENCE(SEQ_CST) W(y, 2, RELAXED))
THREAD(ww_right_fenced, W(y, 1, RELAXED) FENCE(SEQ_CST) W(x, 2, RELAXED))

static void two_plus_two_writes_seq_cst(void **state)
{
    (void)state;
    judges(&(struct shape){{ww_left_sc, ww_right_sc}, 0, true}, BOTH(1, 1), false, 3);
    judges(&(struct shape){{ww_left_fenced, ww_right_fenced}, 0, true}, BOTH(1, 1), false, 3);
    judges(&(struct shape){{ww_left_sc, ww_right}, 0, true}, BOTH(1, 1), true, 4);
    judges(&(struct shape){{ww_left_fenced, ww_right}, 0, true}, BOTH(1, 1), true, 4);
}

/* IRIW: the readers disagree. In the last one C11 forbids it and RC11 does not: a compiler for Power may let it happen.
 */
THREAD(iriw_x_sc, W(x, 1, SEQ_CST))
THREAD(iriw_y_sc, W(y, 1, SEQ_CST))
#define TWO_READS(order, between, other_order)                                                                         \
    int first = atomic_load_explicit(&y, order);                                                                       \
    between r[2] = first | atomic_load_explicit(&x, other_order) << 1;
THREAD(iriw_left_sc, R(0, x, SEQ_CST) R(1, y, SEQ_CST))
THREAD(iriw_right_sc, TWO_READS(SEQ_CST, , SEQ_CST))
THREAD(iriw_left_fenced, R(0, x, RELAXED) FENCE(SEQ_CST) R(1, y, RELAXED))
THREAD(iriw_right_fenced, TWO_READS(RELAXED, FENCE(SEQ_CST), RELAXED))
THREAD(iriw_left_mixed, R(0, x, ACQUIRE) R(1, y, SEQ_CST))
THREAD(iriw_right_mixed, TWO_READS(ACQUIRE, , SEQ_CST))

static void independent_reads_seq_cst(void **state)
{
    (void)state;
    uint64_t disagree = OUTCOME(1, 0, 1);
    judges(&(struct shape){{iriw_x_sc, iriw_y_sc, iriw_left_sc, iriw_right_sc}, 3, false}, disagree, false, 15);
    judges(&(struct shape){{iriw_x, iriw_y, iriw_left_fenced, iriw_right_fenced}, 3, false}, disagree, false, 15);
    judges(&(struct shape){{iriw_x, iriw_y, iriw_left_sc, iriw_right_sc}, 3, false}, disagree, true, 16);
    judges(&(struct shape){{iriw_x, iriw_y, iriw_left_fenced, iriw_right}, 3, false}, disagree, true, 16);
    judges(&(struct shape){{iriw_x_sc, iriw_y_sc, iriw_left_mixed, iriw_right_mixed}, 3, false}, disagree, true, 16);
}

/* RWC: one sees x and not yet y; another has stored y and does not see x. */
THREAD(rwc_sc, W(y, 1, SEQ_CST) R(2, x, SEQ_CST))
THREAD(rwc_fenced, W(y, 1, RELAXED) FENCE(SEQ_CST) R(2, x, RELAXED))
/* W+RWC: the same, and it has heard of x by a message. */
THREAD(wrwc_tell, W(x, 1, RELAXED) W(y, 1, RELEASE))
THREAD(wrwc_hear, R(0, y, ACQUIRE) FENCE(SEQ_CST) R(1, z, RELAXED))
THREAD(wrwc_hear_relaxed, R(0, y, RELAXED) R(1, z, RELAXED))
THREAD(wrwc_look, W(z, 1, RELAXED) FENCE(SEQ_CST) R(2, x, RELAXED))

static void reads_and_writes_seq_cst(void **state)
{
    (void)state;
    uint64_t seen = OUTCOME(1, 0, 0);
    judges(&(struct shape){{iriw_x_sc, iriw_left_sc, rwc_sc}, 3, false}, seen, false, 7);
    judges(&(struct shape){{iriw_x, iriw_left_fenced, rwc_fenced}, 3, false}, seen, false, 7);
    judges(&(struct shape){{iriw_x, iriw_left, rwc_fenced}, 3, false}, seen, true, 8);
    judges(&(struct shape){{iriw_x, iriw_left_sc, rwc_fenced}, 3, false}, seen, true, 8);
    judges(&(struct shape){{wrwc_tell, wrwc_hear, wrwc_look}, 3, false}, seen, false, 7);
    judges(&(struct shape){{wrwc_tell, wrwc_hear_relaxed, wrwc_look}, 3, false}, seen, true, 8);
}

/* R: the second store of x's thread comes before the other's, which does not see x. r0, x, y. */
THREAD(r_left_sc, W(x, 1, SEQ_CST) W(y, 1, SEQ_CST))
THREAD(r_right_sc, W(y, 2, SEQ_CST) R(0, x, SEQ_CST))
THREAD(r_left_fenced, W(x, 1, RELAXED) FENCE(SEQ_CST) W(y, 1, RELAXED))
THREAD(r_right_fenced, W(y, 2, RELAXED) FENCE(SEQ_CST) R(0, x, RELAXED))

static void store_and_read_seq_cst(void **state)
{
    (void)state;
    uint64_t unseen = OUTCOME(0, 1, 2);
    judges(&(struct shape){{r_left_sc, r_right_sc}, 1, true}, unseen, false, 3);
    judges(&(struct shape){{r_left_fenced, r_right_fenced}, 1, true}, unseen, false, 3);
    judges(&(struct shape){{mp_publish, r_right_sc}, 1, true}, unseen, true, 4);
    judges(&(struct shape){{mp_publish, r_right_fenced}, 1, true}, unseen, true, 4);
}

/* Z6.U: C11 forbids it, RC11 does not, because a message of release and acquire is in between. */
THREAD(z6_store, W(x, 1, SEQ_CST) W(y, 1, RELEASE))
THREAD(z6_store_sc, W(x, 1, SEQ_CST) W(y, 1, SEQ_CST))
THREAD(z6_change, r[0] = atomic_fetch_add(&y, 1); R(1, y, RELAXED))
THREAD(z6_look, W(y, 3, SEQ_CST) R(2, x, SEQ_CST))

static void message_against_seq_cst(void **state)
{
    (void)state;
    uint64_t unseen = OUTCOME(1, 3, 0);
    for (int way = 0; way < WAYS; way++) {
        run(&(struct shape){{z6_store, z6_change, z6_look}, 3, false}, way);
        assert_true(check_outcomes() & unseen);
        run(&(struct shape){{z6_store_sc, z6_change, z6_look}, 3, false}, way);
        assert_false(check_outcomes() & unseen);
    }
}

/* Peterson's lock for two is right with seq_cst, and a message is no race; with release and acquire there are two
 * owners. */
static _Atomic(int) wants[2], turn;

static void peterson(int self, memory_order store, memory_order load)
{
    atomic_store_explicit(&wants[self], 1, store);
    atomic_store_explicit(&turn, !self, store);
    while (atomic_load_explicit(&wants[!self], load) && atomic_load_explicit(&turn, load) == !self)
        check_relax();
    check_owned(&turn);
    data++;
    check_leaving(&turn);
    atomic_store_explicit(&wants[self], 0, store);
}
THREAD(peterson_0, peterson(0, SEQ_CST, SEQ_CST);)
THREAD(peterson_1, peterson(1, SEQ_CST, SEQ_CST);)
THREAD(peterson_0_weak, peterson(0, RELEASE, ACQUIRE);)
THREAD(peterson_1_weak, peterson(1, RELEASE, ACQUIRE);)

static void petersons_lock(void **state)
{
    (void)state;
    for (int way = 0; way < WAYS; way++) {
        assert_int_equal(run(&(struct shape){{peterson_0, peterson_1}, 0, false}, way).verdict, VERDICT_PASSED);
        assert_int_equal(run(&(struct shape){{peterson_0_weak, peterson_1_weak}, 0, false}, way).verdict,
                         VERDICT_FAILED);
    }
}

/* Limits. */
static void limits_are_kept(void **state)
{
    (void)state;
    struct shape shape = {{iriw_x, iriw_y, iriw_left, iriw_right}, 3, false};
    struct program program = {setup, finish, &shape};
    struct limits limits = {.seconds = 60, .bytes = 1, .counted = 1000};
    struct result result = explore(&program, &limits);
    assert_int_equal(result.verdict, VERDICT_INCOMPLETE);
    assert_string_equal(result.limit, "memory");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(message_passing),
        cmocka_unit_test(message_passing_with_fences),
        cmocka_unit_test(store_buffering),
        cmocka_unit_test(load_buffering_is_excluded),
        cmocka_unit_test(coherence_of_two_reads),
        cmocka_unit_test(coherence_of_writes),
        cmocka_unit_test(two_plus_two_writes),
        cmocka_unit_test(independent_reads),
        cmocka_unit_test(release_sequences),
        cmocka_unit_test(additions_are_not_lost),
        cmocka_unit_test(compare_and_swap),
        cmocka_unit_test(weak_compare_and_swap),
        cmocka_unit_test(weak_compare_and_swap_after_a_store),
        cmocka_unit_test(one_of_those_alike_is_followed),
        cmocka_unit_test(data_races),
        cmocka_unit_test(data_races_with_the_first_of_two),
        cmocka_unit_test(spin_loops),
        cmocka_unit_test(turns_that_change_something),
        cmocka_unit_test(waiting_after_a_look),
        cmocka_unit_test(the_same_value_again),
        cmocka_unit_test(parking),
        cmocka_unit_test(spurious_wake_ups),
        cmocka_unit_test(sleep_after_a_weak_failure),
        cmocka_unit_test(wakes_that_go_astray),
        cmocka_unit_test(sleepers_one_after_the_other),
        cmocka_unit_test(sleeps_of_one_function),
        cmocka_unit_test(wake_of_a_dead_address),
        cmocka_unit_test(word_freed_by_another),
        cmocka_unit_test(word_freed_twice),
        cmocka_unit_test(memory_of_the_library),
        cmocka_unit_test(overtaking),
        cmocka_unit_test(spinning_is_no_arrival),
        cmocka_unit_test(stack_of_the_end_is_left_alone),
        cmocka_unit_test(parts_of_a_word),
        cmocka_unit_test(messages_of_parts),
        cmocka_unit_test(waiting_for_parts),
        cmocka_unit_test(store_buffering_seq_cst),
        cmocka_unit_test(two_plus_two_writes_seq_cst),
        cmocka_unit_test(independent_reads_seq_cst),
        cmocka_unit_test(reads_and_writes_seq_cst),
        cmocka_unit_test(store_and_read_seq_cst),
        cmocka_unit_test(message_against_seq_cst),
        cmocka_unit_test(petersons_lock),
        cmocka_unit_test(limits_are_kept),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
