/* SPDX-License-Identifier: MIT */
/* In which order threads wait for one of our mutexes: src/mutex.c. First the segment that has a leader, then those who
 * have arrived since. If the owner keeps leadership, it knows the first of the segment; a leader knows the first behind
 * itself, which is written nowhere else. Then the segment consists of those that sleep at an element of this mutex,
 * each behind the one whose successor it is. */
#define RECIP_UNANNOTATED
#include "who/who.h"

#include <stdlib.h>

#include "cli/command.h"
#include "preload/mutex-data.h"
#include "src/state.h"
#include "src/waiter.h"

#define EPOCH_SHIFT 48
#define ADDRESS ((UINT64_C(1) << EPOCH_SHIFT) - 1)

/* A thread's stack is not larger, mostly. */
#define MOST_STACK (UINT64_C(1) << 23)

enum { MOST_WAITERS = 1 << 16 };

struct list {
    size_t count;
    uint64_t *elements;
};

static bool has(const struct list *list, uint64_t element)
{
    for (size_t i = 0; i < list->count; i++)
        if (list->elements[i] == element)
            return true;
    return false;
}

static void add(struct list *list, uint64_t element)
{
    list->elements = need_memory(realloc(list->elements, (list->count + 1) * sizeof *list->elements));
    list->elements[list->count++] = element;
}

static bool read_element(const struct who_process *process, uint64_t address, struct recip_waiter_ *element)
{
    return address > SEGMENT_EMPTY && address % 64 == 0 && process_read(process, address, element, sizeof *element);
}

static uintptr_t gate_of(const struct recip_waiter_ *element)
{
    return atomic_load_explicit(&element->gate, memory_order_relaxed);
}

static bool has_left(const struct recip_waiter_ *element)
{
    return gate_of(element) == GATE_LEFT || gate_of(element) == GATE_ORPHANED;
}

/* From that element on, up to the end of the segment. That is a number, or the element of a thread that has come when
 * nobody waited, and so has no successor. Those whose deadline has passed are left out. What is read while it changes
 * may be anything. */
static void add_chain(const struct who_process *process, struct list *list, uint64_t mutex, uint64_t from)
{
    struct recip_waiter_ element;
    for (size_t i = 0; i < MOST_WAITERS && !has(list, from); i++, from = element.successor) {
        if (!read_element(process, from, &element) || (uint64_t)element.mutex != mutex || !element.successor)
            return;
        if (!has_left(&element))
            add(list, from);
    }
}

/* ---- The segment ---- */

/* Those that sleep at an element of this mutex, and are not in a condition variable: these have no successor. */
static bool is_sleeper(const struct who_process *process, const struct who_thread *thread, uint64_t mutex,
                       struct recip_waiter_ *element)
{
    return read_element(process, thread->futex, element) && (uint64_t)element->mutex == mutex && element->successor;
}

/* The element behind which nobody of the segment is known to be: the first, of those that wait. */
static void add_segment(const struct who_process *process, struct list *list, uint64_t mutex,
                        const struct list *arrivals)
{
    struct recip_waiter_ element;
    struct list sleepers = {0}, behind = {0};
    for (size_t i = 0; i < process->count; i++)
        if (is_sleeper(process, &process->threads[i], mutex, &element) && gate_is_shut(gate_of(&element)) &&
            !has(arrivals, process->threads[i].futex)) {
            add(&sleepers, process->threads[i].futex);
            add(&behind, element.successor);
        }
    for (size_t i = 0; i < sleepers.count; i++)
        if (!has(&behind, sleepers.elements[i]))
            add_chain(process, list, mutex, sleepers.elements[i]);
    free(sleepers.elements);
    free(behind.elements);
}

/* ---- The arrivals ---- */

/* Those of a parent before a fork stand for nobody. */
static bool is_of_this_process(const struct who_process *process, uint64_t arrivals, enum library library)
{
    static const char name[] = "recip_native_epoch";
    unsigned epoch = 0;
    uint64_t at = library == LIBRARY_PRELOAD ? process_preload_symbol(name) : process_librecip_symbol(name);
    bool is_known = at && process_read(process, at, &epoch, sizeof epoch);
    return !is_known || arrivals >> EPOCH_SHIFT == epoch;
}

