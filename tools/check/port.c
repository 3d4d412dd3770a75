/* SPDX-License-Identifier: MIT */
/* The check world's part of the port: thread records, node memory, parking. */
#include "check/port.h"

#include <stddef.h>

#include <recip-check.h>
#include "check/engine/clock.h"
#include "check/engine/engine.h"
#include "check/engine/memory.h"
#include "check/engine/symmetry.h"
#include "port/gate.h"
#include "port/hapax.h"
#include "port/node.h"
#include "port/waiting-array.h"
#include "src/tunables.h"
#include "src/waiter.h"

_Atomic(uint64_t) recip_waiting_array[WAITING_ARRAY_SIZE];
struct hapax_slot recip_hapax_slots[HAPAX_SLOTS];
_Atomic(uint64_t) recip_hapax_blocks;

/* By default a parking lock parks at once: its spinning phase shows nothing that the spinning form does not show. */
unsigned recip_spin_turns;

struct recip_check_world recip_check_world;
struct recip_tuning recip_tuning;
_Atomic(unsigned) recip_check_section[MAX_SECTIONS];
unsigned recip_check_met[MAX_SECTIONS], recip_check_made[MAX_SECTIONS][MAX_SECTIONS];
_Static_assert((int)MAX_SECTIONS == (int)CLOCKS, "a section for each thread");

static unsigned elements; /* of timed waiters, not freed yet */

static struct thread records[CLOCKS];
static unsigned record_of[CLOCKS];

void check_use_record(unsigned thread, unsigned of)
{
    record_of[thread] = of;
}

/* With its free nodes. */
void check_record_gone(void)
{
    struct thread *thread = recip_check_thread();
    for (struct node *node = thread->nodes, *next; node; node = next) {
        next = (struct node *)engine_newest(&node->next, sizeof node->next);
        recip_node_delete(node);
    }
    memory_log((uintptr_t)&thread->nodes, sizeof thread->nodes);
    memory_log((uintptr_t)&thread->nodes_kept, sizeof thread->nodes_kept);
    thread->nodes = NULL;
    thread->nodes_kept = 0;
    engine_free(recip_check_thread(), sizeof(struct thread), __builtin_return_address(0));
}

void check_port_reset(void)
{
    symmetry_own(records, sizeof records[0]);
    for (unsigned i = 0; i < CLOCKS; i++)
        record_of[i] = i;
    elements = 0;
    recip_check_world = (struct recip_check_world){0};
    recip_tuning = (struct recip_tuning){.own_cpu = 1};
}

void check_port_name(void)
{
    for (unsigned i = 0; i < CLOCKS; i++) {
        engine_name(&records[i].element.gate, 1, "gate%u", i);
        engine_name(&records[i].element.eos, 8, "eos%u", i);
        engine_name(&records[i].element.deferred, 8, "deferred%u", i);
        engine_name(&records[i].element.below, 8, "below%u", i);
        engine_name(&records[i].element.reset_gate, 8, "reset-gate%u", i);
        engine_name(&records[i].grant, 8, "grant%u", i);
        engine_name(&records[i].nearest, sizeof records[i].nearest, "nearest%u", i);
        engine_name((char *)&records[i] + 1, sizeof records[i] - 1, "record%u+1", i);
    }
    for (unsigned i = 0; i < CLOCKS; i++)
        engine_name(&recip_check_section[i], sizeof recip_check_section[i], "section%u", i);
    engine_name(recip_waiting_array, sizeof recip_waiting_array, "waiting-array");
    for (unsigned i = 0; i < 2; i++) /* those that are used with small limits */
        engine_name(&recip_hapax_slots[i], sizeof recip_hapax_slots[i], "slot%u", i);
    engine_name(&recip_hapax_blocks, sizeof recip_hapax_blocks, "blocks");
}

struct thread *recip_check_thread(void)
{
    return &records[record_of[engine_self()]];
}

void recip_check_relax(void)
{
    engine_relax(__builtin_return_address(0));
}

void recip_check_park(_Atomic(uintptr_t) *word, uintptr_t expected)
{
    bool swapped = false;
    engine_access(&(struct operation){.action = ACTION_PARK,
                                      .size = sizeof *word,
                                      .address = (uintptr_t)word,
                                      .expected = expected,
                                      .place = __builtin_return_address(0)},
                  &swapped);
}

void recip_check_wake(_Atomic(uintptr_t) *word)
{
    bool swapped = false;
    engine_access(&(struct operation){.action = ACTION_WAKE,
                                      .size = sizeof *word,
                                      .address = (uintptr_t)word,
                                      .place = __builtin_return_address(0)},
                  &swapped);
}

/* Two sockets; neighbours are on different ones. */
unsigned recip_check_socket(void)
{
    return engine_self() % 2;
}

/* What a client does with a lock when its threads have ended comes out one way. */
unsigned recip_check_choose(unsigned n)
{
    return engine_self() ? engine_choose(n, __builtin_return_address(0), __builtin_dwarf_cfa()) : 0;
}

struct node *recip_node_new(void)
{
    struct thread *thread = recip_check_thread();
    engine_plain((uintptr_t)&thread->keeps_nodes, sizeof thread->keeps_nodes, true, __builtin_return_address(0));
    thread->keeps_nodes = true;
    return engine_allocate(_Alignof(struct node), sizeof(struct node), __builtin_return_address(0));
}

void recip_node_delete(struct node *node)
{
    engine_free(node, 0, __builtin_return_address(0));
}

unsigned check_nodes_kept(void)
{
    unsigned kept = 0;
    for (unsigned i = 0; i < CLOCKS; i++) {
        unsigned counted = 0;
        for (struct node *node = records[i].nodes; node && counted <= records[i].nodes_kept; counted++)
            node = (struct node *)engine_newest(&node->next, sizeof node->next);
        if (counted != records[i].nodes_kept)
            check_failed("a thread has as many free nodes as it counts");
        if (counted > MAX_NODES_KEPT)
            check_failed("a thread keeps no more free nodes than it may");
        if (counted && !records[i].keeps_nodes)
            check_failed("a thread whose nodes nobody would free keeps none");
        kept += counted;
    }
    return kept;
}

static bool is_free_node(const void *memory)
{
    for (unsigned i = 0; i < CLOCKS; i++)
        for (struct node *node = records[i].nodes; node;
             node = (struct node *)engine_newest(&node->next, sizeof node->next))
            if (node == memory)
                return true;
    return false;
}

void check_nodes_are_free(void)
{
    if (memory_blocks() != check_nodes_kept())
        engine_check_leaks(is_free_node);
}

static void add_elements(int more)
{
    memory_log((uintptr_t)&elements, sizeof elements);
    elements += (unsigned)more;
}

waiter *recip_waiter_new(void)
{
    add_elements(1);
    return engine_allocate(_Alignof(waiter), sizeof(waiter), __builtin_return_address(0));
}

void recip_waiter_delete(waiter *element)
{
    add_elements(-1);
    engine_free(element, 0, __builtin_return_address(0));
}

unsigned recip_check_elements(void)
{
    return elements;
}

unsigned recip_check_wakes_due(void)
{
    unsigned due = 0;
    for (unsigned i = 0; i < CLOCKS; i++)
        due += records[i].wake_due_for != NULL;
    return due;
}
