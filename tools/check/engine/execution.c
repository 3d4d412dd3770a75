/* SPDX-License-Identifier: MIT */
#include "check/engine/execution.h"

#include <stdio.h>
#include <string.h>

#include "check/engine/access.h"
#include "check/engine/admission.h"
#include "check/engine/fiber.h"
#include "check/engine/futex.h"
#include "check/engine/ghost.h"
#include "check/engine/assumptions.h"
#include "check/engine/memory.h"
#include "check/engine/race.h"
#include "check/engine/seq-cst.h"
#include "check/engine/snapshot.h"
#include "check/engine/symmetry.h"
#include "check/engine/trace.h"

struct execution execution;

static bool merging;
static bool weak_failures_limited; /* a weak compare-and-swap of a thread fails for no reason once, also where states
                                      are merged */

void execution_merge(bool merge)
{
    merging = merge;
}

static bool in_step;

void execution_in_step(bool all_know)
{
    in_step = all_know;
}

static void will_change(struct task *task);

/* All threads know all that was done. */
static void tell_all(void)
{
    struct clock all = {{0}};
    for (unsigned i = 1; i < execution.task_count; i++) {
        clock_join(&all, &execution.tasks[i].now);
        clock_join(&all, &execution.tasks[i].seen);
    }
    for (unsigned i = 1; i < execution.task_count; i++) {
        struct task *task = &execution.tasks[i];
        will_change(task);
        task->now = task->seen = task->learned = all;
        clock_join(&task->idle.now, &all);
        clock_join(&task->idle.seen, &all);
        clock_join(&task->idle.learned, &all);
    }
}

static bool by_state;

void execution_by_state(bool by)
{
    by_state = by;
}

/* No thread may read what is much older than the newest, as if each had read the oldest that it still may. Otherwise a
 * thread that stores in a circle would make ever more states for those that do not look. */
static void see_newer(void)
{
    enum { OLDER = 2 };
    unsigned count;
    const struct location *locations = graph_locations(&count);
    for (unsigned l = 0; l < count; l++) {
        struct store *store = locations[l].last;
        for (unsigned i = 0; i < OLDER && store->before; i++)
            store = store->before;
        for (unsigned i = 1; i < execution.task_count; i++)
            if (!graph_known(store, &execution.tasks[i].now)) {
                snapshot_keep(store, sizeof *store);
                store->first_read[i] = execution.tasks[i].now.at[i];
            }
    }
}

bool execution_weak_failures_limited(void)
{
    return weak_failures_limited || !merging;
}

bool execution_limit_weak_failures(void)
{
    bool failed_weakly = false;
    for (unsigned i = 1; i < execution.task_count; i++)
        failed_weakly |= execution.tasks[i].failed_weakly;
    if (!failed_weakly || execution_weak_failures_limited())
        return false;
    weak_failures_limited = true;
    execution.restart = true;
    return true;
}

/* Where a thread stands, in the hash; the other facts are those of graph.c and access.c. */
enum { FACT_TASK = 5, FACT_PICK };

static void run(struct task *task);

/* Before a thread does anything, or something is done to it. */
static void will_change(struct task *task)
{
    if (task->kept == snapshot_serial())
        return;
    snapshot_keep(task, offsetof(struct task, spin));
    spin_will_change(&task->spin);
    handler_will_change(&task->handler);
    if (task->number && (task->state == TASK_READY || task->state == TASK_ASLEEP))
        fiber_keep(task->number);
    task->kept = snapshot_serial();
}

static void start_followers(struct task *ended)
{
    for (unsigned i = 1; i < execution.task_count; i++) {
        struct task *task = &execution.tasks[i];
        if (task->state != TASK_UNBORN || task->after != ended->number)
            continue;
        will_change(task);
        clock_join(&task->now, &ended->now);
        clock_join(&task->seen, &ended->seen);
        clock_join(&task->seen, &ended->now);
        run(task);
    }
}

