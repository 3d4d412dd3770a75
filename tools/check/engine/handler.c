/* SPDX-License-Identifier: MIT */
#include "check/engine/handler.h"

#include <string.h>

#include "check/engine/access.h"
#include "check/engine/execution.h"
#include "check/engine/fiber.h"
#include "check/engine/memory.h"
#include "check/engine/snapshot.h"
#include "check/engine/symmetry.h"
#include "check/engine/trace.h"

/* The words that handlers access, over all executions: nothing else that a thread does is noticed by them. */
enum { MAX_WORDS = 64 };
static uintptr_t words[MAX_WORDS];
static unsigned word_count;

void handler_forget(void)
{
    word_count = 0;
}

static bool is_noticed(uintptr_t address, unsigned size)
{
    for (unsigned i = 0; i < word_count; i++)
        if (address < words[i] + 8 && words[i] < address + size)
            return true;
    return false;
}

static bool waits_for_handler(const struct task *task)
{
    return task->handler.body && !task->handler.done;
}

/* By a handler. If it is new, what came before was explored without it, and the exploration has to begin again. */
static void note_word(struct task *task, uintptr_t address, unsigned size)
{
    if (is_noticed(address, size) || fiber_holds_on(task->number, address))
        return;
    if (word_count == MAX_WORDS) {
        engine_fail(FAILURE_LIMIT, task->place, NULL, "a signal handler accesses more than %d words", MAX_WORDS);
        return;
    }
    words[word_count++] = address & ~(uintptr_t)7;
    execution.restart = execution.pruned = true;
}

static bool overlap(const struct handler_piece *piece, uintptr_t address, unsigned size)
{
    return address < piece->address + piece->size && piece->address < address + size;
}

static void touch(struct task *task, uintptr_t address, unsigned size)
{
    struct handler *handler = &task->handler;
    note_word(task, address, size);
    for (unsigned i = 0; i < handler->count; i++)
        handler->pieces[i].touched |= overlap(&handler->pieces[i], address, size);
}

/* What a store before it has stood for stays: the value that was there before both. A read stays where it was. */
static void add_piece(struct task *task, struct handler_piece piece)
{
    struct handler *handler = &task->handler;
    for (unsigned i = 0; i < handler->count; i++) {
        struct handler_piece *known = &handler->pieces[i];
        if (known->address != piece.address || known->size != piece.size || known->kind != piece.kind)
            continue;
        if (piece.kind == PIECE_READ)
            return;
        piece.value = known->value;
        memmove(known, known + 1, (--handler->count - i) * sizeof *known);
    }
    if (handler->count == HANDLER_PIECES)
        engine_fail(FAILURE_UNMODELLED, task->place, NULL,
                    "thread %u makes more than %d accesses that its signal handler notices, without a fence",
                    task->number, HANDLER_PIECES);
    else
        handler->pieces[handler->count++] = piece;
}

void handler_plain(struct task *task, uintptr_t address, unsigned size, bool writes)
{
    if (task->handler.running)
        touch(task, address, size);
    else if (waits_for_handler(task) && is_noticed(address, size))
        add_piece(task, (struct handler_piece){.address = address,
                                               .size = (uint8_t)size,
                                               .kind = writes ? PIECE_STORED : PIECE_READ,
                                               .value = writes ? memory_read(address, size) : 0});
}

/* An acquiring one keeps reads in front of what follows, but not stores. */
static void keep_in_front(struct handler *handler, int order)
{
    unsigned kept = 0;
    for (unsigned i = 0; i < handler->count; i++)
        if (!access_releases(order) && !(access_acquires(order) && handler->pieces[i].kind == PIECE_READ))
            handler->pieces[kept++] = handler->pieces[i];
    handler->count = (uint8_t)kept;
}

/* No store goes behind one that releases, nor anything behind a call of the system. */
void handler_made(struct task *task, const struct operation *operation, bool swapped)
{
    bool parks = operation->action == ACTION_PARK || operation->action == ACTION_WAKE;
    bool writes = operation->action == ACTION_STORE || operation->action == ACTION_CHANGE || swapped;
    if (task->handler.running) {
        touch(task, operation->address, operation->size);
        return;
    }
    if (!waits_for_handler(task))
        return;
    if (parks || (writes && access_releases(operation->order)))
        keep_in_front(&task->handler, __ATOMIC_SEQ_CST);
    if (writes && is_noticed(operation->address, operation->size))
        add_piece(task, (struct handler_piece){
                            .address = operation->address, .size = (uint8_t)operation->size, .kind = PIECE_CHANGED});
}

void handler_fence(struct task *task, int order, const void *place, const void *frame)
{
    struct handler *handler = &task->handler;
    if (handler->running || handler->count == 0)
        return;
    handler_before(task, &(struct operation){.action = ACTION_INTERRUPT, .place = place, .frame = frame});
    keep_in_front(handler, order);
}

static unsigned stores_of(const struct handler *handler)
{
    unsigned stores = 0;
    for (unsigned i = 0; i < handler->count; i++)
        stores += handler->pieces[i].kind == PIECE_STORED;
    return stores;
}

