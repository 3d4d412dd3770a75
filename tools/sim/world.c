/* SPDX-License-Identifier: MIT */
#include "sim/world.h"

#include <stdlib.h>
#include <string.h>

#include "sim/must.h"
#include "sim/random.h"

struct world world;

enum { STACK_BYTES = 64 * 1024 };

static void thread_main(void)
{
    world.run(world.current);
    abort();
}

static void make_thread(struct sim_thread *thread, unsigned index)
{
    unsigned home = machine_place(world.machine, index).socket;
    *thread = (struct sim_thread){.index = index, .sleep_ends = SIM_NEVER};
    thread->record = memory_new(OBJECT_THREAD, index, home, sizeof(struct thread), RECIP_LINE);
    void *stack = memory_new(OBJECT_STACK, index, home, STACK_BYTES, 4096);
    coroutine_make(&thread->coroutine, stack, STACK_BYTES, thread_main);
}

void world_make(const struct machine *machine, unsigned threads, uint64_t seed, void (*run)(struct sim_thread *))
{
    memory_reset();
    sleep_reset();
    world = (struct world){.machine = machine, .thread_count = threads, .run = run, .random = ~seed};
    coherence_init(&world.coherence, machine, &world.events, memory_home, seed);
    unsigned cpus = machine_cpus(machine);
    world.cpus = must(calloc(cpus, sizeof *world.cpus));
    for (unsigned i = 0; i < cpus; i++) {
        struct place place = machine_place(machine, i);
        world.cpus[i] = (struct cpu){.index = i, .core = place.core, .socket = place.socket};
    }
    world.threads = must(calloc(threads, sizeof *world.threads));
    for (unsigned i = 0; i < threads; i++)
        make_thread(&world.threads[i], i);
}

/* Threads arrive within a microsecond, in an order that the seed decides. */
void world_start(void)
{
    uint64_t random = world.coherence.random ^ UINT64_C(0x5eed);
    for (unsigned i = 0; i < world.thread_count; i++)
        events_add(&world.events, random_below(&random, 1000 * SIM_NANOSECOND), schedule_start, &world.threads[i]);
}

void world_free(void)
{
    coherence_free(&world.coherence);
    events_free(&world.events);
    free(world.cpus);
    free(world.threads);
    free(world.coherence_events);
    world = (struct world){0};
}

/* The running thread waits until the world has reached its time: what comes before it has happened then. */
static void catch_up(struct sim_thread *thread)
{
    spin_catch_up(thread);
    if (events_next(&world.events) >= thread->clock) {
        world.events.now = thread->clock;
        return;
    }
    events_add(&world.events, thread->clock, schedule_continue, thread);
    schedule_leave();
}

void world_advance(sim_time time)
{
    struct sim_thread *thread = world.current;
    ahead_compute(thread, time);
    catch_up(thread);
}

void world_advance_unevenly(sim_time time)
{
    uint64_t spread = 2 * world.machine->jitter * time / 100;
    world_advance(time + random_below(&world.random, spread + 1) - spread / 2);
}

/* Accesses. */

void world_site(const void *address, const char *operation)
{
    if (!world.current)
        return;
    world.current->site = (struct site){address, operation};
    if (world.accessing)
        world.accessing(world.current);
}

static void count(struct sim_thread *thread, const struct request *request, uintptr_t address, enum phase phase,
                  struct site site)
{
    if (request->outcome == OUTCOME_HIT)
        return;
    if (request->outcome == OUTCOME_MISS)
        thread->counts.misses++;
    else
        thread->counts.upgrades++;
    thread->counts.remote += request->remote;
    thread->counts.remote_by_home[request->line->home] += request->remote;
    if (world.listing)
        coherence_event_record(thread, request, address, phase, site);
}

/* As an event of its own, so that the engine is done with the line before the thread runs on. */
static void access_granted(struct request *request)
{
    events_add(&world.events, world.events.now, schedule_continue, request->subject);
    ((struct sim_thread *)request->subject)->granted = world.events.now;
}

/* Returns at the moment at which the thread has the right to it. A thread that lost its CPU while it waited may have
 * lost the right again, and asks once more. `came`: when the core met the access. */
