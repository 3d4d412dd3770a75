/* SPDX-License-Identifier: MIT */
/* Space: the sizes of the paper's table, and nothing for each pair of a thread and a lock. */
#include "tests/support/test.h"

#include <malloc.h>
#include <stdlib.h>

#include "port/hapax.h"
#include "port/node.h"
#include "port/thread.h"
#include "port/waiting-array.h"

/* The paper's Table 1, space complexity, in words of a lock that keeps its context in its body. */
static const struct {
    const char *id;
    size_t words;
} table[] = {
    {"mcs", 2}, {"clh", 2}, {"hemlock", 1}, {"hemlock-ctr", 1}, {"ticket", 2}, {"twa", 2}, {"reciprocating", 2},
};

static void sizes_are_the_papers(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof table / sizeof *table; i++)
        assert_int_equal(recip_algorithm_find(table[i].id)->mutex_size, table[i].words * sizeof(void *));
    assert_int_equal(sizeof(struct element), 128);
    assert_int_equal(_Alignof(struct element), 128);
    assert_int_equal(sizeof(struct node), 128);
    assert_int_equal(sizeof recip_waiting_array / sizeof *recip_waiting_array, 4096);
}

/* The locks beside the paper's table, in words of the lock, of its context, and of the mutex form. Where cache lines
 * matter, a lock has lines of its own: gcr-* two, cohort-* one for each socket and one for the global lock,
 * fissile-lanes one for each lane and one. */
enum { LINE_WORDS = RECIP_LINE / sizeof(void *) };
static const struct {
    const char *id;
    size_t lock, context, mutex;
} others[] = {
    {"reciprocating-ctr", 1, 2, 3},
    {"reciprocating-demote", 1, 2, 3},
    {"reciprocating-streaming", 1, 2, 3},
    {"reciprocating-relay-cas", 1, 1, 2},
    {"reciprocating-doubleswap-cas", 1, 1, 2},
    {"reciprocating-shuffled", 1, 3, 4},
    {"reciprocating-numa", 19, 2, 19},
    {"cna", 1, 2, 3},
    {"shfl", 2, 0, 2},
    {"fissile", 2, 0, 2},
    {"mcscr", 4, 1, 5},
    {"hapax", 2, 1, 3},
    {"hapax-visible", 2, 1, 3},
    {"gcr-mcs", 2 * LINE_WORDS, 1, 3 * LINE_WORDS},
    {"gcr-ticket", 2 * LINE_WORDS, 0, 2 * LINE_WORDS},
    {"cohort-bo-mcs", 3 * LINE_WORDS, 2, 4 * LINE_WORDS},
    {"fissile-lanes", 3 * LINE_WORDS, 0, 3 * LINE_WORDS},
};

static void sizes_are_as_documented(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        const struct recip_algorithm *lock = recip_algorithm_find(others[i].id);
        assert_int_equal(lock->lock_size, others[i].lock * sizeof(void *));
        assert_int_equal(lock->context_size, others[i].context * sizeof(void *));
        assert_int_equal(lock->mutex_size, others[i].mutex * sizeof(void *));
    }
    assert_int_equal(recip_algorithm_find("cohort-ticket")->lock_size, 3 * RECIP_LINE);
    assert_int_equal(sizeof(struct nearest), 192);
    assert_int_equal(sizeof recip_hapax_slots / sizeof *recip_hapax_slots, 4096);
    assert_int_equal(sizeof recip_hapax_slots, 512 * 1024);
}

#if defined(__SANITIZE_THREAD__) || defined(__SANITIZE_ADDRESS__)
#define HEAP_IS_COUNTED 0
#else
#define HEAP_IS_COUNTED 1
#endif

enum { LOCKS = 5000, THREADS = 8 };

struct grid {
    const struct recip_algorithm *lock;
    void *locks[LOCKS];
};

static void touch_all(void *of, unsigned index)
{
    struct grid *grid = of;
    struct recip_any_context context;
    for (unsigned i = 0; i < LOCKS; i++) {
        void *lock = grid->locks[(i + index * (LOCKS / THREADS)) % LOCKS];
        grid->lock->acquire(lock, &context);
        grid->lock->release(lock, &context);
    }
}

/* Once every lock has been used, the heap grows by less than a byte for each pair of a thread and a lock. */
static void pairs_cost_nothing(const struct recip_algorithm *lock)
{
    static struct grid grid;
    grid.lock = lock;
    for (unsigned i = 0; i < LOCKS; i++)
        grid.locks[i] = new_lock(lock);
    run_crew(1, touch_all, &grid);
    size_t before = mallinfo2().uordblks;
    run_crew(THREADS, touch_all, &grid);
    size_t after = mallinfo2().uordblks;
    for (unsigned i = 0; i < LOCKS; i++)
        free_lock(lock, grid.locks[i]);
    if (after >= before + THREADS * LOCKS)
        fail_msg("the heap grew by %zu bytes", after - before);
}

static bool is_counted(const struct recip_algorithm *lock)
{
    return HEAP_IS_COUNTED && lock->max_threads == 0;
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(sizes_are_the_papers),
                                       cmocka_unit_test(sizes_are_as_documented)};
    return cmocka_run_group_tests_name("sizes", tests, NULL, NULL) +
           run_for_each_lock("no memory for pairs", pairs_cost_nothing, is_counted, argc, argv);
}
