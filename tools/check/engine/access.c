/* SPDX-License-Identifier: MIT */
#include "check/engine/access.h"

#include <string.h>

#include "check/engine/admission.h"
#include "check/engine/futex.h"
#include "check/engine/ghost.h"
#include "check/engine/assumptions.h"
#include "check/engine/memory.h"
#include "check/engine/race.h"
#include "check/engine/seq-cst.h"
#include "check/engine/snapshot.h"

/* The kinds of facts in the hash of the graph, beside those of graph.c and execution.c. */
enum { FACT_READ = 2, FACT_WAKE, FACT_FAILED };

bool access_acquires(int order)
{
    return order == __ATOMIC_CONSUME || order == __ATOMIC_ACQUIRE || order == __ATOMIC_ACQ_REL ||
           order == __ATOMIC_SEQ_CST;
}

bool access_releases(int order)
{
    return order == __ATOMIC_RELEASE || order == __ATOMIC_ACQ_REL || order == __ATOMIC_SEQ_CST;
}

static uint64_t mask_of(const struct operation *operation)
{
    return operation->size == 8 ? UINT64_MAX : (UINT64_C(1) << operation->size * 8) - 1;
}

static unsigned offset_in(const struct operation *operation, const struct location *location)
{
    return (unsigned)(operation->address - location->address);
}

uint64_t access_part(const struct operation *operation, const struct store *store)
{
    return store->value >> offset_in(operation, store->location) * 8 & mask_of(operation);
}

/* The whole of a store with another value in those bytes. */
static uint64_t with_part(const struct operation *operation, const struct store *store, uint64_t part)
{
    unsigned shift = offset_in(operation, store->location) * 8;
    return (store->value & ~(mask_of(operation) << shift)) | part << shift;
}

unsigned access_bytes(const struct operation *operation, const struct location *location)
{
    return ((1u << operation->size) - 1) << offset_in(operation, location);
}

bool access_is_partial(const struct operation *operation)
{
    unsigned size = operation->size;
    assumptions_word(operation->address, &size);
    return size != operation->size;
}

uint64_t access_changed(const struct operation *operation, uint64_t old)
{
    return change_result(operation->change, old, operation->operand) & mask_of(operation);
}

void access_tick(struct task *task)
{
    task->now.at[task->number]++;
    if (task->now.at[task->number] == NEVER - 1)
        engine_fail(FAILURE_LIMIT, task->place, NULL, "an execution is too long: a loop without port_relax?");
}

void access_begin(struct task *task)
{
    access_tick(task);
    task->events++;
}

static void end_idleness(struct task *task)
{
    task->idle.source = NULL;
    task->watched_count = 0;
    task->looping = false;
    spin_end(&task->spin);
}

void access_forget_turn(struct task *task)
{
    end_idleness(task);
}

static void watch(struct task *task, struct store *read)
{
    for (unsigned i = 0; i < task->watched_count; i++)
        if (task->watched[i] == read)
            return;
    if (task->watched_count == MAX_WATCHED) {
        memmove(&task->watched[0], &task->watched[1], sizeof task->watched - sizeof task->watched[0]);
        task->watched_count--;
    }
    task->watched[task->watched_count++] = read;
}

static void read_from(struct task *task, struct store *store, int order)
{
    unsigned number = task->number;
    task->idle.now = task->now;
    task->idle.learned = task->learned;
    task->idle.seen = task->seen;
    task->idle.published = task->published;
    task->idle.source = store;
    task->idle.place = task->pending.place;
    task->idle.address = task->pending.address;
    task->idle.size = task->pending.size;
    task->idle.written = NULL;
    task->idle.failed_weakly = false;
    clock_join(&task->seen, &store->seen);
    graph_join_message(access_acquires(order) ? &task->now : &task->learned, store,
                       access_bytes(&task->pending, store->location));
    /* Who learns of this read knows of the store anyway if the reader does. */
    task->idle.first_read = store->first_read[number] == NEVER && store->tick > task->now.at[store->thread];
    if (task->idle.first_read) {
        snapshot_keep(&store->first_read[number], sizeof store->first_read[number]);
        store->first_read[number] = task->now.at[number];
    }
    graph_add(FACT_READ, event_name(number, task->events), event_name(store->thread, store->number), 0);
    watch(task, store);
}

/* The event is in the graph, and may be one that seq_cst does not allow. */
static void check_read(const struct task *task, const struct store *store)
{
    if (store->unwritten && !execution_over())
        engine_fail(FAILURE_GONE, task->place, NULL, "thread %u reads memory that nobody has written", task->number);
}

static struct store *write_behind(struct task *task, struct store *behind, uint64_t value, int order)
{
    struct store *store = graph_insert(behind, task->number, task->now.at[task->number], task->events, value);
    if (!store) {
        engine_fail(FAILURE_LIMIT, task->place, NULL, "an execution has too many stores: a loop without port_relax?");
        return NULL;
    }
    store->message = access_releases(order) ? task->now : task->published;
    store->seen = task->seen;
    store->seen.at[task->number] = task->now.at[task->number];
    return store;
}

