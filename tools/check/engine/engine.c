/* SPDX-License-Identifier: MIT */
/* What the explored code calls. */
#include "check/engine/engine.h"

#include <stdarg.h>
#include <stdio.h>

#include "check/engine/access.h"
#include "check/engine/fiber.h"
#include "check/engine/handler.h"
#include "check/engine/memory.h"
#include "check/engine/race.h"
#include "check/engine/seq-cst.h"

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

unsigned engine_self(void)
{
    return execution.running ? execution.running->number : 0;
}

void engine_stop(void)
{
    while (execution_over() && execution.running)
        fiber_suspend();
}

static uint64_t inactive_access(const struct operation *operation, bool *swapped)
{
    uint64_t old = memory_read(operation->address, operation->size);
    *swapped = operation->action == ACTION_COMPARE && old == operation->expected;
    if (*swapped || operation->action == ACTION_STORE)
        memory_write(operation->address, operation->size, operation->operand);
    else if (operation->action == ACTION_CHANGE)
        memory_write(operation->address, operation->size, access_changed(operation, old));
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
    access_begin(task);
    struct store *newest = location->last;
    uint64_t found = access_part(operation, newest);
    *swapped = false;
    if (operation->action == ACTION_STORE)
        access_store(task, newest);
    else if (operation->action == ACTION_CHANGE)
        access_change(task, newest, access_changed(operation, found));
    else if (operation->action == ACTION_LOAD || found != operation->expected)
        access_load(task, newest, operation->order, NOTE_NONE);
    else
        access_change(task, newest, operation->operand), *swapped = true;
    return found;
}

uint64_t engine_access(const struct operation *operation, bool *swapped)
{
    struct task *task = execution.running;
    if (!task)
        return main_access(operation, swapped);
    if (operation->order == __ATOMIC_SEQ_CST || operation->failure_order == __ATOMIC_SEQ_CST) {
        seq_cst_note();
        engine_stop();
    }
    handler_before(task, operation);
    task->pending = *operation;
    task->place = operation->place;
    fiber_suspend();
    *swapped = task->swapped;
    uint64_t result = task->result;
    handler_made(task, operation, *swapped);
    return result;
}

unsigned engine_choose(unsigned of, const void *place, const void *frame)
{
    struct task *task = execution.running;
    if (!task || !execution.active || of - 1 >= MAX_PICKS) {
        engine_fail(FAILURE_UNMODELLED, place, NULL,
                    task ? "a choice of %u is not modelled" : "a choice of %u: only threads choose", of);
        engine_stop();
        return 0;
    }
    if (of == 1)
        return 0;
    task->pending = (struct operation){.action = ACTION_CHOOSE, .operand = of, .place = place, .frame = frame};
    task->place = place;
    fiber_suspend();
    return (unsigned)task->result;
}

void engine_fence(int order, const void *place, const void *frame)
{
    struct task *task = &execution.tasks[engine_self()];
    if (order == __ATOMIC_SEQ_CST && engine_self())
        seq_cst_note();
    engine_stop();
    task->place = place;
    if (engine_self())
        handler_fence(task, order, place, frame);
    if (access_acquires(order)) {
        execution_fence();
        clock_join(&task->now, &task->learned);
    }
    if (access_releases(order)) {
        access_tick(task);
        task->published = task->now;
    }
    if (order == __ATOMIC_SEQ_CST)
        seq_cst_add(task, NULL, NULL, true);
    fiber_scrub();
}

void engine_signal_fence(int order, const void *place, const void *frame)
{
    if (execution.running)
        handler_fence(execution.running, order, place, frame);
    engine_stop();
}

void engine_interrupt(uintptr_t address, size_t size, const void *place, const void *frame)
{
    handler_before(
        execution.running,
        &(struct operation){
            .action = ACTION_INTERRUPT, .size = (uint16_t)size, .address = address, .place = place, .frame = frame});
}

