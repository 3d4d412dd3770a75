/* SPDX-License-Identifier: MIT */
/* One thread holds a thousand locks and releases them in any order; acquire in one function, release in its caller; for
 * the locks that allow it, acquire in one thread, release in another. */
#include "tests/support/test.h"

#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>

enum { LOCKS = 1000 };

struct shelf {
    const struct recip_algorithm *lock;
    void *locks[LOCKS];
    struct recip_any_context contexts[LOCKS];
    unsigned visits[LOCKS];
    _Atomic(bool) all_held;
};

/* The locks that are acquired here are released by the caller. */
static void acquire_all(struct shelf *shelf)
{
    for (unsigned i = 0; i < LOCKS; i++)
        shelf->lock->acquire(shelf->locks[i], &shelf->contexts[i]);
}

/* A permutation that is neither first-in-first-out nor its reverse: steps of a number prime to a thousand. */
static void release_scattered(struct shelf *shelf)
{
    for (unsigned i = 0, at = 0; i < LOCKS; i++, at = (at + 387) % LOCKS) {
        shelf->visits[at]++;
        shelf->lock->release(shelf->locks[at], &shelf->contexts[at]);
    }
}

/* Thread 0 holds all; the others want them one by one meanwhile, and wait. */
static void hold_or_want(void *of, unsigned index)
{
    struct shelf *shelf = of;
    if (index == 0) {
        acquire_all(shelf);
        atomic_store(&shelf->all_held, true);
        release_scattered(shelf);
        return;
    }
    while (!atomic_load(&shelf->all_held))
        sched_yield();
    struct recip_any_context context;
    for (unsigned i = 0; i < LOCKS; i++) {
        shelf->lock->acquire(shelf->locks[i], &context);
        shelf->visits[i]++;
        shelf->lock->release(shelf->locks[i], &context);
    }
}

static void holds_a_thousand(const struct recip_algorithm *lock)
{
    struct shelf *shelf = calloc(1, sizeof *shelf);
    shelf->lock = lock;
    for (unsigned i = 0; i < LOCKS; i++)
        shelf->locks[i] = new_lock(lock);
    run_crew(3, hold_or_want, shelf);
    for (unsigned i = 0; i < LOCKS; i++) {
        assert_int_equal(shelf->visits[i], 3);
        free_lock(lock, shelf->locks[i]);
    }
    free(shelf);
}

/* Thread 0 acquires, hands the context to thread 1, which releases; threads 2 and 3 want the lock all the time. */
struct relay {
    const struct recip_algorithm *lock;
    void *memory;
    struct recip_any_context context;
    _Atomic(unsigned) acquired, released;
    unsigned visits;
};

static void acquire_here_release_there(void *of, unsigned index)
{
    struct relay *relay = of;
    struct recip_any_context context;
    for (unsigned round = 1; round <= REPEAT(500); round++) {
        switch (index) {
        case 0:
            relay->lock->acquire(relay->memory, &relay->context);
            relay->visits++;
            atomic_store(&relay->acquired, round);
            while (atomic_load(&relay->released) != round)
                sched_yield();
            break;
        case 1:
            while (atomic_load(&relay->acquired) != round)
                sched_yield();
            relay->visits++;
            relay->lock->release(relay->memory, &relay->context);
            atomic_store(&relay->released, round);
            break;
        default:
            relay->lock->acquire(relay->memory, &context);
            relay->visits++;
            relay->lock->release(relay->memory, &context);
        }
    }
}

static bool is_oblivious(const struct recip_algorithm *lock)
{
    return lock->traits & RECIP_OBLIVIOUS;
}

static void releases_elsewhere(const struct recip_algorithm *lock)
{
    struct relay relay = {.lock = lock, .memory = new_lock(lock)};
    run_crew(4, acquire_here_release_there, &relay);
    assert_int_equal(relay.visits, 4 * REPEAT(500));
    free_lock(lock, relay.memory);
}

int main(int argc, char **argv)
{
    return run_for_each_lock("a thousand locks held", holds_a_thousand, NULL, argc, argv) +
           run_for_each_lock("released by another thread", releases_elsewhere, is_oblivious, argc, argv);
}
