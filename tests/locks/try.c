/* SPDX-License-Identifier: MIT */
/* Try-acquire takes a free lock, refuses a held one without waiting, and leaves the waiters as they were. */
#include "tests/support/test.h"

#include <sched.h>
#include <stdatomic.h>

struct scene {
    const struct recip_algorithm *lock;
    void *memory;
    _Atomic(unsigned) stage;
    _Atomic(unsigned) wrong; /* cmocka's assertions are for its own thread */
};

static void await_stage(struct scene *scene, unsigned stage)
{
    while (atomic_load(&scene->stage) < stage)
        sched_yield();
}

/* Thread 0 holds the lock through stages 1 to 2; thread 1 tries meanwhile and after. */
static void hold_and_try(void *of, unsigned index)
{
    struct scene *scene = of;
    const struct recip_algorithm *lock = scene->lock;
    struct recip_any_context context;
    if (index == 0) {
        scene->wrong += !lock->try_acquire(scene->memory, &context);
        atomic_store(&scene->stage, 1);
        await_stage(scene, 2);
        lock->release(scene->memory, &context);
        atomic_store(&scene->stage, 3);
    } else {
        await_stage(scene, 1);
        for (int i = 0; i < 100; i++)
            scene->wrong += lock->try_acquire(scene->memory, &context);
        atomic_store(&scene->stage, 2);
        await_stage(scene, 3);
        scene->wrong += !lock->try_acquire(scene->memory, &context);
        lock->release(scene->memory, &context);
    }
}

static void tries(const struct recip_algorithm *lock)
{
    struct recip_any_context context;
    struct scene scene = {.lock = lock, .memory = new_lock(lock)};
    for (int i = 0; i < 3; i++) {
        assert_true(lock->try_acquire(scene.memory, &context));
        lock->release(scene.memory, &context);
        lock->acquire(scene.memory, &context);
        lock->release(scene.memory, &context);
    }
    run_crew(2, hold_and_try, &scene);
    assert_int_equal(scene.wrong, 0);
    free_lock(lock, scene.memory);
}

/* Three threads lock, three only try. All that lock get through, and no refused try counts as an acquisition. */
struct crowd {
    const struct recip_algorithm *lock;
    void *memory;
    unsigned long inside_visits;
    _Atomic(unsigned long) admitted;
    _Atomic(unsigned) lockers;
};

static void push_through(void *of, unsigned index)
{
    struct crowd *crowd = of;
    const struct recip_algorithm *lock = crowd->lock;
    struct recip_any_context context;
    if (index < 3) {
        for (int round = 0; round < REPEAT(500); round++) {
            lock->acquire(crowd->memory, &context);
            crowd->inside_visits++;
            lock->release(crowd->memory, &context);
            atomic_fetch_add(&crowd->admitted, 1);
        }
        atomic_fetch_sub(&crowd->lockers, 1);
        return;
    }
    while (atomic_load(&crowd->lockers)) {
        if (lock->try_acquire(crowd->memory, &context)) {
            crowd->inside_visits++;
            lock->release(crowd->memory, &context);
            atomic_fetch_add(&crowd->admitted, 1);
        }
        sched_yield();
    }
}

static void tries_in_a_crowd(const struct recip_algorithm *lock)
{
    struct crowd crowd = {.lock = lock, .memory = new_lock(lock), .lockers = 3};
    run_crew(6, push_through, &crowd);
    assert_int_equal(crowd.inside_visits, crowd.admitted);
    assert_true(crowd.admitted >= 3 * REPEAT(500));
    free_lock(lock, crowd.memory);
}

int main(int argc, char **argv)
{
    return run_for_each_lock("try-acquire", tries, NULL, argc, argv) +
           run_for_each_lock("try-acquire in a crowd", tries_in_a_crowd, NULL, argc, argv);
}
