/* SPDX-License-Identifier: MIT */
#include "check/engine/explore.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "check/engine/ghost.h"
#include "check/engine/assumptions.h"
#include "check/engine/leak.h"
#include "check/engine/memory.h"
#include "check/engine/snapshot.h"
#include "check/engine/state.h"
#include "check/engine/symmetry.h"
#include "check/engine/trace.h"

enum { MAX_CHOICES = 256 };

/* Choices made, as the index taken of so many. */
static struct turn {
    uint16_t taken, of;
    uint8_t independent; /* the thread that need not wait for the others; 0: any could be chosen */
    bool reading_on;     /* it has read in the turn before, when another thread could have been chosen */
    uint8_t ready;       /* which ones */
    uint8_t waits;       /* which of them can wait for ever if the others do */
    bool progress;       /* of the choice taken */
    struct move step;    /* the same, for liveness.h */
    struct hash hash;    /* of where it was taken */
    size_t snapshot;     /* the same, if there is another choice or somebody may wait */
} * trail;
static size_t trail_length, trail_room;
static bool in_step;            /* all threads know at once what one does: engine_endless */
static bool by_state;           /* each state is gone on from by itself, to the states next to it */
static unsigned state_now;      /* from which one: its number in liveness.h */
static struct hash here;        /* the graph or state that was new last */
static struct task *reading_on; /* the thread that read in the last turn and goes on */

/* Sets of graphs: open addressing, never more than half full; all zeroes is empty. */
struct set {
    struct hash *slots;
    size_t count, room;
};
static struct set seen, ended; /* all; the complete ones, without turns of spin loops */

