/* SPDX-License-Identifier: MIT */
/* A core that computes ahead of what it waits for, if its machine says how far (`ahead`).
 *
 * - Read-modify-writes that hit are done one after the other, and hits go on meanwhile. A miss waits for them.
 * - One begins when the stores before it have left the store buffer for the cache, which takes `drain` for each.
 * - While the core waits for a line it meets other accesses that miss, and asks for their lines too if it knows their
 *   addresses. So a miss soon after another has been under way since that one began, unless its address comes from the
 *   line that was missed, or that line was what a spin loop waited for: until it has come the core expects another
 * turn.
 * - Stores ask for their lines when all before them is done, so not while an earlier access misses; but then each at
 *   once, though they are done in order. A read-modify-write asks while the stores before it are under way.
 *
 * The head start of a miss is found when it happens, so its line stays where it was for longer than in a real machine.
 */
#include <string.h>

#include "sim/world.h"

/* What it computes ahead is left out afterwards: so its read-modify-write happens when it is done, and its stores
 * behind that. */
void ahead_do_atomic(struct sim_thread *thread)
{
    sim_time takes = thread->stores * world.machine->drain + world.machine->atomic;
    thread->stores = 0;
    thread->clock += takes;
    thread->computed += takes;
    if (thread->computed > world.machine->ahead)
        thread->computed = world.machine->ahead;
}

void ahead_compute(struct sim_thread *thread, sim_time time)
{
    sim_time done = time < thread->computed ? time : thread->computed;
    thread->computed -= done;
    thread->clock += time - done;
}

/* The address is in the line that the value points to, or in the next: objects of two lines. */
static bool depends_on(uintptr_t address, uintptr_t value)
{
    return address / world.machine->line - value / world.machine->line <= 1;
}

sim_time ahead_could_begin(const struct sim_thread *thread, uintptr_t address, enum access access, sim_time came)
{
    const struct missed *missed = &thread->missed;
    if (!world.machine->ahead)
        return 0;
    bool soon = came >= missed->ended && came - missed->ended <= world.machine->ahead;
    if (access == ACCESS_STORE || !soon || depends_on(address, missed->value))
        return came;
    return missed->began;
}

void ahead_note_miss(struct sim_thread *thread, uintptr_t address, enum access access, sim_time began)
{
    bool spins = thread->turned;
    thread->turned = false;
    if (spins)
        thread->clock += world.machine->leave;
    if (!world.machine->ahead || access == ACCESS_STORE)
        return;
    thread->missed = (struct missed){.began = spins ? thread->clock : began, .ended = thread->clock};
    memcpy(&thread->missed.value, (const void *)(address & -sizeof(uintptr_t)), sizeof(uintptr_t));
}