/* The sleepers at the top come as they arrived, unless the bound is 0. */
static void add_arrivals(const struct who_process *process, struct list *list, const struct list *arrivals,
                         bool never_passed)
{
    struct recip_waiter_ element;
    size_t asleep = 0;
    while (!never_passed && asleep < arrivals->count && asleep < MAX_REVERSED &&
           read_element(process, arrivals->elements[asleep], &element) && gate_of(&element) != GATE_CLOSED)
        asleep++;
    for (size_t i = 0; i < arrivals->count; i++) {
        uint64_t next = arrivals->elements[i < asleep ? asleep - 1 - i : i];
        if (!has(list, next))
            add(list, next);
    }
}

/* ---- Threads ---- */

/* An element is on the stack of its thread, but for those that wait with a deadline. */
static size_t thread_of(const struct who_process *process, uint64_t element)
{
    size_t found = NOT_FOUND;
    for (size_t i = 0; i < process->count; i++) {
        const struct who_thread *thread = &process->threads[i];
        if (thread->futex == element)
            return i;
        if (thread->stack_pointer && thread->stack_pointer <= element && element - thread->stack_pointer < MOST_STACK &&
            (found == NOT_FOUND || thread->stack_pointer > process->threads[found].stack_pointer))
            found = i;
    }
    return found;
}

/* Adds the threads that sleep at the state word. They come before the queue: first express waiters, then the leader. */
static void add_at_state(const struct who_process *process, struct who_queue *queue, uint64_t mutex, uint32_t kinds)
{
    for (size_t i = 0; i < process->count; i++)
        if (process->threads[i].futex == mutex && process->threads[i].futex_kinds == kinds)
            queue->threads[queue->count++] = i;
}

/* A leader that has not been woken yet: its gate is open. */
static void add_chosen(const struct who_process *process, struct who_queue *queue, uint64_t mutex)
{
    struct recip_waiter_ element;
    for (size_t i = 0; i < process->count; i++)
        if (is_sleeper(process, &process->threads[i], mutex, &element) && !gate_is_shut(gate_of(&element)) &&
            !has_left(&element))
            queue->threads[queue->count++] = i;
}

/* ---- All of them ---- */

/* Where the owner keeps leadership: in the preload library the mutex says where that is. */
static bool find_kept(const struct who_process *process, uint64_t mutex, const struct mutex *memory,
                      enum library library, uint64_t kept[3])
{
    uint64_t at = atomic_load_explicit(&memory->lock_data_and_users, memory_order_relaxed) & LOCK_DATA;
    if (!(memory->lock.flagship.state & HANDS_OVER))
        return false;
    if (library == LIBRARY_PRELOAD)
        return at && process_read(process, at, kept, 3 * sizeof *kept) && kept[0] == mutex;
    for (size_t i = 0; i < process->count; i++) {
        const struct who_thread *thread = &process->threads[i];
        if (thread->kept.mutex != mutex)
            continue;
        kept[1] = thread->kept.successor;
        kept[2] = thread->kept.end;
        return true;
    }
    return false;
}

struct who_queue find_queue(const struct who_process *process, uint64_t mutex, enum library library)
{
    struct who_queue queue = {0};
    struct mutex memory = {0};
    struct list list = {0}, arrivals = {0};
    uint64_t kept[3];
    size_t size = library == LIBRARY_PRELOAD ? sizeof memory : sizeof memory.lock.flagship;
    if (!process_read(process, mutex, &memory, size))
        return queue;
    if (is_of_this_process(process, memory.lock.flagship.arrivals, library))
        add_chain(process, &arrivals, mutex, memory.lock.flagship.arrivals & ADDRESS);
    queue.is_handed_over = find_kept(process, mutex, &memory, library, kept);
    if (queue.is_handed_over)
        add_chain(process, &list, mutex, kept[1]);
    else
        add_segment(process, &list, mutex, &arrivals);
    add_arrivals(process, &list, &arrivals, never_passed(&memory.lock.flagship));
    queue.threads = need_memory(calloc(3 * process->count + list.count + 1, sizeof *queue.threads));
    add_at_state(process, &queue, mutex, EXPRESS_KIND);
    add_at_state(process, &queue, mutex, LEADER_KIND);
    if (!queue.is_handed_over)
        add_chosen(process, &queue, mutex);
    for (size_t i = 0; i < list.count; i++)
        queue.threads[queue.count++] = thread_of(process, list.elements[i]);
    free(arrivals.elements);
    free(list.elements);
    return queue;
}