unsigned handler_choices(const struct task *task)
{
    unsigned stores = stores_of(&task->handler);
    if (stores <= HANDLER_LATE)
        return 1 + (1u << stores);
    engine_fail(FAILURE_UNMODELLED, task->place, NULL,
                "thread %u makes more than %d plain stores that its signal handler notices, without a fence",
                task->number, HANDLER_LATE);
    return 0;
}

void handler_choose(struct task *task, unsigned choice)
{
    struct handler *handler = &task->handler;
    spin_stand(task);
    handler->before = choice > 0;
    if (!handler->before)
        return;
    handler->late = (uint8_t)(choice - 1);
    handler->done = handler->running = true;
    trace_add(&(struct event){.thread = (uint8_t)task->number,
                              .note = NOTE_HANDLED,
                              .value = (uint64_t)__builtin_popcount(handler->late),
                              .place = task->pending.place});
}

/* A store of the thread that comes when the handler has run. */
struct late {
    uintptr_t address;
    uint64_t value, size;
};

static void take_back(const struct handler *handler, struct late late[HANDLER_LATE])
{
    unsigned number = 0;
    for (unsigned i = 0; i < handler->count; i++) {
        const struct handler_piece *piece = &handler->pieces[i];
        if (piece->kind != PIECE_STORED || !(handler->late >> number++ & 1))
            continue;
        late[number - 1] = (struct late){piece->address, memory_read(piece->address, piece->size), piece->size};
        memory_write(piece->address, piece->size, piece->value);
    }
}

static void store_late(const struct late late[HANDLER_LATE])
{
    for (unsigned i = 0; i < HANDLER_LATE; i++)
        if (late[i].size)
            memory_write(late[i].address, (unsigned)late[i].size, late[i].value);
}

/* What the pieces that were read held before the handler. */
static void note_read(struct handler *handler)
{
    for (unsigned i = 0; i < handler->count; i++)
        if (handler->pieces[i].kind == PIECE_READ)
            handler->pieces[i].value = memory_read(handler->pieces[i].address, handler->pieces[i].size);
}

static bool is_changed(const struct handler_piece *piece)
{
    return piece->kind == PIECE_READ && memory_read(piece->address, piece->size) != piece->value;
}

/* The handler has seen a store of the thread, or stored there, and has changed what the thread read before that store.
 */
static void check_reads(const struct task *task)
{
    const struct handler *handler = &task->handler;
    for (unsigned i = 0; i < handler->count; i++)
        for (unsigned j = i + 1; is_changed(&handler->pieces[i]) && j < handler->count; j++) {
            const struct handler_piece *read = &handler->pieces[i], *stored = &handler->pieces[j];
            if (stored->kind != PIECE_READ && stored->touched && !overlap(read, stored->address, stored->size))
                engine_fail(FAILURE_RACE, task->place, NULL,
                            "a signal handler changes what thread %u has read: nothing (atomic_signal_fence) keeps the "
                            "compiler from reading it after the store that followed, which the handler has seen",
                            task->number);
        }
}

static void run_handler(struct task *task)
{
    struct handler *handler = &task->handler;
    struct late late[HANDLER_LATE];
    memset(late, 0, sizeof late);
    access_forget_turn(task);
    take_back(handler, late);
    note_read(handler);
    handler->body(handler->argument);
    check_reads(task);
    store_late(late);
    access_forget_turn(task);
    handler->running = handler->before = false;
    handler->late = handler->count = 0;
    trace_add(&(struct event){.thread = (uint8_t)task->number, .note = NOTE_HANDLED_END, .place = task->place});
    engine_stop();
}

void handler_before(struct task *task, const struct operation *operation)
{
    bool is_plain = operation->action == ACTION_INTERRUPT;
    if (!task || !waits_for_handler(task))
        return;
    if (is_plain && operation->size && !is_noticed(operation->address, operation->size))
        return;
    task->pending = *operation;
    task->pending.action = ACTION_INTERRUPT;
    task->place = operation->place;
    fiber_suspend();
    if (task->handler.before)
        run_handler(task);
}

void handler_will_change(struct handler *handler)
{
    if (!handler->body)
        return;
    snapshot_keep(handler, offsetof(struct handler, pieces));
    snapshot_keep(handler->pieces, handler->count * sizeof handler->pieces[0]);
}

void handler_digest(const struct task *task, struct hash *hash)
{
    const struct handler *handler = &task->handler;
    if (!handler->body)
        return;
    digest_add(hash, (uint64_t)handler->done << 17 | (uint64_t)handler->running << 16 | (uint64_t)handler->before << 8 |
                         handler->count);
    for (unsigned i = 0; i < handler->count; i++) {
        const struct handler_piece *piece = &handler->pieces[i];
        digest_add(hash, symmetry_word(piece->address));
        digest_add(hash, symmetry_word(piece->value));
        digest_add(hash, (uint64_t)piece->size << 16 | (uint64_t)piece->kind << 8 | piece->touched);
    }
}