/* Where states are merged, what was chosen is on the stack or does not matter. */
static void note_pick(struct task *task, unsigned pick)
{
    if (merging)
        return;
    if (task->picks == MAX_PICKED) {
        engine_fail(FAILURE_LIMIT, task->place, NULL, "a thread chooses more than %d numbers", MAX_PICKED);
        return;
    }
    graph_add(FACT_PICK, task->number, task->picks, pick);
    task->picked[task->picks++] = (uint8_t)pick;
}

/* But for so many. */
static void forget_picks(struct task *task, unsigned kept)
{
    for (; task->picks > kept; task->picks--)
        graph_subtract(FACT_PICK, task->number, task->picks - 1u, task->picked[task->picks - 1]);
}

/* A turn of a spin loop was in vain. It is taken out of the graph: the execution in which the thread just waited longer
 * shows the same and more. True if the thread goes on. */
static bool take_turn_out(struct task *task)
{
    struct store *source = task->idle.source;
    for (unsigned i = 0; i < task->watched_count; i++)
        assumptions_note_await(task->watched[i]->location->address);
    if (execution_over())
        return false;
    if (source->location->last != source && source->location->last != task->idle.written) {
        execution.outcome = OUTCOME_STALE;
        execution.pruned = true;
        return false;
    }
    access_undo(task);
    if (task->picks)
        forget_picks(task, spin_picks_before(task));
    trace_spun(task->idle.event);
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

/* The thread has relaxed, and come to its next access or to its end. True if it goes on. */
static bool end_turn(struct task *task, bool ended)
{
    if (!ended && spin_was_in_vain(task))
        return take_turn_out(task);
    spin_keep(task);
    access_keep(task);
    return !execution_over();
}

bool execution_over(void)
{
    return execution.pruned || execution.failure.kind != FAILURE_NONE;
}

static void body_of(void *task)
{
    ((struct task *)task)->body(((struct task *)task)->argument);
}

/* Also at its end a signal may come. */
static void end_of(void *task)
{
    handler_before(task, &(struct operation){.action = ACTION_INTERRUPT});
}

static bool looks_at(const struct task *task, uintptr_t address, const void *place)
{
    const struct operation *operation = &task->pending;
    return operation->action == ACTION_LOAD && operation->address == address && operation->place == place;
}

/* The first access after a sleep. */
static void look_again(struct task *task, bool ended)
{
    const struct operation *parked = &task->parked;
    if (!parked->place)
        return;
    assumptions_note_after_park(parked->address, parked->place, task->looked_at,
                                !ended && looks_at(task, parked->address, task->looked_at));
    task->parked.place = NULL;
    task->looked_at = NULL;
}

/* To the next access; false if there is none, or not at once. */
static bool probe_on(struct task *task)
{
    execution.running = task;
    task->relaxing = false;
    bool ended = fiber_resume(task->number);
    execution.running = NULL;
    return !ended && !task->relaxing && !execution_over();
}

void execution_probe_sleep(struct task *task)
{
    enum { MAX_TURNS = 16 };
    const struct operation park = task->pending;
    const void *look = task->idle.place;
    struct hash before = {0, 0};
    bool again = true, same = false;
    for (unsigned i = 0; i < MAX_TURNS && again && !same; i++) {
        again = probe_on(task) && looks_at(task, park.address, look);
        task->result = park.expected;
        again = again && probe_on(task) && task->pending.action == ACTION_PARK && task->pending.place == park.place;
        struct hash stack = {1, 2};
        fiber_digest(task->number, NULL, &stack);
        same = stack.low == before.low && stack.high == before.high;
        before = stack;
    }
    execution.failure.kind = FAILURE_NONE;
    execution.pruned = true;
    assumptions_note_after_park(park.address, park.place, look, again && same);
}

static bool may_sleep(const struct task *task, uintptr_t address)
{
    const struct operation *operation = &task->pending;
    return operation->address == address &&
           (task->state == TASK_ASLEEP ||
            (task->state == TASK_READY && operation->action == ACTION_LOAD && assumptions_is_look(operation->place)));
}

/* A sleep is no event: who looks before it may be asleep. */
static void look_around(const struct task *task)
{
    uintptr_t address = task->pending.address;
    for (unsigned i = 1; may_sleep(task, address) && i < execution.task_count; i++)
        if (i != task->number && may_sleep(&execution.tasks[i], address))
            assumptions_note_two_sleepers(address);
}

static uint64_t versions;

void execution_note_written(unsigned thread)
{
    struct task *task = &execution.tasks[thread];
    if (task == execution.running)
        return;
    will_change(task);
    task->version = ++versions;
}

/* Runs a thread up to its next access, or to where it waits or ends. */
static void run(struct task *task)
{
    bool relaxed = false;
    do {
        execution.running = task;
        task->relaxing = false;
        task->version = ++versions;
        bool ended;
        if (task->state == TASK_UNBORN) {
            task->state = TASK_READY;
            ended = fiber_start(task->number, body_of, end_of, task);
        } else {
            task->state = TASK_READY;
            ended = fiber_resume(task->number);
        }
        execution.running = NULL;
        if (execution_over())
            return;
        look_again(task, ended);
        relaxed |= task->relaxing;
        if (task->relaxing)
            continue;
        if (relaxed && task->idle.source && !end_turn(task, ended))
            return;
        relaxed = false;
        if (ended) {
            task->state = TASK_FINISHED;
            task->now.at[task->number]++; /* its last plain accesses belong to an event of their own */
            start_followers(task);
            return;
        }
        look_around(task);
    } while (task->relaxing || (access_parks_at_once(task) && !execution_over()));
}

/* The atomic that it is about, or is part of. */
static uintptr_t word_of(const struct operation *operation)
{
    unsigned size = operation->size;
    return assumptions_word(operation->address, &size);
}

static bool only_reads(const struct choice *choice)
{
    const struct operation *operation = &choice->task->pending;
    return operation->action == ACTION_LOAD || (operation->action == ACTION_COMPARE && !choice->spurious &&
                                                access_part(operation, choice->store) != operation->expected);
}

void execution_take(const struct choice *choice, bool any)
{
    struct task *task = choice->task;
    will_change(task);
    if (choice->woken)
        will_change(choice->woken);
    task->moved |= any;
    const struct operation *operation = &task->pending;
    execution.outcome = OUTCOME_PROGRESS;
    execution.told = false;
    execution.admitted = 0;
    if (operation->action == ACTION_CHOOSE) {
        access_choose(task, choice->pick);
        note_pick(task, choice->pick);
        run(task);
        return;
    }
    if (operation->action == ACTION_INTERRUPT) {
        handler_choose(task, choice->pick);
        run(task);
        return;
    }
    task->reads = only_reads(choice) ? task->reads + 1 : 0;
    task->swapped = false;
    access_begin(task);
    if (operation->action == ACTION_STORE || operation->action == ACTION_CHANGE || operation->action == ACTION_COMPARE)
        assumptions_note_write(word_of(operation), task->number);
    if (execution_over())
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
        access_load(task, choice->store, operation->order, NOTE_NONE);
    } else if (operation->action == ACTION_STORE) {
        access_store(task, choice->store);
    } else if (operation->action == ACTION_CHANGE) {
        access_change(task, choice->store, access_changed(operation, access_part(operation, choice->store)));
    } else if (operation->action == ACTION_PARK) {
        access_park(task, choice->store);
    } else if (operation->action == ACTION_WAKE) {
        access_wake(task, choice->woken);
    } else if (access_part(operation, choice->store) == operation->expected && !choice->spurious) {
        access_change(task, choice->store, operation->operand);
    } else if (choice->spurious) {
        access_fail(task, choice->store);
    } else {
        access_load(task, choice->store, operation->failure_order, NOTE_FAILED);
    }
    if (execution_over())
        return;
    if (choice->woken)
        run(choice->woken);
    if (task->state != TASK_ASLEEP || choice->spurious)
        run(task);
    if (in_step)
        tell_all();
    else if (by_state)
        see_newer();
}

