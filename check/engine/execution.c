#include "check/engine/execution.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "check/engine/admission.h"
#include "check/engine/fiber.h"
#include "check/engine/futex.h"
#include "check/engine/memory.h"
#include "check/engine/race.h"
#include "check/engine/trace.h"

struct execution execution;

/* Nothing is mapped below. */
enum { LEAST_ADDRESS = 65536 };

/* The kinds of facts in the hash of the graph, beside those of graph.c. */
enum { FACT_READ = 2, FACT_WAKE, FACT_FAILED, FACT_TASK };

void engine_fail(enum failure_kind kind, const void *place, const void *other, const char *format, ...)
{
    if (execution.failure.kind == FAILURE_NONE) {
        execution.failure = (struct failure){.kind = kind, .place = place, .other = other};
        execution.failure.thread = engine_self();
        va_list arguments;
        va_start(arguments, format);
        vsnprintf(execution.failure.text, sizeof execution.failure.text, format, arguments);
        va_end(arguments);
    }
}

static bool acquires(int order)
{
    return order == __ATOMIC_CONSUME || order == __ATOMIC_ACQUIRE || order == __ATOMIC_ACQ_REL ||
           order == __ATOMIC_SEQ_CST;
}

static bool releases(int order)
{
    return order == __ATOMIC_RELEASE || order == __ATOMIC_ACQ_REL || order == __ATOMIC_SEQ_CST;
}

static uint64_t changed(const struct operation *operation, uint64_t old)
{
    uint64_t operand = operation->operand, value = operand;
    switch (operation->change) {
    case CHANGE_SET:
        break;
    case CHANGE_ADD:
        value = old + operand;
        break;
    case CHANGE_SUB:
        value = old - operand;
        break;
    case CHANGE_AND:
        value = old & operand;
        break;
    case CHANGE_OR:
        value = old | operand;
        break;
    case CHANGE_XOR:
        value = old ^ operand;
        break;
    case CHANGE_NAND:
        value = ~(old & operand);
        break;
    }
    return operation->size == 8 ? value : value & ((UINT64_C(1) << operation->size * 8) - 1);
}

/* The next event of a thread begins. */
static void begin_event(struct task *task)
{
    task->now.at[task->number]++;
    task->events++;
    if (task->now.at[task->number] == NEVER - 1)
        engine_fail(FAILURE_LIMIT, task->place, NULL, "an execution is too long: a loop without port_relax?");
}

static void end_idleness(struct task *task)
{
    task->idle.source = NULL;
    task->watched_count = 0;
    task->looping = false;
}