/* Nothing comes between the two. */
static void stay_behind(struct task *task, struct store *store, struct store *source)
{
    store->bytes = (uint8_t)access_bytes(&task->pending, source->location);
    store->source = source;
    snapshot_keep(&source->taker, sizeof source->taker);
    source->taker = store;
}

/* A read-modify-write carries on the release sequence of the store that it reads. */
static struct store *take(struct task *task, struct store *source, uint64_t value, int order)
{
    struct store *store = write_behind(task, source, value, order);
    if (!store)
        return NULL;
    stay_behind(task, store, source);
    graph_join_message(&store->message, source, store->bytes);
    return store;
}

static void record_atomic(struct task *task, const struct operation *operation, bool writes)
{
    struct access access = {
        .place = operation->place,
        .tick = task->now.at[task->number],
        .thread = (uint8_t)task->number,
        .bytes = (uint8_t)(((1u << operation->size) - 1) << (operation->address & 7)),
        .writes = writes,
        .atomic = true,
    };
    struct access other;
    enum race race = race_access(operation->address, &access, &task->now, &other);
    if (race == RACE_FOUND)
        engine_fail(FAILURE_RACE, operation->place, other.place,
                    "data race: an atomic access of thread %u and a plain access of thread %u", task->number,
                    other.thread);
    if (race == RACE_LIMIT)
        engine_fail(FAILURE_LIMIT, operation->place, NULL, "too many accesses to one place in memory");
    if (race == RACE_RESTART)
        execution.restart = execution.pruned = true;
    if (memory_is_gone(operation->address, operation->size))
        engine_fail(FAILURE_GONE, operation->place, NULL, "thread %u accesses memory that is gone", task->number);
    else if (memory_is_outside(operation->address, operation->size))
        engine_fail(FAILURE_GONE, operation->place, NULL, "thread %u accesses memory outside of what was allocated",
                    task->number);
}

void access_load(struct task *task, struct store *store, int order, enum note note)
{
    const struct operation *operation = &task->pending;
    record_atomic(task, operation, false);
    if (task->number)
        spin_stand(task);
    read_from(task, store, order);
    seq_cst_add(task, store, NULL, order == __ATOMIC_SEQ_CST);
    check_read(task, store);
    admission_loaded(task->number, operation->address);
    task->result = access_part(operation, store);
    task->idle.event = trace_add(&(struct event){.thread = (uint8_t)task->number,
                                                 .action = operation->action,
                                                 .order = (uint8_t)order,
                                                 .size = operation->size,
                                                 .note = note,
                                                 .reads = true,
                                                 .address = operation->address,
                                                 .value = task->result,
                                                 .source = store->event,
                                                 .place = operation->place});
}

/* A store to part of a word changes all of it at once, to what it was with that part changed. */
void access_store(struct task *task, struct store *behind)
{
    const struct operation *operation = &task->pending;
    record_atomic(task, operation, true);
    end_idleness(task);
    admission_stored(task->number, operation->address);
    struct store *store =
        write_behind(task, behind, with_part(operation, behind, operation->operand), operation->order);
    if (!store)
        return;
    if (access_is_partial(operation))
        stay_behind(task, store, behind);
    seq_cst_add(task, store->source, store, operation->order == __ATOMIC_SEQ_CST);
    store->event = trace_add(&(struct event){.thread = (uint8_t)task->number,
                                             .action = operation->action,
                                             .order = operation->order,
                                             .size = operation->size,
                                             .writes = true,
                                             .address = operation->address,
                                             .stored = operation->operand,
                                             .place = operation->place});
    if (!execution_over())
        ghost_written(store);
}

void access_change(struct task *task, struct store *source, uint64_t value)
{
    const struct operation *operation = &task->pending;
    record_atomic(task, operation, true);
    bool idle = value == access_part(operation, source);
    if (!idle)
        end_idleness(task);
    else if (task->number)
        spin_stand(task);
    read_from(task, source, operation->order);
    struct store *store = take(task, source, with_part(operation, source, value), operation->order);
    task->idle.written = store;
    if (!idle)
        end_idleness(task);
    task->result = access_part(operation, source);
    task->swapped = true;
    if (!store)
        return;
    seq_cst_add(task, source, store, operation->order == __ATOMIC_SEQ_CST);
    check_read(task, source);
    store->event = trace_add(&(struct event){.thread = (uint8_t)task->number,
                                             .action = operation->action,
                                             .order = operation->order,
                                             .size = operation->size,
                                             .reads = true,
                                             .writes = true,
                                             .address = operation->address,
                                             .value = task->result,
                                             .stored = value,
                                             .source = source->event,
                                             .place = operation->place});
    task->idle.event = store->event;
    if (execution_over())
        return;
    admission_changed(task->number, operation, store);
    if (!idle)
        ghost_written(store);
}

