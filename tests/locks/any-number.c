/* SPDX-License-Identifier: MIT */
/* Any number of threads, created and gone; any number of locks. */
#include "tests/support/test.h"

#include <stdlib.h>
#include <string.h>

enum { THREADS = 2000, AT_ONCE = 8, LOCKS = 1000000 };

struct counter {
    const struct recip_algorithm *lock;
    void *memory;
    unsigned visits;
};

static void visit_once(void *of, unsigned index)
{
    (void)index;
    struct counter *counter = of;
    struct recip_any_context context;
    counter->lock->acquire(counter->memory, &context);
    counter->visits++;
    counter->lock->release(counter->memory, &context);
}

static void serves_many_threads(const struct recip_algorithm *lock)
{
    struct counter counter = {.lock = lock, .memory = new_lock(lock)};
    for (unsigned batch = 0; batch < REPEAT(THREADS / AT_ONCE); batch++)
        run_crew(AT_ONCE, visit_once, &counter);
    assert_int_equal(counter.visits, AT_ONCE * REPEAT(THREADS / AT_ONCE));
    free_lock(lock, counter.memory);
}

/* Anderson's costs a slot for each thread in each lock: the misfit that the paper names. */
static bool is_small(const struct recip_algorithm *lock)
{
    return lock->max_threads == 0;
}

static void lives_in_a_million(const struct recip_algorithm *lock)
{
    size_t locks = REPEAT(LOCKS);
    size_t stride = lock->mutex_size;
    char *memory = aligned_alloc(lock->alignment, locks * stride);
    assert_non_null(memory);
    memset(memory, 0, locks * stride);
    for (size_t i = 0; i < locks; i++) {
        if (lock->traits & RECIP_NEEDS_INIT)
            lock->init(memory + i * stride);
        lock->mutex_lock(memory + i * stride);
        lock->mutex_unlock(memory + i * stride);
    }
    for (size_t i = 0; i < locks; i++) {
        assert_true(lock->mutex_trylock(memory + i * stride));
        lock->mutex_unlock(memory + i * stride);
        lock->destroy(memory + i * stride);
    }
    free(memory);
}

int main(int argc, char **argv)
{
    return run_for_each_lock("thousands of threads", serves_many_threads, NULL, argc, argv) +
           run_for_each_lock("a million locks", lives_in_a_million, is_small, argc, argv);
}