static struct line *access_line_of(struct sim_thread *thread, uintptr_t address, enum access access, sim_time came)
{
    catch_up(thread);
    struct line *line = coherence_line(&world.coherence, address);
    while (!coherence_hit(line, thread->cpu->core, access)) {
        thread->computed = 0;
        struct request *request = &thread->request;
        request->access = access;
        request->cache = thread->cpu->core;
        request->done = access_granted;
        request->subject = thread;
        sim_time began = ahead_could_begin(thread, address, access, came);
        request->since = began;
        coherence_request(&world.coherence, line, request);
        schedule_leave();
        count(thread, request, address, thread->phase, thread->site);
        ahead_note_miss(thread, address, access, began);
        if (thread->granted == world.events.now)
            break;
    }
    return line;
}

static struct line *access_line(struct sim_thread *thread, uintptr_t address, enum access access)
{
    return access_line_of(thread, address, access, thread->clock - thread->computed);
}

static void look_at(struct sim_thread *thread, struct line *line, enum access access)
{
    thread->looked_elsewhere |= thread->looked_at && thread->looked_at != line;
    thread->looked_at = line;
    thread->looked_version = line->version;
    thread->looked_to_write = access == ACCESS_RMW;
}

/* The store buffer: first in, first out; its head is under way. */

static struct buffered *buffer_at(struct sim_thread *thread, unsigned nth)
{
    return &thread->buffer[(thread->buffer_first + nth) % MAX_STORE_BUFFER];
}

static void buffer_pop(struct sim_thread *thread)
{
    struct buffered *head = buffer_at(thread, 0);
    if (head->size)
        memcpy((void *)head->address, head->value, head->size);
    thread->buffer_first = (thread->buffer_first + 1) % MAX_STORE_BUFFER;
    thread->buffer_size--;
    thread->buffer_taken++;
}

static void buffer_granted(struct request *request);

static void buffer_go_on(struct sim_thread *thread)
{
    while (thread->buffer_size) {
        struct line *line = coherence_line(&world.coherence, buffer_at(thread, 0)->address);
        if (!coherence_hit(line, thread->buffer_cache, ACCESS_STORE)) {
            struct request *request = &thread->buffer_request;
            request->access = ACCESS_STORE;
            request->cache = thread->buffer_cache;
            request->since = world.machine->ahead ? buffer_at(thread, 0)->since : 0;
            request->done = buffer_granted;
            request->subject = thread;
            coherence_request(&world.coherence, line, request);
            return;
        }
        buffer_pop(thread);
    }
    thread->buffer_busy = false;
    if (thread->buffer_awaited) {
        thread->buffer_awaited = false;
        events_add(&world.events, world.events.now, schedule_continue, thread);
    }
}

static void buffer_next(void *thread)
{
    buffer_go_on(thread);
}

static void buffer_granted(struct request *request)
{
    struct sim_thread *thread = request->subject;
    struct buffered *head = buffer_at(thread, 0);
    count(thread, request, head->address, head->phase, head->site);
    buffer_pop(thread);
    events_add(&world.events, world.events.now, buffer_next, thread);
}

void world_drain(void)
{
    struct sim_thread *thread = world.current;
    if (!thread || !thread->buffer_size)
        return;
    catch_up(thread);
    while (thread->buffer_size) {
        thread->buffer_awaited = true;
        schedule_leave();
    }
}

/* A store with its value, or, with size 0, the time of one that the caller does itself. */
static void buffer_store(struct sim_thread *thread, uintptr_t address, const void *value, size_t size)
{
    catch_up(thread);
    if (thread->buffer_size == world.machine->store_buffer)
        world_drain();
    struct buffered *entry = buffer_at(thread, thread->buffer_size++);
    *entry = (struct buffered){
        .address = address, .size = size, .since = thread->clock, .phase = thread->phase, .site = thread->site};
    memcpy(entry->value, value, size);
    if (!thread->buffer_busy) {
        thread->buffer_busy = true;
        thread->buffer_cache = thread->cpu->core;
        buffer_go_on(thread);
    }
}

/* The newest store to these bytes that is still in the buffer. */
static struct buffered *buffer_find(struct sim_thread *thread, uintptr_t address, size_t size)
{
    for (unsigned i = thread->buffer_size; i-- > 0;) {
        struct buffered *entry = buffer_at(thread, i);
        size_t covers = entry->size ? entry->size : sizeof entry->value;
        if (address < entry->address + covers && entry->address < address + size)
            return entry;
    }
    return NULL;
}

