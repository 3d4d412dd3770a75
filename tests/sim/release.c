/* SPDX-License-Identifier: MIT */
/* Constant-time release, as `recip table` measures it, for every lock; and that the measure sees what it is to see. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

#include "sim/release.h"

static struct machine machine;

static int read_machine(void **state)
{
    (void)state;
    assert_null(machine_read(&machine, MACHINES "/altra-max.machine"));
    return 0;
}

/* The queue locks whose owner needs the thread behind it: for its link (MCS, K42, and what is made of MCS), for its
 * receipt (HemLock). */
static bool waits_in_release(const char *id)
{
    static const char *const ids[] = {
        "mcs",        "mcs-park", "k42",      "k42-park", "hemlock",      "hemlock-ctr",   "mcscr",
        "mcscr-park", "cna",      "cna-park", "gcr-mcs",  "gcr-mcs-park", "cohort-bo-mcs", "cohort-bo-mcs-park"};
    for (size_t i = 0; i < sizeof ids / sizeof *ids; i++)
        if (strcmp(ids[i], id) == 0)
            return true;
    return false;
}

static void every_lock(void **state)
{
    (void)state;
    unsigned wrong = 0;
    for (size_t i = 0; i < recip_algorithm_count; i++) {
        const struct recip_algorithm *lock = recip_algorithms[i];
        if (lock->traits & RECIP_NATIVE)
            continue;
        struct release_cost cost = release_measure(lock, &machine, 1);
        if (release_is_constant(&cost) != waits_in_release(lock->id))
            continue;
        wrong++;
        print_error("%s: %g us, %u and %u accesses\n", lock->id, 1e6 * cost.longest, cost.few, cost.many);
    }
    assert_int_equal(wrong, 0);
}

/* A ticket lock whose release looks at the record of every thread. */
static void release_looking_at_all(void *lock, void *context)
{
    for (unsigned i = 0; i < world.thread_count; i++) {
        world_site(__builtin_return_address(0), "load");
        world_load(&world.threads[i].record->grant, sizeof(uintptr_t));
    }
    recip_algorithm_find("ticket")->release(lock, context);
}

static void a_release_that_looks_at_all_is_found(void **state)
{
    (void)state;
    struct recip_algorithm lock = *recip_algorithm_find("ticket");
    struct release_cost cost = release_measure(&lock, &machine, 1);
    assert_true(release_is_constant(&cost));
    lock.release = release_looking_at_all;
    cost = release_measure(&lock, &machine, 1);
    assert_true(cost.many > cost.few);
    assert_false(release_is_constant(&cost));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_lock),
        cmocka_unit_test(a_release_that_looks_at_all_is_found),
    };
    return cmocka_run_group_tests(tests, read_machine, NULL);
}
