/* SPDX-License-Identifier: MIT */
/* Threads on CPUs: one queue of ready threads, slices, and the four functions of the port. */
#include "sim/world.h"

#include "port/gate.h"
#include "port/node.h"
#include "port/waiting-array.h"
#include "sim/port.h"

_Alignas(RECIP_LINE) _Atomic(uint64_t) recip_waiting_array[WAITING_ARRAY_SIZE];

/* In turns; the world ends a spin by time (sim_port_relax), and these turns only have to outlast it. */
unsigned recip_spin_turns = 64;

void schedule_leave(void)
{
    struct sim_thread *thread = world.current;
    world.current = NULL;
    coroutine_switch(&thread->coroutine, &world.outside);
}

void schedule_continue(void *subject)
{
    struct sim_thread *thread = subject;
    if (!thread->cpu) {
        thread->due = true;
    } else if (world.events.now < thread->clock) {
        events_add(&world.events, thread->clock, schedule_continue, thread);
    } else {
        thread->clock = world.events.now;
        world.current = thread;
        coroutine_switch(&world.outside, &thread->coroutine);
    }
}

static void slice_over(void *subject);

/* The context switch comes before it and is no part of it: a slice of any length brings a thread further. */
static void start_slice(struct cpu *cpu, sim_time start)
{
    if (world.thread_count <= machine_cpus(world.machine))
        return;
    cpu->slice_ends = start + world.machine->slice;
    events_add(&world.events, cpu->slice_ends, slice_over, cpu);
}

static void dispatch(struct cpu *cpu, struct sim_thread *thread)
{
    cpu->running = thread;
    thread->cpu = cpu;
    thread->clock = world.events.now + world.machine->context_switch;
    start_slice(cpu, thread->clock);
    /* A spinner that comes to another core looks again, from there. */
    if (thread->watching && thread->watcher.cache != cpu->core) {
        coherence_unwatch(thread->looked_at, &thread->watcher);
        thread->watching = false;
        thread->due = true;
    }
    if (thread->due) {
        thread->due = false;
        events_add(&world.events, thread->clock, schedule_continue, thread);
    }
}

static void push_ready(struct sim_thread *thread)
{
    thread->next_ready = NULL;
    if (world.ready_first)
        world.ready_last->next_ready = thread;
    else
        world.ready_first = thread;
    world.ready_last = thread;
}

static void dispatch_next(struct cpu *cpu)
{
    struct sim_thread *next = world.ready_first;
    cpu->running = NULL;
    if (!next)
        return;
    world.ready_first = next->next_ready;
    dispatch(cpu, next);
}

static void slice_over(void *subject)
{
    struct cpu *cpu = subject;
    if (cpu->slice_ends != world.events.now || !cpu->running)
        return;
    if (!world.ready_first) {
        start_slice(cpu, world.events.now);
        return;
    }
    cpu->running->cpu = NULL;
    push_ready(cpu->running);
    dispatch_next(cpu);
}

void schedule_ready(void *subject)
{
    struct sim_thread *thread = subject;
    thread->due = true;
    unsigned cpus = machine_cpus(world.machine);
    for (unsigned i = 0; i < cpus; i++) {
        struct cpu *cpu = &world.cpus[(thread->index + i) % cpus];
        if (!cpu->running) {
            dispatch(cpu, thread);
            return;
        }
    }
    push_ready(thread);
}

void schedule_block(struct sim_thread *thread)
{
    struct cpu *cpu = thread->cpu;
    thread->cpu = NULL;
    dispatch_next(cpu);
    schedule_leave();
}

/* The port. */

struct thread *sim_port_thread(void)
{
    return world.current->record;
}

static void watch_ends(struct sim_thread *thread)
{
    thread->watching = false;
    events_add(&world.events, world.events.now, schedule_continue, thread);
}

static void line_changed(struct watcher *watcher)
{
    watch_ends(watcher->subject);
}

static void spin_over(void *subject)
{
    struct sim_thread *thread = subject;
    if (!thread->watching || thread->spin_ends != world.events.now)
        return;
    coherence_unwatch(thread->looked_at, &thread->watcher);
    watch_ends(thread);
}

/* Sleeps until the line that the spin loop looks at changes. False: it is not one line, or it has changed already. */
static bool watch(struct sim_thread *thread)
{
    thread->watcher = (struct watcher){
        .cache = thread->cpu->core, .writes = thread->looked_to_write, .wake = line_changed, .subject = thread};
    if (thread->looked_elsewhere || !thread->looked_at)
        return false;
    unsigned watchers = coherence_watch(thread->looked_at, &thread->watcher, thread->looked_version);
    if (watchers > world.most_watchers)
        world.most_watchers = watchers;
    return watchers > 0;
}

/* A turn of a spin loop. What a real one would see while its line stays as it is, it has seen. A lock that parks gives
 * up after the machine's spin time, counted from the first turn. */
void sim_port_relax(void)
{
    struct sim_thread *thread = world.current;
    thread->waited_in_acquire |= thread->phase == PHASE_ACQUIRE;
    world_drain();
    world_advance(world.machine->pause);
    if (!thread->spinning)
        thread->spin_ends = thread->clock + world.machine->spin;
    thread->spinning = true;
    bool patient = !world.parks || thread->spin_ends > thread->clock;
    if (patient && watch(thread)) {
        thread->watching = true;
        if (world.parks)
            events_add(&world.events, thread->spin_ends, spin_over, thread);
        schedule_leave();
    }
    thread->looked_at = NULL;
    thread->looked_elsewhere = false;
}

void sim_port_park(_Atomic(uintptr_t) *word, uintptr_t expected)
{
    struct sim_thread *thread = world.current;
    world_drain();
    world_advance(world.machine->park);
    if (*(volatile uintptr_t *)word != expected)
        return;
    thread->parked_on = word;
    schedule_block(thread);
}

void sim_port_wake(_Atomic(uintptr_t) *word)
{
    world_drain();
    world_advance(world.machine->wake);
    for (unsigned i = 0; i < world.thread_count; i++) {
        struct sim_thread *sleeper = &world.threads[i];
        if (sleeper->parked_on != word)
            continue;
        sleeper->parked_on = NULL;
        events_add(&world.events, world.events.now + world.machine->wake_latency, schedule_ready, sleeper);
        return;
    }
}

/* A node is homed where the thread that asks for it runs. The next run starts with empty memory. */
struct node *recip_node_new(void)
{
    struct sim_thread *thread = world.current;
    unsigned owner = thread ? thread->index : 0, home = thread ? thread->cpu->socket : 0;
    if (thread)
        thread->record->keeps_nodes = true;
    return memory_new(OBJECT_NODE, owner, home, sizeof(struct node), RECIP_LINE);
}

void recip_node_delete(struct node *node)
{
    (void)node;
}