void access_undo(struct task *task)
{
    struct store *source = task->idle.source;
    if (task->idle.written) {
        admission_undone(task->number, task->idle.written);
        graph_remove(task->idle.written);
        snapshot_keep(&source->taker, sizeof source->taker);
        source->taker = NULL;
    }
    graph_subtract(FACT_READ, event_name(task->number, task->events), event_name(source->thread, source->number), 0);
    if (task->idle.first_read) {
        snapshot_keep(&source->first_read[task->number], sizeof source->first_read[0]);
        source->first_read[task->number] = NEVER;
    }
    uint16_t tick = task->now.at[task->number];
    seq_cst_remove(task->number, task->idle.now.at[task->number]);
    task->now = task->idle.now;
    task->now.at[task->number] = tick;
    task->learned = task->idle.learned;
    task->seen = task->idle.seen;
    task->published = task->idle.published;
    task->events--;
    task->idle.source = NULL;
}

void access_keep(struct task *task)
{
    const struct store *source = task->idle.source;
    task->idle.source = NULL;
    if (task->idle.written || task->idle.failed_weakly)
        return;
    uint64_t event = event_name(task->number, task->events), from = event_name(source->thread, source->number);
    graph_subtract(FACT_READ, event, from, 0);
    graph_add_turn(FACT_READ, event, from, task->spin.turns);
    task->events--;
}

/* The load right before it found the value that the park compares with. */
static bool has_looked(const struct task *task)
{
    const struct operation *operation = &task->pending;
    return task->idle.source && !task->idle.written && task->idle.address == operation->address &&
           task->idle.size == operation->size && access_part(operation, task->idle.source) == operation->expected;
}

/* Sleeping is no event: a thread that sleeps alone at its word may as well wake at once, and come later. Spurious
 * wake-ups need no bound. */
static void fall_asleep(struct task *task, const struct store *store)
{
    const struct operation *operation = &task->pending;
    execution.outcome = OUTCOME_SLEEPS;
    task->parked = *operation;
    if (assumptions_several_sleepers(operation->address))
        task->state = TASK_ASLEEP;
    trace_add(&(struct event){.thread = (uint8_t)task->number,
                              .address = operation->address,
                              .note = NOTE_ASLEEP,
                              .value = operation->expected,
                              .source = store->event,
                              .place = operation->place});
    end_idleness(task);
}

/* Nor is the load before it an event. If the value has changed since that load, the execution in which the load came
 * later shows the same. */
bool access_parks_at_once(struct task *task)
{
    const struct operation *operation = &task->pending;
    if (!assumptions_allowed() || task->state != TASK_READY || operation->action != ACTION_PARK || !has_looked(task))
        return false;
    struct store *looked_at = task->idle.source;
    assumptions_note_park(operation->address, task->number, operation->place);
    record_atomic(task, operation, false);
    if (execution_over())
        return false;
    struct clock now = task->now;
    futex_seen(operation->address, &now);
    const struct store *readable = looked_at->location->last;
    while (access_part(operation, readable) != operation->expected && !graph_known(readable, &now))
        readable = readable->before;
    if (access_part(operation, readable) != operation->expected) {
        if (assumptions_wake_was_early(operation->address))
            execution_probe_sleep(task);
        execution.pruned = true;
        return false;
    }
    const void *place = task->idle.place;
    access_undo(task);
    fall_asleep(task, readable);
    task->looked_at = place;
    return task->state == TASK_READY;
}

void access_park(struct task *task, struct store *store)
{
    const struct operation *operation = &task->pending;
    bool looked = has_looked(task);
    assumptions_note_park(operation->address, task->number, operation->place);
    if (!looked)
        assumptions_note_after_park(operation->address, operation->place, NULL, false);
    if (execution_over())
        return;
    if (access_part(operation, store) == operation->expected) {
        record_atomic(task, operation, false);
        task->events--;
        if (looked)
            access_undo(task);
        fall_asleep(task, store);
        return;
    }
    if (looked) {
        execution.pruned = true;
        return;
    }
    futex_seen(operation->address, &task->now);
    access_load(task, store, __ATOMIC_RELAXED, NOTE_NONE);
    end_idleness(task);
}

void access_wake(struct task *task, struct task *woken)
{
    end_idleness(task);
    futex_wake(task->pending.address, &task->now);
    graph_add(FACT_WAKE, event_name(task->number, task->events), 0, 0);
    trace_add(&(struct event){.thread = (uint8_t)task->number,
                              .action = ACTION_WAKE,
                              .address = task->pending.address,
                              .note = NOTE_WOKEN,
                              .other = woken ? (uint8_t)woken->number : 0,
                              .place = task->pending.place});
    if (woken)
        woken->state = TASK_READY;
}

void access_choose(struct task *task, unsigned pick)
{
    spin_stand(task);
    task->result = pick;
    trace_add(&(struct event){.thread = (uint8_t)task->number,
                              .action = ACTION_CHOOSE,
                              .note = NOTE_CHOSEN,
                              .value = pick,
                              .stored = task->pending.operand,
                              .place = task->pending.place});
}

void access_fail(struct task *task, struct store *store)
{
    access_load(task, store, task->pending.failure_order, NOTE_FAILED);
    task->failed_weakly = task->idle.failed_weakly = true;
    graph_add(FACT_FAILED, event_name(task->number, task->events), 0, 0);
}
