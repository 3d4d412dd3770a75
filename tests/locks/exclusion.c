/* SPDX-License-Identifier: MIT */
/* At most one owner at a time, and what one owner wrote the next one sees; in both forms, by acquire and by
 * try-acquire. */
#include "tests/support/test.h"

#include <sched.h>

#include "port/gate.h"

#ifndef THREADS
#define THREADS 4
#endif
#ifndef ROUNDS
#define ROUNDS 8000
#endif

struct room {
    const struct recip_algorithm *lock;
    void *memory;
    unsigned inside;   /* plain: a second owner is a data race too */
    unsigned meetings; /* how often somebody else was inside */
    unsigned long visits;
};

static void visit(struct room *room, unsigned round)
{
    if (++room->inside != 1)
        room->meetings++;
    if (round % 8 == 0)
        sched_yield();
    room->visits++;
    room->inside--;
}

static void visit_with_context(void *of, unsigned index)
{
    struct room *room = of;
    struct recip_any_context context;
    for (unsigned round = 0; round < REPEAT(ROUNDS); round++) {
        if ((round + index) % 4 == 0)
            while (!room->lock->try_acquire(room->memory, &context))
                sched_yield();
        else
            room->lock->acquire(room->memory, &context);
        visit(room, round);
        room->lock->release(room->memory, &context);
    }
}

static void visit_as_mutex(void *of, unsigned index)
{
    struct room *room = of;
    for (unsigned round = 0; round < REPEAT(ROUNDS); round++) {
        if ((round + index) % 4 == 0)
            while (!room->lock->mutex_trylock(room->memory))
                sched_yield();
        else
            room->lock->mutex_lock(room->memory);
        visit(room, round);
        room->lock->mutex_unlock(room->memory);
    }
}

static void check_room(const struct recip_algorithm *lock, void (*visitor)(void *, unsigned))
{
    struct room room = {.lock = lock, .memory = new_lock(lock)};
    run_crew(THREADS, visitor, &room);
    assert_int_equal(room.meetings, 0);
    assert_int_equal(room.visits, THREADS * (unsigned long)REPEAT(ROUNDS));
    free_lock(lock, room.memory);
}

static void excludes(const struct recip_algorithm *lock)
{
    check_room(lock, visit_with_context);
    check_room(lock, visit_as_mutex);
}

#ifdef RECIP_ELEMENTS_ON_STACK
static bool chosen(const struct recip_algorithm *lock)
{
    return lock->traits & RECIP_STACK;
}
#else
#define chosen NULL
#endif

int main(int argc, char **argv)
{
#ifdef SPIN_TURNS
    recip_spin_turns = SPIN_TURNS;
#endif
    return run_for_each_lock("mutual exclusion", excludes, chosen, argc, argv);
}