/* True if the bytes are in the buffer, in `*from` if it has their value. */
static bool buffer_forward(struct sim_thread *thread, uintptr_t address, size_t size, const void **from)
{
    struct buffered *entry = thread->buffer_size ? buffer_find(thread, address, size) : NULL;
    if (!entry)
        return false;
    if (entry->size && (entry->address != address || entry->size != size)) {
        world_drain();
        return false;
    }
    catch_up(thread);
    if (entry->size)
        *from = entry->value;
    return true;
}

/* Apart from world_load, so that a turn that a spin loop makes up for saves no registers. */
__attribute__((noinline)) static const void *load_now(struct sim_thread *thread, const void *address, size_t size)
{
    const void *from = address;
    if (buffer_forward(thread, (uintptr_t)address, size, &from)) {
        thread->looked_elsewhere = true;
        spin_unlike(thread);
        return from;
    }
    struct line *line = access_line(thread, (uintptr_t)address, ACCESS_LOAD);
    uint64_t value = 0;
    memcpy(&value, from, size);
    look_at(thread, line, ACCESS_LOAD);
    spin_look(thread, line, (uintptr_t)address, size, value);
    return from;
}

const void *world_load(const volatile void *address, size_t size)
{
    struct sim_thread *thread = world.current;
    const void *known = NULL;
    if (!thread)
        return (const void *)address;
    ahead_compute(thread, world.machine->hit);
    if (thread->spin.behind)
        known = spin_known(thread, (uintptr_t)address, size);
    return known ? known : load_now(thread, (const void *)address, size);
}

void world_read(const void *address, size_t size)
{
    struct sim_thread *thread = world.current;
    const void *from;
    if (!thread)
        return;
    ahead_compute(thread, world.machine->hit);
    if (spin_private(thread, (uintptr_t)address, ACCESS_LOAD))
        return;
    if (!buffer_forward(thread, (uintptr_t)address, size, &from))
        access_line(thread, (uintptr_t)address, ACCESS_LOAD);
}

void world_store(volatile void *address, const void *value, size_t size)
{
    struct sim_thread *thread = world.current;
    if (thread) {
        ahead_compute(thread, world.machine->hit);
        thread->stores++;
        spin_unlike(thread);
        if (world.machine->store_buffer) {
            buffer_store(thread, (uintptr_t)address, value, size);
            return;
        }
        access_line(thread, (uintptr_t)address, ACCESS_STORE);
    }
    memcpy((void *)address, value, size);
}

bool world_store_unless_aborted(volatile void *address, const void *value, size_t size)
{
    struct sim_thread *thread = world.current;
    ahead_compute(thread, world.machine->hit);
    thread->stores++;
    spin_unlike(thread);
    if (!world.machine->store_buffer)
        access_line(thread, (uintptr_t)address, ACCESS_STORE);
    else if (thread->buffer_size == world.machine->store_buffer)
        world_drain();
    catch_up(thread);
    if (thread->aborted)
        return false;
    if (world.machine->store_buffer)
        buffer_store(thread, (uintptr_t)address, value, size);
    else
        memcpy((void *)address, value, size);
    return true;
}

void world_written(volatile void *address)
{
    struct sim_thread *thread = world.current;
    if (!thread)
        return;
    ahead_compute(thread, world.machine->hit);
    if (spin_private(thread, (uintptr_t)address, ACCESS_STORE))
        return;
    thread->stores++;
    if (world.machine->store_buffer)
        buffer_store(thread, (uintptr_t)address, "", 0);
    else
        access_line(thread, (uintptr_t)address, ACCESS_STORE);
}

void world_modify(volatile void *address)
{
    struct sim_thread *thread = world.current;
    if (!thread)
        return;
    spin_unlike(thread);
    sim_time came = thread->clock - thread->computed;
    world_drain();
    ahead_do_atomic(thread);
    look_at(thread, access_line_of(thread, (uintptr_t)address, ACCESS_RMW, came), ACCESS_RMW);
}

void world_modified(void)
{
    if (world.current && world.modified)
        world.modified(world.current);
}
