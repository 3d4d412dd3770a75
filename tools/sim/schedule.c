/* SPDX-License-Identifier: MIT */
/* Threads on CPUs. Every CPU has a queue of its own, ordered by how much CPU time its threads have had, their share.
 *
 * - Where others are ready, the running thread gives way at the end of a slice to the one with the least share.
 * - A thread that wakes up goes to the CPU where it ran last, if that is idle; else to an idle one that shares the last
 *   level with it, or with the thread that wakes it; else it queues where it ran last. There it preempts the running
 *   thread if its share is smaller by `preempt`. Who has slept may be `credit` behind the others, and no more.
 * - A CPU that has nothing to do takes a thread that waits elsewhere, unless that has run within `migration`; so does
 * an idle CPU when a thread has waited for `balance`.
 */
#include "sim/world.h"

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

/* ---- Shares ---- */

static void count_share(struct cpu *cpu)
{
    struct sim_thread *thread = cpu->running;
    if (thread) {
        thread->share += (int64_t)(world.events.now - thread->share_since);
        thread->share_since = world.events.now;
    }
    const struct sim_thread *least = cpu->ready;
    if (thread && (!least || thread->share < least->share))
        least = thread;
    if (least && least->share > cpu->least_share)
        cpu->least_share = least->share;
}

/* What a thread that comes to this CPU has had more, or less, than the others there. */
static void move_share(struct sim_thread *thread, const struct cpu *to)
{
    int64_t ahead = thread->last ? thread->share - thread->last->least_share : 0;
    if (ahead < -(int64_t)world.machine->credit)
        ahead = -(int64_t)world.machine->credit;
    thread->share = to->least_share + ahead;
}

/* ---- Queues ---- */

static void slice_over(void *subject);

/* In slices from when the running thread came, though nobody else was there. */
static void arm_slice(struct cpu *cpu)
{
    sim_time slice = world.machine->slice, now = world.events.now;
    if (cpu->slice_ends > now)
        return;
    sim_time begun = now > cpu->slice_began ? (now - cpu->slice_began) / slice : 0;
    cpu->slice_ends = cpu->slice_began + (begun + 1) * slice;
    events_add(&world.events, cpu->slice_ends, slice_over, cpu);
}

static void put_ready(struct cpu *cpu, struct sim_thread *thread)
{
    struct sim_thread **link = &cpu->ready;
    while (*link && (*link)->share <= thread->share)
        link = &(*link)->next_ready;
    thread->next_ready = *link;
    *link = thread;
    cpu->ready_count++;
    thread->is_ready = true;
    thread->last = cpu;
}

static void take_ready(struct cpu *cpu, struct sim_thread *thread)
{
    struct sim_thread **link = &cpu->ready;
    while (*link != thread)
        link = &(*link)->next_ready;
    *link = thread->next_ready;
    cpu->ready_count--;
    thread->is_ready = false;
}

void schedule_count_busy(struct cpu *cpu)
{
    if (cpu->running)
        cpu->busy += world.events.now - cpu->busy_since;
    cpu->busy_since = world.events.now;
}

