/* SPDX-License-Identifier: MIT */
/* Code of one's own, checked in every execution that C11 allows: something is made once, by whoever comes first, and
 * the others wait for it.
 *
 *     recip check --source examples/once-client.c
 *
 * Make the store in `once` relaxed, and the report shows an execution in which a thread sees the flag and not the
 * thing.
 */
#include <stdatomic.h>
#include <stddef.h>

#include <recip-check.h>

enum { NOT_YET, BEING_MADE, MADE };

static _Atomic(int) state;
static int thing, times;

static void once(void)
{
    int expected = NOT_YET;
    /* acquire: with the store of MADE, if another thread has made it. */
    if (atomic_compare_exchange_strong_explicit(&state, &expected, BEING_MADE, memory_order_acquire,
                                                memory_order_acquire)) {
        thing = 42;
        times++;
        /* release: what was made, to all who see this. */
        atomic_store_explicit(&state, MADE, memory_order_release);
        return;
    }
    while (atomic_load_explicit(&state, memory_order_acquire) != MADE)
        check_relax();
}

static void user(void *unused)
{
    (void)unused;
    once();
    check_assert(thing == 42);
}

static void setup(void)
{
    check_name(&state, sizeof state, "state");
    check_name(&thing, sizeof thing, "thing");
    for (int i = 0; i < 3; i++)
        check_thread(user, NULL);
}

static void finish(void)
{
    check_assert(times == 1);
}

CHECK_CLIENT("three threads need it", setup, finish)