static void watch(struct task *task, struct store *read)
{
    if (task->watched_count == MOST_WATCHED) {
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
    task->idle.source = store;
    task->idle.written = NULL;
    task->idle.first_read = store->first_read[number] == NEVER;
    if (task->idle.first_read)
        store->first_read[number] = task->now.at[number];
    clock_join(&task->seen, &store->seen);
    clock_join(acquires(order) ? &task->now : &task->learned, &store->message);
    graph_add(FACT_READ, event_name(number, task->events), event_name(store->thread, store->number), 0);
    watch(task, store);
    if (store->unwritten)
        engine_fail(FAILURE_GONE, task->place, NULL, "thread %u reads memory that nobody has written", number);
}

static struct store *write_behind(struct task *task, struct store *behind, uint64_t value, int order)
{
    struct store *store = graph_insert(behind, task->number, task->now.at[task->number], task->events, value);
    if (!store) {
        engine_fail(FAILURE_LIMIT, task->place, NULL, "an execution has too many stores: a loop without port_relax?");
        return NULL;
    }
    store->message = releases(order) ? task->now : task->published;
    store->seen = task->seen;
    store->seen.at[task->number] = task->now.at[task->number];
    return store;
}

/* A read-modify-write carries on the release sequence of the store that it reads. */
static struct store *take(struct task *task, struct store *source, uint64_t value, int order)
{
    struct store *store = write_behind(task, source, value, order);
    if (!store)
        return NULL;
    clock_join(&store->message, &source->message);
    store->source = source;
    source->taker = store;
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
    if (memory_is_gone(operation->address, operation->size))
        engine_fail(FAILURE_GONE, operation->place, NULL, "thread %u accesses memory that is gone", task->number);
}

static void perform_load(struct task *task, struct store *store, int order, enum note note)
{
    const struct operation *operation = &task->pending;
    record_atomic(task, operation, false);
    read_from(task, store, order);
    admission_loaded(task->number, operation->address);
    task->result = store->value;
    trace_add(&(struct event){.thread = (uint8_t)task->number,
                              .action = operation->action,
                              .order = (uint8_t)order,
                              .size = operation->size,
                              .note = note,
                              .reads = true,
                              .address = operation->address,
                              .value = store->value,
                              .source = store->event,
                              .place = operation->place});
}

static void perform_store(struct task *task, struct store *behind)
{
    const struct operation *operation = &task->pending;
    record_atomic(task, operation, true);
    end_idleness(task);
    admission_stored(task->number, operation->address);
    struct store *store = write_behind(task, behind, operation->operand, operation->order);
    if (store)
        store->event = trace_add(&(struct event){.thread = (uint8_t)task->number,
                                                 .action = operation->action,
                                                 .order = operation->order,
                                                 .size = operation->size,
                                                 .writes = true,
                                                 .address = operation->address,
                                                 .stored = operation->operand,
                                                 .place = operation->place});
}

static void perform_change(struct task *task, struct store *source, uint64_t value)
{
    const struct operation *operation = &task->pending;
    record_atomic(task, operation, true);
    bool idle = value == source->value;
    if (!idle)
        end_idleness(task);
    read_from(task, source, operation->order);
    struct store *store = take(task, source, value, operation->order);
    task->idle.written = store;
    if (!idle)
        end_idleness(task);
    task->result = source->value;
    task->swapped = true;
    if (!store)
        return;
    store->event = trace_add(&(struct event){.thread = (uint8_t)task->number,
                                             .action = operation->action,
                                             .order = operation->order,
                                             .size = operation->size,
                                             .reads = true,
                                             .writes = true,
                                             .address = operation->address,
                                             .value = source->value,
                                             .stored = value,
                                             .source = source->event,
                                             .place = operation->place});
    admission_changed(task->number, operation, store);
}

/* Takes the last event out of the graph, one that changed nothing. */
static void undo_idle(struct task *task)
{
    struct store *source = task->idle.source;
    if (task->idle.written) {
        graph_remove(task->idle.written);
        source->taker = NULL;
    }
    graph_subtract(FACT_READ, event_name(task->number, task->events), event_name(source->thread, source->number), 0);
    if (task->idle.first_read)
        source->first_read[task->number] = NEVER;
    uint16_t tick = task->now.at[task->number];
    task->now = task->idle.now;
    task->now.at[task->number] = tick;
    task->learned = task->idle.learned;
    task->seen = task->idle.seen;
    task->events--;
    task->idle.source = NULL;
}

/* Sleeping is no event, nor is the load before it that found the same value: the thread comes back to where it was. So
 * spurious wake-ups need no bound, and a thread that sleeps alone at its word may as well wake at once. If the value
 * has changed since that load, the execution in which the load came later shows the same. */
static void perform_park(struct task *task, struct store *store)
{
    const struct operation *operation = &task->pending;
    bool looked = task->idle.source && !task->idle.written && task->idle.source->location == store->location &&
                  task->idle.source->value == operation->expected;
    if (store->value == operation->expected) {
        record_atomic(task, operation, false);
        task->events--;
        if (looked)
            undo_idle(task);
        execution.outcome = OUTCOME_WAITS;
        if (futex_park(operation->address, task->number, &execution.restart))
            task->state = TASK_ASLEEP;
        trace_add(&(struct event){.thread = (uint8_t)task->number,
                                  .address = operation->address,
                                  .note = NOTE_ASLEEP,
                                  .value = store->value,
                                  .source = store->event,
                                  .place = operation->place});
    } else if (looked) {
        execution.pruned = true;
    } else {
        futex_seen(operation->address, &task->now);
        perform_load(task, store, __ATOMIC_RELAXED, NOTE_NONE);
    }
    end_idleness(task);
}

static void perform_wake(struct task *task, struct task *woken)
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

static void run(struct task *task);

static void start_followers(struct task *ended)
{
    for (unsigned i = 1; i < execution.task_count; i++) {
        struct task *task = &execution.tasks[i];
        if (task->state != TASK_UNBORN || task->after != ended->number)
            continue;
        clock_join(&task->now, &ended->now);
        clock_join(&task->seen, &ended->seen);
        clock_join(&task->seen, &ended->now);
        run(task);
    }
}

/* A turn of a spin loop ends. It is taken out of the graph: the execution in which the thread just waited longer shows
 * the same and more. True if the thread goes on. */
static bool relax(struct task *task)
{
    struct store *source = task->idle.source;
    if (!source)
        return true;
    if (source->location->last != source && source->location->last != task->idle.written) {
        execution.outcome = OUTCOME_STALE;
        execution.pruned = true;
        return false;
    }
    undo_idle(task);
    trace_spun();
    bool stale = false;
    for (unsigned i = 0; i < task->watched_count; i++)
        stale |= task->watched[i] != task->watched[i]->location->last;
    task->watched_count = 0;
    if (!stale || task->looping) {
        execution.outcome = stale ? OUTCOME_STALE : OUTCOME_WAITS;
        execution.pruned = true;
        return false;
    }
    /* What the loop does not read again does not matter: the next turn shows. */
    task->looping = true;
    return true;
}

static bool over(void)
{
    return execution.pruned || execution.failure.kind != FAILURE_NONE;
}

static void body_of(void *task)
{
    ((struct task *)task)->body(((struct task *)task)->argument);
}

/* Runs a thread up to its next access, or to where it waits or ends. */
static void run(struct task *task)
{
    do {
        execution.running = task;
        task->relaxing = false;
        bool ended;
        if (task->state == TASK_UNBORN) {
            task->state = TASK_READY;
            ended = fiber_start(task->number, body_of, task);
        } else {
            task->state = TASK_READY;
            ended = fiber_resume(task->number);
        }
        execution.running = NULL;
        if (over())
            return;
        if (ended) {
            task->state = TASK_FINISHED;
            task->now.at[task->number]++; /* its last plain accesses belong to an event of their own */
            start_followers(task);
            return;
        }
    } while (task->relaxing && relax(task));
}

void execution_take(const struct choice *choice)
{
    struct task *task = choice->task;
    const struct operation *operation = &task->pending;
    execution.outcome = OUTCOME_PROGRESS;
    begin_event(task);
    if (over())
        return;
    if (choice->spurious && task->state == TASK_ASLEEP) {
        task->events--;
        execution.outcome = OUTCOME_WAITS;
        trace_add(&(struct event){.thread = (uint8_t)task->number,
                                  .action = ACTION_PARK,
                                  .address = operation->address,
                                  .note = NOTE_SPURIOUS,
                                  .place = operation->place});
    } else if (operation->action == ACTION_LOAD) {
        perform_load(task, choice->store, operation->order, NOTE_NONE);
    } else if (operation->action == ACTION_STORE) {
        perform_store(task, choice->store);
    } else if (operation->action == ACTION_CHANGE) {
        perform_change(task, choice->store, changed(operation, choice->store->value));
    } else if (operation->action == ACTION_PARK) {
        perform_park(task, choice->store);
    } else if (operation->action == ACTION_WAKE) {
        perform_wake(task, choice->woken);
    } else if (choice->store->value == operation->expected && !choice->spurious) {
        perform_change(task, choice->store, operation->operand);
    } else {
        task->swapped = false;
        perform_load(task, choice->store, operation->failure_order, NOTE_FAILED);
        if (choice->spurious) {
            task->startled = true;
            graph_add(FACT_FAILED, event_name(task->number, task->events), 0, 0);
        }
    }
    if (over())
        return;
    if (choice->woken)
        run(choice->woken);
    if (task->state != TASK_ASLEEP || choice->spurious)
        run(task);
}

/* The stores that a thread may read from, or stand behind: from the newest back to the first that it knows of. */
static unsigned store_choices(struct task *task, struct choice *choices, unsigned most)
{
    const struct operation *operation = &task->pending;
    if (operation->address < LEAST_ADDRESS || operation->address % operation->size) {
        engine_fail(FAILURE_GONE, operation->place, NULL, "thread %u accesses the address %#lx", task->number,
                    (unsigned long)operation->address);
        return 0;
    }
    struct location *location = graph_location(operation->address, operation->size);
    if (!location) {
        engine_fail(FAILURE_UNMODELLED, operation->place, NULL,
                    "accesses of different sizes to one atomic, or too many atomics");
        return 0;
    }
    struct clock now = task->now;
    if (operation->action == ACTION_PARK)
        futex_seen(operation->address, &now);
    unsigned count = 0;
    for (struct store *store = location->last; store && count + 2 <= most; store = store->before) {
        bool swaps = operation->action == ACTION_COMPARE && store->value == operation->expected;
        bool writes = swaps || operation->action == ACTION_CHANGE || operation->action == ACTION_STORE;
        if (!writes || !store->taker)
            choices[count++] = (struct choice){.task = task, .store = store};
        if (swaps && operation->weak && !task->startled)
            choices[count++] = (struct choice){.task = task, .store = store, .spurious = true};
        if (graph_known(store, &now))
            break;
    }
    return count;
}

static unsigned wake_choices(struct task *task, struct choice *choices)
{
    unsigned count = 0;
    for (unsigned i = 1; i < execution.task_count; i++) {
        struct task *sleeper = &execution.tasks[i];
        if (sleeper->state == TASK_ASLEEP && sleeper->pending.address == task->pending.address)
            choices[count++] = (struct choice){.task = task, .woken = sleeper};
    }
    if (count == 0)
        choices[count++] = (struct choice){.task = task};
    return count;
}

unsigned execution_choices(struct task *only, struct choice *choices, unsigned most)
{
    unsigned count = 0;
    for (unsigned i = 1; i < execution.task_count && count + CLOCKS < most; i++) {
        struct task *task = &execution.tasks[i];
        if (only && task != only)
            continue;
        if (task->state == TASK_READY && task->pending.action == ACTION_WAKE)
            count += wake_choices(task, choices + count);
        else if (task->state == TASK_READY)
            count += store_choices(task, choices + count, most - count);
    }
    if (count == 0)
        return 0;
    for (unsigned i = 1; !only && i < execution.task_count && count < most; i++)
        if (execution.tasks[i].state == TASK_ASLEEP)
            choices[count++] = (struct choice){.task = &execution.tasks[i], .spurious = true};
    return count;
}

struct task *execution_store_pending(void)
{
    for (unsigned i = 1; i < execution.task_count; i++)
        if (execution.tasks[i].state == TASK_READY && execution.tasks[i].pending.action == ACTION_STORE)
            return &execution.tasks[i];
    return NULL;
}

void execution_begin(void)
{
    graph_reset();
    memory_reset();
    race_reset();
    futex_reset();
    admission_reset();
    trace_reset();
    memset(&execution, 0, sizeof execution);
    execution.task_count = 1;
    execution.active = true;
}

void execution_end(void)
{
    memory_reset();
    execution.active = false;
}

void execution_start(void)
{
    struct task *main_task = &execution.tasks[0];
    main_task->now.at[0]++; /* its plain accesses belong to an event of their own */
    for (unsigned i = 1; i < execution.task_count; i++)
        execution.tasks[i].now = main_task->now;
    for (unsigned i = 1; i < execution.task_count && !over(); i++)
        if (execution.tasks[i].state == TASK_UNBORN && !execution.tasks[i].after)
            run(&execution.tasks[i]);
}

struct hash execution_hash(void)
{
    struct hash graph = graph_hash;
    for (unsigned i = 1; i < execution.task_count; i++) {
        const struct task *task = &execution.tasks[i];
        graph_add(FACT_TASK, i, (uint64_t)task->state << 1 | task->looping, (uintptr_t)task->pending.place);
    }
    struct hash hash = graph_hash;
    graph_hash = graph;
    return hash;
}

bool execution_finished(void)
{
    for (unsigned i = 1; i < execution.task_count; i++)
        if (execution.tasks[i].state != TASK_FINISHED)
            return false;
    return true;
}

void execution_join(void)
{
    for (unsigned i = 1; i < execution.task_count; i++)
        clock_join(&execution.tasks[0].now, &execution.tasks[i].now);
}

unsigned execution_ready(void)
{
    unsigned ready = 0;
    for (unsigned i = 1; i < execution.task_count; i++)
        if (execution.tasks[i].state == TASK_READY)
            ready |= 1u << i;
    return ready;
}

void execution_stuck(void)
{
    const struct task *first = NULL;
    char who[64] = "";
    for (unsigned i = 1; i < execution.task_count; i++) {
        const struct task *task = &execution.tasks[i];
        if (task->state == TASK_FINISHED || task->state == TASK_UNBORN)
            continue;
        const struct operation *operation = &task->pending;
        struct location *location = graph_find(operation->address);
        if (location)
            trace_add(&(struct event){.thread = (uint8_t)i,
                                      .note = NOTE_SPUN,
                                      .address = operation->address,
                                      .value = location->last->value,
                                      .source = location->last->event,
                                      .place = operation->place});
        size_t used = strlen(who);
        snprintf(who + used, sizeof who - used, "%s%u", first ? " and " : "", i);
        if (!first)
            first = task;
    }
    engine_fail(FAILURE_WAITS, first ? first->place : NULL, NULL, "waiting for ever: thread %s", who);
    if (first)
        execution.failure.thread = first->number;
}

/* From here on: what the explored code calls. */

unsigned engine_self(void)
{
    return execution.running ? execution.running->number : 0;
}

void engine_stop(void)
{
    while (over() && execution.running)
        fiber_suspend();
}

static uint64_t inactive_access(const struct operation *operation, bool *swapped)
{
    uint64_t old = memory_read(operation->address, operation->size);
    *swapped = operation->action == ACTION_COMPARE && old == operation->expected;
    if (*swapped || operation->action == ACTION_STORE)
        memory_write(operation->address, operation->size, operation->operand);
    else if (operation->action == ACTION_CHANGE)
        memory_write(operation->address, operation->size, changed(operation, old));
    return old;
}

/* Setup and the end are alone: they see the newest store. */
static uint64_t main_access(const struct operation *operation, bool *swapped)
{
    struct task *task = &execution.tasks[0];
    if (!execution.active)
        return inactive_access(operation, swapped);
    struct location *location = graph_location(operation->address, operation->size);
    if (!location || operation->action == ACTION_PARK || operation->action == ACTION_WAKE)
        return 0;
    task->pending = *operation;
    task->place = operation->place;
    begin_event(task);
    struct store *newest = location->last;
    *swapped = false;
    if (operation->action == ACTION_STORE)
        perform_store(task, newest);
    else if (operation->action == ACTION_CHANGE)
        perform_change(task, newest, changed(operation, newest->value));
    else if (operation->action == ACTION_LOAD || newest->value != operation->expected)
        perform_load(task, newest, operation->order, NOTE_NONE);
    else
        perform_change(task, newest, operation->operand), *swapped = true;
    return newest->value;
}

uint64_t engine_access(const struct operation *operation, bool *swapped)
{
    struct task *task = execution.running;
    if (!task)
        return main_access(operation, swapped);
    if (operation->order == __ATOMIC_SEQ_CST) {
        engine_fail(FAILURE_UNMODELLED, operation->place, NULL, "the order seq_cst is not modelled");
        engine_stop();
    }
    task->pending = *operation;
    task->place = operation->place;
    fiber_suspend();
    *swapped = task->swapped;
    return task->result;
}

void engine_fence(int order, const void *place)
{
    struct task *task = &execution.tasks[engine_self()];
    if (order == __ATOMIC_SEQ_CST && engine_self())
        engine_fail(FAILURE_UNMODELLED, place, NULL, "a fence of order seq_cst is not modelled");
    engine_stop();
    if (acquires(order))
        clock_join(&task->now, &task->learned);
    if (releases(order))
        task->published = task->now;
}

static void plain_piece(uintptr_t address, unsigned size, bool writes, const void *place)
{
    struct task *task = &execution.tasks[engine_self()];
    if (address < LEAST_ADDRESS) {
        engine_fail(FAILURE_GONE, place, NULL, "thread %u accesses the address %#lx", task->number,
                    (unsigned long)address);
        return;
    }
    struct access access = {
        .place = place,
        .tick = (uint16_t)(task->now.at[task->number] + 1),
        .thread = (uint8_t)task->number,
        .bytes = (uint8_t)(((1u << size) - 1) << (address & 7)),
        .writes = writes,
    };
    struct access other;
    enum race race = race_access(address, &access, &task->now, &other);
    if (race == RACE_FOUND)
        engine_fail(FAILURE_RACE, place, other.place, "data race: thread %u %s what thread %u %s", task->number,
                    writes ? "writes" : "reads", other.thread, other.writes ? "writes" : "reads");
    if (race == RACE_LIMIT)
        engine_fail(FAILURE_LIMIT, place, NULL, "too many accesses to one place in memory");
    if (memory_is_gone(address, size))
        engine_fail(FAILURE_GONE, place, NULL, "thread %u accesses memory that is gone", task->number);
    if (writes && !memory_log(address, size))
        engine_fail(FAILURE_LIMIT, place, NULL, "an execution has too many plain writes");
}

void engine_plain(uintptr_t address, size_t size, bool writes, const void *place)
{
    while (size > 0 && execution.active) {
        size_t room = 8 - (address & 7), piece = size < room ? size : room;
        plain_piece(address, (unsigned)piece, writes, place);
        address += piece;
        size -= piece;
    }
    engine_stop();
}

void engine_relax(const void *place)
{
    struct task *task = execution.running;
    if (!task)
        return;
    task->place = place;
    task->relaxing = true;
    fiber_suspend();
}

void *engine_allocate(size_t alignment, size_t size)
{
    void *memory = memory_allocate(engine_self(), alignment, size);
    if (!memory)
        engine_fail(FAILURE_LIMIT, NULL, NULL, "a thread has allocated too much");
    engine_stop();
    return memory;
}

void engine_free(void *memory, size_t size, const void *place)
{
    struct task *task = &execution.tasks[engine_self()];
    size = memory_free((uintptr_t)memory, size);
    if (!size)
        engine_fail(FAILURE_ASSERTION, place, NULL, "thread %u frees what was not allocated", task->number);
    struct access access = {
        .tick = (uint16_t)(task->now.at[task->number] + 1),
        .thread = (uint8_t)task->number,
        .bytes = 0xff,
        .writes = true,
    };
    struct access other;
    if (race_free((uintptr_t)memory, size, &access, &task->now, &other) == RACE_FOUND)
        engine_fail(FAILURE_RACE, place, other.place, "data race: thread %u frees what thread %u accesses",
                    task->number, other.thread);
    engine_stop();
}

unsigned engine_thread(void (*body)(void *argument), void *argument, unsigned after)
{
    unsigned number = execution.task_count;
    if (number == CLOCKS) {
        engine_fail(FAILURE_LIMIT, NULL, NULL, "a client has at most %d threads", MOST_THREADS);
        return MOST_THREADS;
    }
    execution.task_count++;
    struct task *task = &execution.tasks[number];
    *task = (struct task){.body = body, .argument = argument, .after = after, .number = number};
    return number;
}