static double seconds_now(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

static bool put(struct set *set, struct hash hash)
{
    size_t slot = hash.low & (set->room - 1);
    while (set->slots[slot].low || set->slots[slot].high) {
        if (set->slots[slot].low == hash.low && set->slots[slot].high == hash.high)
            return false;
        slot = (slot + 1) & (set->room - 1);
    }
    set->slots[slot] = hash;
    set->count++;
    return true;
}

/* Makes room for one more; false if that is more than so many bytes. */
static bool make_room(struct set *set, size_t bytes)
{
    if (set->count * 2 < set->room)
        return true;
    struct set larger = {.room = set->room ? set->room * 2 : 1 << 12};
    if ((larger.room + set->room) * sizeof *set->slots > bytes)
        return false;
    larger.slots = calloc(larger.room, sizeof *larger.slots);
    if (!larger.slots)
        return false;
    for (size_t i = 0; i < set->room; i++)
        if (set->slots[i].low || set->slots[i].high)
            put(&larger, set->slots[i]);
    free(set->slots);
    *set = larger;
    return true;
}

static void empty(struct set *set)
{
    free(set->slots);
    *set = (struct set){0};
}

static struct turn *choose(unsigned of, const struct task *independent)
{
    if (trail_length == trail_room) {
        trail_room = trail_room ? trail_room * 2 : 256;
        trail = realloc(trail, trail_room * sizeof *trail);
        if (!trail)
            abort();
    }
    struct turn *turn = &trail[trail_length++];
    *turn = (struct turn){
        .of = (uint16_t)of,
        .independent = (uint8_t)(independent ? independent->number : 0),
        .reading_on = independent && independent == reading_on,
        .ready = (uint8_t)(independent ? 0 : execution_ready()),
        .hash = here,
        .snapshot = snapshot_top(),
    };
    if ((of > 1 || !independent) && !snapshot_save())
        engine_fail(FAILURE_LIMIT, NULL, NULL, "an execution is too long: a loop without port_relax?");
    return turn;
}

/* To the next choice that has not been made, or to where all have been and every thread that is left can wait for ever;
 * null if there is none. */
static struct turn *backtrack(void)
{
    for (; trail_length > 0; trail_length--) {
        struct turn *turn = &trail[trail_length - 1];
        if (++turn->taken < turn->of || (turn->ready && turn->ready == turn->waits))
            return turn;
        snapshot_drop(turn->snapshot);
    }
    return NULL;
}

/* For ever, if the others do. Who wakes up in vain does not, nor who spins because a compare-and-swap has failed for no
 * reason; but who sleeps because of that does. */
static bool waits(const struct choice *choice)
{
    return (execution.outcome == OUTCOME_WAITS && !choice->spurious) ||
           (execution.outcome == OUTCOME_SLEEPS && (!choice->spurious || choice->store));
}

static void take(struct turn *turn, const struct choice *choice)
{
    turn->step = execution_step(choice, turn->taken);
    execution_take(choice, !turn->independent);
    turn->step.any = !turn->independent;
    turn->step.admits = execution.admitted;
    turn->progress = execution.outcome == OUTCOME_PROGRESS && !choice->spurious;
    reading_on = (!turn->independent || turn->reading_on) && execution_reads_on(choice->task) ? choice->task : NULL;
    if (!waits(choice))
        return;
    while (turn->reading_on)
        turn--;
    if (by_state && state_now != LIVENESS_START && turn == trail)
        liveness_waits(state_now, choice->task->number);
    turn->waits |= (uint8_t)(1u << choice->task->number);
}

static void take_first(struct task *independent)
{
    struct choice choices[MAX_CHOICES];
    unsigned count = execution_choices(independent, choices, MAX_CHOICES);
    if (count + CLOCKS >= MAX_CHOICES)
        engine_fail(FAILURE_LIMIT, NULL, NULL, "too many choices at one point");
    else if (count == 0 && !execution_over())
        execution_stuck(0);
    if (execution_over())
        return;
    struct turn *turn = choose(count, independent);
    take(turn, &choices[0]);
}

/* Lets the thread read what it has read before it waits; false if it does not come to that. */
static bool read_and_wait(struct task *task)
{
    struct choice choices[MAX_CHOICES];
    size_t here_again = snapshot_top();
    bool found = false;
    if (!snapshot_save())
        return false;
    for (unsigned i = 0; !found && i < execution_choices(task, choices, MAX_CHOICES); i++) {
        execution_take(&choices[i], false);
        found = waits(&choices[i]) || (execution_reads_on(task) && read_and_wait(task));
        if (!found)
            snapshot_restore(here_again);
    }
    snapshot_drop(here_again);
    execution.pruned = false;
    return found;
}

static void take_next(struct turn *turn)
{
    snapshot_restore(turn->snapshot);
    if (turn->taken == turn->of) {
        unsigned shown = 0;
        for (unsigned i = 1; i < execution.task_count; i++)
            if (turn->ready >> i & 1 && read_and_wait(&execution.tasks[i]))
                shown |= 1u << i;
        execution_stuck(shown);
        return;
    }
    struct choice choices[MAX_CHOICES];
    execution_choices(turn->independent ? &execution.tasks[turn->independent] : NULL, choices, MAX_CHOICES);
    take(turn, &choices[turn->taken]);
}

/* A state that comes again on the way from itself, and not by waking up in vain: nothing would ever end that. A graph
 * that goes on is never the same. */
static bool circles(struct hash hash)
{
    bool progress = true;
    for (size_t i = trail_length; i-- > 0 && progress;) {
        progress = trail[i].progress;
        if (progress && trail[i].ready && trail[i].hash.low == hash.low && trail[i].hash.high == hash.high)
            return true;
    }
    return false;
}

/* Whether the graph, or the state, is new. */
static bool is_new(struct result *result, const struct limits *limits)
{
    if (!make_room(&seen, limits->bytes) || !make_room(&ended, limits->bytes)) {
        result->limit = "memory";
        return false;
    }
    if (!result->merged) {
        here = execution_hash();
    } else if (!state_digest(&here)) {
        engine_fail(FAILURE_LIMIT, NULL, NULL, "an execution is too long: a loop without port_relax?");
        return false;
    }
    if (!put(&seen, here)) {
        if (result->merged && circles(here))
            engine_fail(FAILURE_LIMIT, NULL, NULL, "the same state comes again: a loop without port_relax?");
        return false;
    }
    return true;
}

static void start(const struct program *program)
{
    snapshot_forget();
    execution_begin();
    program->setup(program->argument);
    execution.alike &= !by_state;
    if (execution.endless && !in_step)
        in_step = execution.restart = execution.pruned = true;
    if (!execution_over())
        execution_start();
}

static void end(const struct program *program)
{
    execution_join();
    if (program->finish)
        program->finish(program->argument);
    leak_check();
}

/* From where the execution is to its end, or to a graph or state that has been seen. */
static void go_on(const struct program *program, const struct limits *limits, struct result *result)
{
    while (!execution_over()) {
        struct task *independent = reading_on ? reading_on : execution_independent();
        if (independent) {
            take_first(independent);
            continue;
        }
        if (!is_new(result, limits))
            return;
        if (execution_finished()) {
            end(program);
            result->executions += put(&ended, result->merged ? here : graph_hash);
            return;
        }
        take_first(NULL);
    }
}

static void check_time(const struct limits *limits, struct result *result, double start)
{
    enum { RUNS_BETWEEN_LOOKS = 1 << 10 };
    if (result->runs % RUNS_BETWEEN_LOOKS != 0)
        return;
    double seconds = seconds_now() - start;
    if (seconds > limits->seconds)
        result->limit = "time";
    result->seconds = seconds;
    result->graphs = by_state ? liveness_count() : seen.count;
    if (limits->progress)
        limits->progress(result);
}

/* Circles of states. For them each state is gone on from by itself, the nearest first: to come there, the steps that
 * led to it are taken again. */

/* The state that the execution has come to, by the steps of the trail. False if that cannot be told. */
static bool arrive(const struct program *program, struct result *result)
{
    struct move steps[UINT8_MAX];
    bool is_new;
    reading_on = NULL;
    if (trail_length > UINT8_MAX || !state_digest(&here)) {
        engine_fail(FAILURE_LIMIT, NULL, NULL, "an execution is too long: a loop without port_relax?");
        return false;
    }
    for (size_t i = 0; i < trail_length; i++)
        steps[i] = trail[i].step;
    unsigned state = liveness_state(here, &is_new);
    liveness_edge(state_now, state, steps, (unsigned)trail_length);
    if (!is_new)
        return true;
    liveness_threads(state, (uint8_t)execution_ready(), (uint8_t)execution_unfinished());
    if (execution_finished()) {
        end(program);
        result->executions++;
    }
    return true;
}

/* To the next states, by all ways. Steps that nobody else has to do with lead to one, too, when they are many. */
static void go_to_next(const struct program *program, struct result *result, bool at_state)
{
    enum { MANY = 64 };
    while (!execution_over()) {
        struct task *independent = reading_on ? reading_on : execution_independent();
        if (!at_state && (trail_length == MANY || !independent)) {
            arrive(program, result);
            return;
        }
        take_first(at_state ? NULL : independent);
        at_state = false;
    }
}

/* Takes steps again. */
static bool take_again(const struct move *steps, unsigned count, unsigned to)
{
    for (unsigned i = 0; i < count; i++) {
        struct task *independent = steps[i].any ? NULL : reading_on ? reading_on : execution_independent();
        bool reads_on = independent && independent == reading_on;
        struct choice choices[MAX_CHOICES];
        if (execution_over() || execution_choices(independent, choices, MAX_CHOICES) <= steps[i].taken)
            return false;
        const struct choice *choice = &choices[steps[i].taken];
        execution_take(choice, !independent);
        reading_on = (!independent || reads_on) && execution_reads_on(choice->task) ? choice->task : NULL;
    }
    struct hash hash;
    return state_digest(&hash) && hash.low == liveness_hash(to).low && hash.high == liveness_hash(to).high;
}

static bool go_to(const struct program *program, unsigned state)
{
    trail_length = 0;
    snapshot_drop(0);
    reading_on = NULL;
    start(program);
    return execution_over() || liveness_path(state, take_again);
}

/* The failure that goes round in a circle, with the way there and once round. */
static void show_circle(const struct program *program, const struct circle *circle)
{
    bool good = go_to(program, circle->state);
    trace_again();
    if (!good || !liveness_round(circle, take_again))
        engine_fail(FAILURE_LIMIT, NULL, NULL, "the same state comes again: a loop without port_relax?");
    execution_never_ends(circle->kept, circle->owners);
}

/* Goes on from every state; true if it came to the end. */
static bool explore_states(const struct program *program, const struct limits *limits, struct result *result,
                           double began)
{
    enum { MAX_STATES = 1 << 11 }; /* some seconds; where that is not what a client is for */
    struct circle circle = {0};
    bool found = false;
    unsigned look_at = 64;
    liveness_begin();
    for (state_now = LIVENESS_START; !found && state_now < liveness_count(); state_now++) {
        if (state_now == MAX_STATES && !in_step)
            engine_fail(FAILURE_LIMIT, NULL, NULL, "the same state comes again: a loop without port_relax?");
        else if (!go_to(program, state_now))
            engine_fail(FAILURE_LIMIT, NULL, NULL, "a state is not the same twice");
        if (execution.failure.kind != FAILURE_NONE)
            return false;
        if (execution_finished() && state_now != LIVENESS_START)
            continue;
        struct turn *turn = NULL;
        do {
            if (turn)
                take_next(turn);
            go_to_next(program, result, !turn && state_now != LIVENESS_START);
            result->runs++;
            check_time(limits, result, began);
            if (liveness_bytes() > limits->bytes)
                result->limit = "memory";
            if (execution.failure.kind != FAILURE_NONE || execution.restart || result->limit)
                return false;
            turn = backtrack();
        } while (turn);
        if (state_now < look_at)
            continue;
        look_at *= 2;
        found = liveness_find(&circle, false);
    }
    if (found || liveness_find(&circle, true))
        show_circle(program, &circle);
    return true;
}

static void begin(void)
{
    reading_on = NULL;
    empty(&seen);
    empty(&ended);
    trail_length = 0;
    snapshot_drop(0);
    symmetry_none();
}

/* The executions of a client that has ghost memory or signal handlers. */
static bool are_not_counted(void)
{
    return ghost_exists() || execution.handlers;
}

/* Graph by graph, or state by state in depth.
 *
 * When an assumption turns out to be wrong, others may, and each would make the exploration begin again: so it goes on
 * for a while, and learns of them. What else it finds then does not count. */
static bool explore_graphs(const struct program *program, const struct limits *limits, struct result *result,
                           double began)
{
    enum { PART = 8 };
    uint64_t first = result->runs, until = 0;
    struct turn *turn = NULL;
    start(program);
    do {
        if (turn)
            take_next(turn);
        go_on(program, limits, result);
        result->runs++;
        check_time(limits, result, began);
        if (until && execution.failure.kind != FAILURE_NONE) {
            execution.failure.kind = FAILURE_NONE;
            return false;
        }
        if (execution.restart && !until)
            until = result->runs + (result->runs - first) / PART;
        if (execution.failure.kind != FAILURE_NONE || (execution.restart && result->runs >= until) || result->limit ||
            (!result->merged && (seen.count > limits->counted || are_not_counted())))
            return false;
        turn = backtrack();
    } while (turn);
    return !execution.restart;
}

/* After an exploration that has not come to its end: whether another one, that leaves more out or less, may. */
static bool begins_again(const struct limits *limits, struct result *result)
{
    bool too_long = execution.failure.kind == FAILURE_LIMIT;
    if (result->limit || (execution.failure.kind != FAILURE_NONE && !too_long))
        return false;
    if (in_step && !result->liveness) {
        result->merged = result->liveness = true;
        assumptions_begin(false);
        return true;
    }
    if (!result->merged && (too_long || seen.count > limits->counted || are_not_counted()))
        result->merged = true;
    else if (too_long && !execution_limit_weak_failures()) {
        if (result->liveness)
            result->limit = "length";
        result->liveness = true;
    }
    return !result->limit;
}

struct result explore(const struct program *program, const struct limits *limits)
{
    struct result result = {.verdict = VERDICT_PASSED, .merged = !limits->counted};
    double began = seconds_now();
    memory_begin_stack(__builtin_frame_address(0));
    execution_forget();
    assumptions_begin(!limits->naive);
    in_step = false;
    bool done;
    do {
        begin();
        result.executions = 0;
        by_state = result.liveness;
        execution_merge(result.merged);
        execution_in_step(in_step);
        execution_by_state(by_state);
        done = by_state ? explore_states(program, limits, &result, began)
                        : explore_graphs(program, limits, &result, began);
    } while (!done && begins_again(limits, &result));
    execution_end();
    result.failure = execution.failure;
    if (result.limit)
        result.verdict = VERDICT_INCOMPLETE;
    else if (execution.failure.kind != FAILURE_NONE)
        result.verdict = VERDICT_FAILED;
    result.graphs = by_state ? liveness_count() - 1 : seen.count;
    result.bytes = by_state ? liveness_bytes() : (seen.room + ended.room) * sizeof *seen.slots;
    result.seconds = seconds_now() - began;
    return result;
}