void engine_handler(unsigned thread, void (*body)(void *argument), void *argument)
{
    if (thread == 0 || thread >= execution.task_count)
        engine_fail(FAILURE_ASSERTION, NULL, NULL, "a signal handler is for a thread: there is no thread %u", thread);
    else
        execution.tasks[thread].handler = (struct handler){.body = body, .argument = argument};
    execution.handlers = true;
}

static void plain_piece(uintptr_t address, unsigned size, bool writes, const void *place)
{
    struct task *task = &execution.tasks[engine_self()];
    if (address < MIN_ADDRESS) {
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
    if (race == RACE_RESTART)
        execution.restart = execution.pruned = true;
    if (memory_is_gone(address, size))
        engine_fail(FAILURE_GONE, place, NULL, "thread %u accesses memory that is gone", task->number);
    else if (memory_is_outside(address, size))
        engine_fail(FAILURE_GONE, place, NULL, "thread %u accesses memory outside of what was allocated", task->number);
    if (!writes && memory_is_unwritten(address, size))
        engine_fail(FAILURE_GONE, place, NULL, "thread %u reads memory that nobody has written", task->number);
    handler_plain(task, address, size, writes);
    if (writes && !memory_log(address, size))
        engine_fail(FAILURE_LIMIT, place, NULL, "an execution has too many plain writes");
    if (writes)
        memory_note_written(address, size);
    if (task->number)
        spin_touch(task, address, size, writes);
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
    fiber_scrub();
}

void engine_relax(const void *place)
{
    struct task *task = execution.running;
    if (!task)
        return;
    task->place = place;
    handler_fence(task, __ATOMIC_SEQ_CST, place, NULL);
    task->relaxing = true;
    fiber_suspend();
}

void *engine_allocate(size_t alignment, size_t size, const void *place)
{
    void *memory = memory_allocate(engine_self(), alignment, size, place);
    if (!memory)
        engine_fail(FAILURE_LIMIT, NULL, NULL, "a thread has allocated too much");
    engine_stop();
    fiber_scrub();
    return memory;
}

size_t engine_allocated(const void *memory)
{
    return memory_block((uintptr_t)memory);
}

unsigned engine_blocks(void)
{
    return memory_blocks();
}

bool engine_active(void)
{
    return execution.active;
}

void engine_free(void *memory, size_t size, const void *place)
{
    struct task *task = &execution.tasks[engine_self()];
    bool again = memory_is_gone((uintptr_t)memory, 1);
    size = memory_free((uintptr_t)memory, size);
    if (again)
        engine_fail(FAILURE_GONE, place, NULL, "thread %u frees memory that is gone", task->number);
    else if (!size)
        engine_fail(FAILURE_ASSERTION, place, NULL, "thread %u frees what was not allocated", task->number);
    struct access access = {
        .tick = (uint16_t)(task->now.at[task->number] + 1),
        .thread = (uint8_t)task->number,
        .bytes = 0xff,
        .writes = true,
    };
    struct access other;
    enum race race = race_free((uintptr_t)memory, size, &access, &task->now, &other);
    if (race == RACE_FOUND)
        engine_fail(FAILURE_RACE, place, other.place, "data race: thread %u frees what thread %u accesses",
                    task->number, other.thread);
    if (race == RACE_LIMIT)
        engine_fail(FAILURE_LIMIT, place, NULL, "memory is freed at too many places");
    if (race == RACE_RESTART)
        execution.restart = execution.pruned = true;
    engine_stop();
    fiber_scrub();
}

void engine_alike(void)
{
    execution.alike = true;
}

void engine_endless(void)
{
    execution.endless = true;
}

unsigned engine_thread(void (*body)(void *argument), void *argument, unsigned after)
{
    unsigned number = execution.task_count;
    if (number == CLOCKS) {
        engine_fail(FAILURE_LIMIT, NULL, NULL, "a client has at most %d threads", MAX_THREADS);
        return MAX_THREADS;
    }
    execution.task_count++;
    struct task *task = &execution.tasks[number];
    *task = (struct task){.body = body, .argument = argument, .after = after, .number = number};
    execution.tasks[after].followed = true;
    return number;
}