/* The context switch comes before its slice and is no part of it: a slice of any length brings a thread further. */
static void dispatch(struct cpu *cpu, struct sim_thread *thread, sim_time delay)
{
    schedule_count_busy(cpu);
    thread->doings.migrations += thread->last && thread->last != cpu;
    cpu->running = thread;
    thread->cpu = thread->last = cpu;
    thread->share_since = world.events.now;
    cpu->slice_began = world.events.now + delay + world.machine->context_switch;
    thread->clock = cpu->slice_began + thread->left;
    thread->left = 0;
    cpu->slice_ends = 0;
    if (cpu->ready)
        arm_slice(cpu);
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

/* ---- From CPU to CPU ---- */

static bool is_idle(const struct cpu *cpu)
{
    return !cpu->running && !cpu->ready;
}

static bool is_core_idle(const struct cpu *cpu)
{
    unsigned cores = world.machine->sockets * world.machine->cores;
    for (unsigned i = cpu->core; i < machine_cpus(world.machine); i += cores)
        if (!is_idle(&world.cpus[i]))
            return false;
    return true;
}

static bool share_last_level(const struct cpu *a, const struct cpu *b)
{
    return machine_cluster(world.machine, a->core) == machine_cluster(world.machine, b->core);
}

/* An idle CPU that shares the last level with this one, a whole core rather than a hardware thread beside a busy one;
 * or null. */
static struct cpu *idle_near(const struct cpu *near, bool anywhere)
{
    unsigned cpus = machine_cpus(world.machine);
    struct cpu *found = NULL;
    for (unsigned i = 0; i < cpus; i++) {
        struct cpu *cpu = &world.cpus[(near->index + i) % cpus];
        if (!is_idle(cpu) || !(anywhere || share_last_level(near, cpu)))
            continue;
        if (is_core_idle(cpu))
            return cpu;
        if (!found)
            found = cpu;
    }
    return found;
}

static void balance(void *subject)
{
    struct sim_thread *thread = subject;
    if (!thread->is_ready || thread->ready_since + world.machine->balance != world.events.now)
        return;
    struct cpu *idle = idle_near(thread->last, true);
    if (!idle)
        return;
    take_ready(thread->last, thread);
    move_share(thread, idle);
    dispatch(idle, thread, world.machine->wake_latency);
}

static void enqueue(struct cpu *cpu, struct sim_thread *thread)
{
    thread->ready_since = world.events.now;
    put_ready(cpu, thread);
    arm_slice(cpu);
    if (machine_cpus(world.machine) > 1)
        events_add(&world.events, world.events.now + world.machine->balance, balance, thread);
}

/* Of those that wait for this CPU, the first that is not to be left where its data is. */
static struct sim_thread *to_take_from(const struct cpu *cpu)
{
    struct sim_thread *thread = cpu->ready;
    while (thread && world.events.now - thread->stopped < world.machine->migration)
        thread = thread->next_ready;
    return thread;
}

static struct sim_thread *take_from_others(struct cpu *to)
{
    unsigned cpus = machine_cpus(world.machine), most = 0;
    struct cpu *from = NULL;
    for (unsigned i = 1; i < cpus; i++) {
        struct cpu *cpu = &world.cpus[(to->index + i) % cpus];
        unsigned worth = 2 * cpu->ready_count + share_last_level(cpu, to);
        if (cpu->ready && worth > most && to_take_from(cpu)) {
            from = cpu;
            most = worth;
        }
    }
    if (!from)
        return NULL;
    struct sim_thread *thread = to_take_from(from);
    take_ready(from, thread);
    move_share(thread, to);
    return thread;
}

static void run_next(struct cpu *cpu)
{
    struct sim_thread *next = cpu->ready;
    if (next)
        take_ready(cpu, next);
    else
        next = take_from_others(cpu);
    if (next)
        dispatch(cpu, next, 0);
}

/* ---- Losing the CPU ---- */

static struct sim_thread *stop(struct cpu *cpu)
{
    struct sim_thread *thread = cpu->running;
    count_share(cpu);
    schedule_count_busy(cpu);
    thread->stopped = world.events.now;
    thread->cpu = NULL;
    cpu->running = NULL;
    return thread;
}

/* Before the others are looked at, it is with them: it may be the next one again. */
static void preempt(struct cpu *cpu)
{
    struct sim_thread *thread = stop(cpu);
    thread->left = thread->clock > world.events.now ? thread->clock - world.events.now : 0;
    thread->aborted = true;
    thread->doings.preempted++;
    thread->doings.preempted_owner += thread->phase == PHASE_CRITICAL;
    spin_stop(thread);
    struct sim_thread *next = cpu->ready;
    take_ready(cpu, next);
    enqueue(cpu, thread);
    dispatch(cpu, next, 0);
}

static void slice_over(void *subject)
{
    struct cpu *cpu = subject;
    if (cpu->slice_ends != world.events.now || !cpu->running || !cpu->ready)
        return;
    count_share(cpu);
    if (cpu->ready->share < cpu->running->share)
        preempt(cpu);
    else
        arm_slice(cpu);
}

void schedule_block(struct sim_thread *thread)
{
    run_next(stop(thread->cpu)->last);
    schedule_leave();
}

void schedule_yield(struct sim_thread *thread)
{
    struct cpu *cpu = thread->cpu;
    struct sim_thread *next = cpu->ready;
    if (!next)
        return;
    stop(cpu);
    thread->due = true;
    thread->left = 0;
    take_ready(cpu, next);
    enqueue(cpu, thread);
    dispatch(cpu, next, 0);
    schedule_leave();
}

void schedule_interrupt(struct cpu *cpu, sim_time time)
{
    struct sim_thread *thread = cpu->running;
    spin_stop(thread);
    thread->clock = (thread->clock > world.events.now ? thread->clock : world.events.now) + time;
    if (thread->due) {
        thread->due = false;
        events_add(&world.events, thread->clock, schedule_continue, thread);
    }
}

/* ---- Becoming ready ---- */

static void make_ready(struct sim_thread *thread, struct cpu *cpu, sim_time delay)
{
    thread->due = true;
    count_share(cpu);
    move_share(thread, cpu);
    if (is_idle(cpu)) {
        dispatch(cpu, thread, delay);
        return;
    }
    enqueue(cpu, thread);
    if (cpu->running && cpu->running->share > thread->share + (int64_t)world.machine->preempt)
        preempt(cpu);
}

/* A new thread goes to the next CPU in order, or to another that is idle. */
void schedule_start(void *subject)
{
    struct sim_thread *thread = subject;
    struct cpu *own = &world.cpus[thread->index % machine_cpus(world.machine)], *idle = idle_near(own, true);
    make_ready(thread, is_idle(own) || !idle ? own : idle, 0);
}

static struct cpu *place(const struct sim_thread *thread, const struct cpu *waker)
{
    if (is_idle(thread->last))
        return thread->last;
    struct cpu *idle = idle_near(thread->last, false);
    if (!idle && waker)
        idle = idle_near(waker, false);
    return idle ? idle : thread->last;
}

/* The thread that is woken may take the CPU from the one that wakes it. */
void schedule_wake(struct sim_thread *thread)
{
    struct sim_thread *waker = world.current;
    make_ready(thread, place(thread, waker->cpu), world.machine->wake_latency);
    if (waker->cpu)
        return;
    waker->due = true;
    schedule_leave();
}

void schedule_timer(struct sim_thread *thread)
{
    make_ready(thread, place(thread, NULL), thread->way_back);
}
