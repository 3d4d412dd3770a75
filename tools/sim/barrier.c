/* SPDX-License-Identifier: MIT */
/* The release in two steps, compare and store, that the kernel can send back to its start; and the barrier that makes
 * it do so, an interrupt for every CPU that runs a thread. */
#include "sim/must.h"
#include "sim/port.h"
#include "sim/world.h"

bool sim_port_section_begin(void)
{
    struct sim_thread *thread = world.current;
    if (!thread || world.machine->release == RELEASE_ATOMIC)
        return false;
    thread->in_section = true;
    thread->aborted = false;
    return true;
}

void sim_port_section_leave(void)
{
    world.current->in_section = false;
}

/* One that is sent back gives up, as natively: the caller has another way. */
__attribute__((noinline)) bool sim_port_section_commit(_Atomic(uint8_t) *byte, uint8_t value)
{
    struct sim_thread *thread = world.current;
    world_site(__builtin_return_address(0), "store");
    bool committed = world_store_unless_aborted(byte, &value, sizeof value);
    thread->in_section = false;
    return committed;
}

/* Every store that is in a buffer now, and every release that is under way. */
static uint64_t *interrupt_others(const struct sim_thread *caller)
{
    uint64_t *to_leave = must(calloc(world.thread_count, sizeof *to_leave));
    for (unsigned i = 0; i < world.thread_count; i++) {
        struct sim_thread *thread = &world.threads[i];
        to_leave[i] = thread->buffer_taken + thread->buffer_size;
        if (thread->cpu && thread != caller) {
            thread->aborted = true;
            schedule_interrupt(thread->cpu, world.machine->interrupt);
        }
    }
    return to_leave;
}

static unsigned others_that_run(const struct sim_thread *caller)
{
    unsigned count = 0;
    for (unsigned i = 0; i < machine_cpus(world.machine); i++)
        count += world.cpus[i].running && world.cpus[i].running != caller;
    return count;
}

static bool have_left(const uint64_t *to_leave)
{
    for (unsigned i = 0; i < world.thread_count; i++)
        if (world.threads[i].buffer_taken < to_leave[i])
            return false;
    return true;
}

void sim_port_barrier(void)
{
    struct sim_thread *thread = world.current;
    const struct machine *machine = world.machine;
    if (machine->release == RELEASE_ATOMIC)
        return;
    spin_unlike(thread);
    thread->doings.barriers++;
    world_drain();
    world_advance_unevenly(machine->barrier);
    unsigned others = others_that_run(thread);
    if (others == 0)
        return;
    world_advance_unevenly(machine->barrier_wait / 2);
    uint64_t *to_leave = interrupt_others(thread);
    world_advance_unevenly(machine->barrier_wait - machine->barrier_wait / 2 + others * machine->barrier_each);
    while (!have_left(to_leave))
        world_advance(machine->transfer);
    free(to_leave);
}
