/* SPDX-License-Identifier: MIT */
/* A wake-up call is made for a thread that sleeps, and for no other. */
#include "tests/support/test.h"

#include <limits.h>

#include "port/gate.h"
#include "tests/locks/driver.h"

/* By recip_spin_turns, that is; the mutex has its own tests. */
static bool does_park(const struct recip_algorithm *lock)
{
    return lock->parks && lock->waits == RECIP_WAITS_OWN;
}

/* The calls that it takes to hand the lock on from one thread to three others, and to let it go. */
static unsigned wakes_for_three(const struct recip_algorithm *lock, unsigned spin_turns)
{
    recip_spin_turns = spin_turns;
    struct driver *driver = driver_start(lock, WITH_CONTEXT, 4);
    atomic_store(&test_wakes, 0);
    for (int who = 0; who < 4; who++)
        driver_arrive(driver, who);
    while (driver_release(driver) != NOBODY)
        ;
    driver_stop(driver);
    return atomic_load(&test_wakes);
}

static void wakes_sleepers_only(const struct recip_algorithm *lock)
{
    assert_int_equal(wakes_for_three(lock, 0), 3);
    assert_int_equal(wakes_for_three(lock, UINT_MAX), 0);
}

static void wakes_nobody_alone(const struct recip_algorithm *lock)
{
    void *memory = new_lock(lock);
    struct recip_any_context context;
    atomic_store(&test_wakes, 0);
    for (int i = 0; i < 100; i++) {
        lock->acquire(memory, &context);
        lock->release(memory, &context);
    }
    assert_int_equal(atomic_load(&test_wakes), 0);
    free_lock(lock, memory);
}

int main(int argc, char **argv)
{
    return run_for_each_lock("wake-ups for sleepers only", wakes_sleepers_only, does_park, argc, argv) +
           run_for_each_lock("no wake-ups without contention", wakes_nobody_alone, does_park, argc, argv);
}