struct move execution_step(const struct choice *choice, unsigned number)
{
    const struct operation *operation = &choice->task->pending;
    struct move step = {
        .taken = (uint8_t)number, .thread = (uint8_t)choice->task->number, .spurious = choice->spurious};
    if (!choice->store)
        return step;
    step.address = choice->store->location->address;
    step.writes = operation->action != ACTION_PARK && !only_reads(choice) && !choice->spurious;
    step.stale = (only_reads(choice) || choice->spurious) && choice->store != choice->store->location->last;
    return step;
}

bool execution_reads_on(const struct task *task)
{
    enum { MAX_READS = 16 }; /* a loop may have no end */
    bool goes_on = !execution_over() && task->state == TASK_READY && task->reads > 0 &&
                   execution.outcome == OUTCOME_PROGRESS && !execution.told;
    if (task->pending.action == ACTION_CHOOSE || task->pending.action == ACTION_INTERRUPT)
        return goes_on;
    return goes_on && assumptions_allowed() && task->reads % MAX_READS != 0 &&
           !(task->pending.action == ACTION_LOAD && assumptions_is_look(task->pending.place));
}

/* Whether a thread that reads the older store may do all that it may having read the newer one. */
static bool makes_redundant(const struct operation *operation, const struct store *older, const struct store *newer)
{
    if (access_part(operation, older) != access_part(operation, newer) || !clock_covers(&newer->seen, &older->seen))
        return false;
    struct clock message = {{0}}, newer_message = {{0}};
    unsigned bytes = access_bytes(operation, older->location);
    graph_join_message(&message, older, bytes);
    graph_join_message(&newer_message, newer, bytes);
    return clock_covers(&newer_message, &message);
}

