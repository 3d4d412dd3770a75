/* SPDX-License-Identifier: MIT */
/* What else the locks find in this world: who they are, and memory. */
#include "sim/port.h"

#include <limits.h>

#include "port/gate.h"
#include "port/hapax.h"
#include "port/node.h"
#include "port/waiting-array.h"
#include "sim/world.h"
#include "src/tunables.h"
#include "src/waiter.h"

_Alignas(RECIP_LINE) _Atomic(uint64_t) recip_waiting_array[WAITING_ARRAY_SIZE];
_Alignas(RECIP_LINE) struct hapax_slot recip_hapax_slots[HAPAX_SLOTS];
_Alignas(RECIP_LINE) _Atomic(uint64_t) recip_hapax_blocks;

/* Each on a line of its own, as what is above: which of them share one would else depend on the build. */
_Alignas(RECIP_LINE) unsigned recip_spin_turns;

/* Nobody forks. */
_Alignas(RECIP_LINE) ptrdiff_t recip_rseq_offset_;

/* As a library finds out when it is loaded. */
static unsigned turns_in(int64_t nanoseconds)
{
    uint64_t turns = (uint64_t)nanoseconds * SIM_NANOSECOND / world.machine->pause;
    return turns > INT_MAX ? INT_MAX : (unsigned)turns;
}

void port_begin(void)
{
    recip_spin_turns = turns_in((int64_t)(world.machine->spin / SIM_NANOSECOND));
    recip_tune();
}

struct thread *sim_port_thread(void)
{
    return world.current->record;
}

/* From a register too, or nearly: rseq's area is in thread-local storage. */
unsigned sim_port_socket(void)
{
    return world.current->cpu->socket;
}

unsigned sim_port_cluster(void)
{
    return machine_cluster(world.machine, world.current->cpu->core);
}

/* Homed where the thread that asks for it runs. The next run starts with empty memory. */
static void *allocate(size_t size)
{
    struct sim_thread *thread = world.current;
    return memory_new(OBJECT_NODE, thread ? thread->index : 0, thread ? thread->cpu->socket : 0, size, RECIP_LINE);
}

struct node *recip_node_new(void)
{
    if (world.current)
        world.current->record->keeps_nodes = true;
    return allocate(sizeof(struct node));
}

void recip_node_delete(struct node *node)
{
    (void)node;
}

waiter *recip_waiter_new(void)
{
    waiter *element = world.free_waiters;
    if (!element)
        return allocate(sizeof *element);
    world.free_waiters = element->next;
    return element;
}

void recip_waiter_delete(waiter *element)
{
    element->next = world.free_waiters;
    world.free_waiters = element;
}