/* Of stores that say the same, the oldest binds a reader least, and the newest of all shows that it waits for ever. Not
 * so with seq_cst: what reads an old store comes before the newer ones in that order too. */
static unsigned without_redundant_reads(struct choice *choices, unsigned count)
{
    unsigned kept = 0;
    for (unsigned i = 0; i < count; i++) {
        bool idle = false;
        for (unsigned j = i + 1; i > 0 && only_reads(&choices[i]) && j < count; j++)
            idle |= makes_redundant(&choices[i].task->pending, choices[j].store, choices[i].store);
        if (!idle)
            choices[kept++] = choices[i];
    }
    return kept;
}

/* The stores that a thread may read from, or stand behind: from the newest back to the first that it knows of. */
static unsigned store_choices(struct task *task, struct choice *choices, unsigned most)
{
    const struct operation *operation = &task->pending;
    if (operation->address < MIN_ADDRESS || operation->address % operation->size) {
        engine_fail(FAILURE_GONE, operation->place, NULL, "thread %u accesses the address %#lx", task->number,
                    (unsigned long)operation->address);
        return 0;
    }
    struct location *location = graph_location(operation->address, operation->size);
    if (!location) {
        engine_fail(FAILURE_UNMODELLED, operation->place, NULL, "too many atomics");
        return 0;
    }
    if (execution_over())
        return 0;
    struct clock now = task->now;
    if (operation->action == ACTION_PARK)
        futex_seen(operation->address, &now);
    unsigned count = 0;
    for (struct store *store = location->last; store && count + 2 <= most; store = store->before) {
        bool swaps = operation->action == ACTION_COMPARE && access_part(operation, store) == operation->expected;
        bool writes = swaps || operation->action == ACTION_CHANGE || operation->action == ACTION_STORE;
        if (!writes || !store->taker)
            choices[count++] = (struct choice){.task = task, .store = store};
        if (swaps && operation->weak && !(task->failed_weakly && execution_weak_failures_limited()))
            choices[count++] = (struct choice){.task = task, .store = store, .spurious = true};
        if (graph_known(store, &now))
            break;
    }
    return merging && assumptions_allowed() && !seq_cst_is_used() ? without_redundant_reads(choices, count) : count;
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

static unsigned picks(struct task *task, struct choice *choices)
{
    bool interrupts = task->pending.action == ACTION_INTERRUPT;
    unsigned count = interrupts ? handler_choices(task) : (unsigned)task->pending.operand;
    for (unsigned i = 0; i < count; i++)
        choices[i] = (struct choice){.task = task, .pick = i};
    return count;
}

/* Whether one that is just like it goes first. */
static bool is_behind(const struct task *task)
{
    for (unsigned i = 1; execution.alike && merging && !task->moved && i < task->number; i++) {
        const struct task *other = &execution.tasks[i];
        if (other->state == TASK_READY && !other->moved && symmetry_alike(task, other))
            return true;
    }
    return false;
}

unsigned execution_choices(struct task *only, struct choice *choices, unsigned most)
{
    unsigned count = 0;
    for (unsigned i = 1; i < execution.task_count && count + CLOCKS < most; i++) {
        struct task *task = &execution.tasks[i];
        if (only ? task != only : is_behind(task))
            continue;
        if (task->state == TASK_READY && task->pending.action == ACTION_WAKE)
            count += wake_choices(task, choices + count);
        else if (task->state == TASK_READY &&
                 (task->pending.action == ACTION_CHOOSE || task->pending.action == ACTION_INTERRUPT))
            count += picks(task, choices + count);
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

/* A choice is its thread's own; a store reads nothing; where nobody else writes, a thread reads what it knows; and a
 * wake says nothing to anyone but those who park there. */
static bool need_not_wait(const struct task *task)
{
    const struct operation *operation = &task->pending;
    if (operation->action == ACTION_CHOOSE || operation->action == ACTION_INTERRUPT)
        return true;
    if (operation->action == ACTION_WAKE)
        return assumptions_one_sleeper(operation->address);
    if (operation->action == ACTION_PARK || ghost_watches(word_of(operation)))
        return false;
    return (operation->action == ACTION_STORE && !in_step && !access_is_partial(operation)) ||
           assumptions_only_writer(word_of(operation), task->number);
}

struct task *execution_independent(void)
{
    for (unsigned i = 1; i < execution.task_count; i++)
        if (execution.tasks[i].state == TASK_READY && need_not_wait(&execution.tasks[i]))
            return &execution.tasks[i];
    return NULL;
}

void execution_begin(void)
{
    symmetry_own(execution.tasks, sizeof execution.tasks[0]);
    graph_reset();
    memory_reset();
    race_reset();
    futex_reset();
    seq_cst_reset();
    admission_reset();
    ghost_reset();
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

/* What setup made stays as it is: the number of threads, and whether they are alike. Tasks are kept when they change.
 */
void execution_snapshot(void)
{
    execution.pruned = false;
}

void execution_start(void)
{
    struct task *main_task = &execution.tasks[0];
    main_task->now.at[0]++; /* its plain accesses belong to an event of their own */
    for (unsigned i = 1; i < execution.task_count; i++)
        execution.tasks[i].now = main_task->now;
    for (unsigned i = 1; i < execution.task_count && !execution_over(); i++)
        if (execution.tasks[i].state == TASK_UNBORN && !execution.tasks[i].after)
            run(&execution.tasks[i]);
}

static void digest_task(const struct task *task, struct hash *hash)
{
    digest_bytes(hash, &task->pending, sizeof task->pending);
    fiber_digest(task->number, task->pending.frame, hash);
}

struct hash execution_hash(void)
{
    struct hash graph = graph_hash;
    for (unsigned i = 1; i < execution.task_count; i++) {
        const struct task *task = &execution.tasks[i];
        bool looping = task->looping && task->state != TASK_FINISHED;
        graph_add(FACT_TASK, i, (uint64_t)task->state << 1 | looping, (uintptr_t)task->pending.place);
    }
    struct hash hash = graph_hash;
    graph_hash = graph;
    digest_join(&hash, graph_turns);
    for (unsigned i = 1; i < execution.task_count; i++)
        if (execution.tasks[i].state == TASK_READY || execution.tasks[i].state == TASK_ASLEEP)
            digest_task(&execution.tasks[i], &hash);
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
    will_change(&execution.tasks[0]);
    for (unsigned i = 1; i < execution.task_count; i++)
        clock_join(&execution.tasks[0].now, &execution.tasks[i].now);
}

static bool has_fences;

bool execution_has_fences(void)
{
    return has_fences;
}

void execution_forget(void)
{
    has_fences = false;
    weak_failures_limited = false;
    handler_forget();
    race_forget();
    seq_cst_forget();
}

void execution_fence(void)
{
    execution.restart |= !has_fences;
    has_fences = true;
}

unsigned execution_ready(void)
{
    unsigned ready = 0;
    for (unsigned i = 1; i < execution.task_count; i++)
        if (execution.tasks[i].state == TASK_READY && !is_behind(&execution.tasks[i]))
            ready |= 1u << i;
    return ready;
}

unsigned execution_unfinished(void)
{
    unsigned unfinished = 0;
    for (unsigned i = 1; i < execution.task_count; i++)
        unfinished |= (unsigned)(execution.tasks[i].state != TASK_FINISHED) << i;
    return unfinished;
}

/* "thread 1", "threads 1, 2 and 3" */
static void name_threads(char *text, size_t size, unsigned threads)
{
    snprintf(text, size, threads & (threads - 1) ? "threads" : "thread");
    for (unsigned i = 1; threads && i < CLOCKS; i++) {
        if (!(threads >> i & 1))
            continue;
        size_t used = strlen(text);
        threads &= ~(1u << i);
        const char *before = strlen(text) <= sizeof "threads" - 1 ? " " : threads ? ", " : " and ";
        snprintf(text + used, size - used, "%s%u", before, i);
    }
}

/* In the trace: what it looks at, in vain. */
static void show_waiting(const struct task *task)
{
    const struct operation *operation = &task->pending;
    const struct location *location = graph_find(word_of(operation));
    if (location && task->state == TASK_READY)
        trace_add(&(struct event){.thread = (uint8_t)task->number,
                                  .note = NOTE_SPUN,
                                  .address = operation->address,
                                  .value = access_part(operation, location->last),
                                  .source = location->last->event,
                                  .place = operation->place});
}

void execution_never_ends(unsigned kept, unsigned owners)
{
    char who[64], others[64];
    name_threads(who, sizeof who, kept);
    name_threads(others, sizeof others, owners);
    for (unsigned i = 1; owners && i < execution.task_count; i++)
        if (kept >> i & 1)
            show_waiting(&execution.tasks[i]);
    if (owners)
        engine_fail(FAILURE_STARVED, NULL, NULL,
                    "starvation: %s can wait for ever while the lock goes to %s again and again", who, others);
    else
        engine_fail(FAILURE_LIVELOCK, NULL, NULL, "livelock: %s can go on for ever and get nowhere", who);
    unsigned first = (unsigned)__builtin_ctz(kept);
    execution.failure.thread = first;
    execution.failure.place = execution.tasks[first].place;
}

void execution_stuck(unsigned shown)
{
    const struct task *first = NULL;
    char who[64] = "";
    for (unsigned i = 1; i < execution.task_count; i++) {
        const struct task *task = &execution.tasks[i];
        if (task->state == TASK_FINISHED || task->state == TASK_UNBORN)
            continue;
        if (!(shown >> i & 1))
            show_waiting(task);
        size_t used = strlen(who);
        snprintf(who + used, sizeof who - used, "%s%u", first ? " and " : "", i);
        if (!first)
            first = task;
    }
    engine_fail(FAILURE_WAITS, first ? first->place : NULL, NULL, "waiting for ever: thread %s", who);
    if (first)
        execution.failure.thread = first->number;
}
