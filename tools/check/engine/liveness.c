/* SPDX-License-Identifier: MIT */
#include "check/engine/liveness.h"

#include <stdlib.h>
#include <string.h>

#include "check/engine/clock.h"

enum { NONE = UINT32_MAX };

struct edge {
    uint32_t from, to, steps; /* the number of its first step */
    uint16_t count;           /* of its steps */
    uint8_t movers, admits;   /* a bit for each thread */
    bool cut;                 /* it is no part of what is looked for */
};

struct state {
    struct hash hash;
    uint32_t edges;  /* the number of the first that leads from it */
    uint32_t parent; /* the edge that led to it first */
    uint32_t component;
    uint8_t ready, unfinished, waits;
};

static struct state *states;
static struct edge *edges;
static struct move *steps;
static size_t state_count, state_room, edge_count, edge_room, step_count, step_room;

/* From hash to state: open addressing, at most half full. 0 is empty, otherwise the number plus 1. */
static uint32_t *table;
static size_t table_room;

/* An array with room for so many more elements. */
static void *with_room(void *array, size_t *room, size_t needed, size_t size)
{
    if (needed <= *room)
        return array;
    *room = needed * 2 > 1024 ? needed * 2 : 1024;
    array = realloc(array, *room * size);
    if (!array)
        abort();
    return array;
}

static void put(uint32_t state)
{
    size_t slot = states[state].hash.low & (table_room - 1);
    while (table[slot])
        slot = (slot + 1) & (table_room - 1);
    table[slot] = state + 1;
}

static void grow_table(void)
{
    if (state_count * 2 < table_room)
        return;
    free(table);
    table_room = table_room ? table_room * 2 : 1 << 12;
    table = calloc(table_room, sizeof *table);
    if (!table)
        abort();
    for (uint32_t i = 0; i < state_count; i++)
        put(i);
}

unsigned liveness_state(struct hash hash, bool *is_new)
{
    size_t slot = hash.low & (table_room - 1);
    for (; table[slot]; slot = (slot + 1) & (table_room - 1)) {
        const struct state *state = &states[table[slot] - 1];
        if (state->hash.low == hash.low && state->hash.high == hash.high) {
            *is_new = false;
            return table[slot] - 1;
        }
    }
    *is_new = true;
    states = with_room(states, &state_room, state_count + 1, sizeof *states);
    states[state_count] = (struct state){.hash = hash, .edges = NONE, .parent = NONE};
    put((uint32_t)state_count++);
    grow_table();
    return (unsigned)state_count - 1;
}

void liveness_begin(void)
{
    state_count = edge_count = step_count = 0;
    if (table)
        memset(table, 0, table_room * sizeof *table);
    grow_table();
    bool is_new;
    liveness_state((struct hash){0, 0}, &is_new);
}

unsigned liveness_count(void)
{
    return (unsigned)state_count;
}

size_t liveness_bytes(void)
{
    return state_room * sizeof *states + edge_room * sizeof *edges + step_room * sizeof *steps +
           table_room * sizeof *table;
}

struct hash liveness_hash(unsigned state)
{
    return states[state].hash;
}

void liveness_edge(unsigned from, unsigned to, const struct move *new_steps, unsigned count)
{
    edges = with_room(edges, &edge_room, edge_count + 1, sizeof *edges);
    steps = with_room(steps, &step_room, step_count + count, sizeof *steps);
    struct edge *edge = &edges[edge_count];
    *edge = (struct edge){.from = from, .to = to, .steps = (uint32_t)step_count, .count = (uint16_t)count};
    for (unsigned i = 0; i < count; i++) {
        steps[step_count++] = new_steps[i];
        edge->movers |= (uint8_t)(1u << new_steps[i].thread);
        edge->admits |= new_steps[i].admits;
    }
    if (states[from].edges == NONE)
        states[from].edges = (uint32_t)edge_count;
    if (states[to].parent == NONE && to != LIVENESS_START)
        states[to].parent = (uint32_t)edge_count;
    edge_count++;
}

void liveness_threads(unsigned state, uint8_t ready, uint8_t unfinished)
{
    states[state].ready = ready;
    states[state].unfinished = unfinished;
}

void liveness_waits(unsigned state, unsigned thread)
{
    states[state].waits |= (uint8_t)(1u << thread);
}

static bool visit(const struct edge *edge, liveness_visitor *each)
{
    return each(&steps[edge->steps], edge->count, edge->to);
}

bool liveness_path(unsigned to, liveness_visitor *each)
{
    static uint32_t *path;
    static size_t path_room;
    size_t length = 0;
    for (uint32_t state = to; state != LIVENESS_START; state = edges[states[state].parent].from) {
        path = with_room(path, &path_room, length + 1, sizeof *path);
        path[length++] = states[state].parent;
    }
    while (length > 0)
        if (!visit(&edges[path[--length]], each))
            return false;
    return true;
}

/* Strongly connected components, as Tarjan finds them; without recursion. */

static uint32_t *order, *low, *stack, *next_edge, *calls;
static uint32_t stack_size, call_count, seen_count, component_count;

static bool ends_edges(uint32_t edge, uint32_t state)
{
    return edge == NONE || edge >= edge_count || edges[edge].from != state;
}

static void enter(uint32_t state)
{
    order[state] = low[state] = ++seen_count;
    stack[stack_size++] = state;
    next_edge[state] = states[state].edges;
    calls[call_count++] = state;
}

static void leave(uint32_t state)
{
    call_count--;
    if (call_count > 0 && low[state] < low[calls[call_count - 1]])
        low[calls[call_count - 1]] = low[state];
    if (low[state] != order[state])
        return;
    uint32_t member;
    do {
        member = stack[--stack_size];
        states[member].component = component_count;
    } while (member != state);
    component_count++;
}

static void find_from(uint32_t root)
{
    enter(root);
    while (call_count > 0) {
        uint32_t state = calls[call_count - 1], edge = next_edge[state];
        if (ends_edges(edge, state)) {
            leave(state);
            continue;
        }
        next_edge[state]++;
        uint32_t to = edges[edge].to;
        if (edges[edge].cut)
            continue;
        if (!order[to])
            enter(to);
        else if (states[to].component == NONE && order[to] < low[state])
            low[state] = order[to];
    }
}

static void find_components(void)
{
    stack_size = call_count = seen_count = component_count = 0;
    memset(order, 0, state_count * sizeof *order);
    for (uint32_t i = 0; i < state_count; i++)
        states[i].component = NONE;
    for (uint32_t i = 0; i < state_count; i++)
        if (!order[i])
            find_from(i);
}

static bool is_inside(const struct edge *edge)
{
    return !edge->cut && states[edge->from].component == states[edge->to].component;
}

/* What is known of each component. */
static struct component {
    uint8_t movers, admits, rests, unfinished; /* rests: could not take a step, or waited in vain */
    bool goes_round;                           /* there is an edge inside */
    bool unfair;
} * components;

static void sum_up(void)
{
    memset(components, 0, component_count * sizeof *components);
    for (uint32_t i = 0; i < state_count; i++) {
        struct component *component = &components[states[i].component];
        component->rests |= (uint8_t)(states[i].waits | ~states[i].ready);
        component->unfinished |= states[i].unfinished;
    }
    for (uint32_t i = 0; i < edge_count; i++) {
        if (!is_inside(&edges[i]))
            continue;
        struct component *component = &components[states[edges[i].from].component];
        component->goes_round = true;
        component->movers |= edges[i].movers;
        component->admits |= edges[i].admits;
    }
    for (uint32_t i = 0; i < component_count; i++)
        components[i].unfair = components[i].unfinished & ~(components[i].movers | components[i].rests);
}

/* The words that are written inside a component: a set of pairs. */
static struct written {
    uintptr_t address;
    uint32_t component;
} * written;
static size_t written_room;

static struct written *find_written(uintptr_t address, uint32_t component)
{
    size_t slot = (address * UINT64_C(0x9e3779b97f4a7c15) + component * UINT64_C(0xd6e8feb86659fd93)) >> 20;
    for (slot &= written_room - 1; written[slot].address; slot = (slot + 1) & (written_room - 1))
        if (written[slot].address == address && written[slot].component == component)
            break;
    return &written[slot];
}

static void find_all_written(void)
{
    memset(written, 0, written_room * sizeof *written);
    for (uint32_t i = 0; i < edge_count; i++)
        for (unsigned j = 0; is_inside(&edges[i]) && j < edges[i].count; j++) {
            const struct move *step = &steps[edges[i].steps + j];
            uint32_t component = states[edges[i].from].component;
            if (step->writes)
                *find_written(step->address, component) = (struct written){step->address, component};
        }
}

/* Whether a thread would have to read an old store for ever, although no newer ones come. */
static bool stays_blind(const struct edge *edge)
{
    for (unsigned i = 0; i < edge->count; i++) {
        const struct move *step = &steps[edge->steps + i];
        if (step->stale && !find_written(step->address, states[edge->from].component)->address)
            return true;
    }
    return false;
}

/* Cuts what cannot be part of a circle that is fair; true if that was anything. */
static bool cut_unfair(void)
{
    bool any = false;
    find_all_written();
    for (uint32_t i = 0; i < edge_count; i++) {
        if (!is_inside(&edges[i]))
            continue;
        edges[i].cut = components[states[edges[i].from].component].unfair || stays_blind(&edges[i]);
        any |= edges[i].cut;
    }
    return any;
}

/* At first: without steps that do not happen for ever, and without those by which these threads own a lock. */
static void cut(uint8_t admitted)
{
    for (uint32_t i = 0; i < edge_count; i++) {
        edges[i].cut = edges[i].admits & admitted;
        for (unsigned j = 0; j < edges[i].count; j++)
            edges[i].cut |= steps[edges[i].steps + j].spurious;
    }
}

static void *array(size_t count, size_t size)
{
    void *memory = calloc(count + 1, size);
    if (!memory)
        abort();
    return memory;
}

static void make_arrays(void)
{
    order = array(state_count, sizeof *order);
    low = array(state_count, sizeof *low);
    stack = array(state_count, sizeof *stack);
    next_edge = array(state_count, sizeof *next_edge);
    calls = array(state_count, sizeof *calls);
    components = array(state_count, sizeof *components);
    for (written_room = 1024; written_room < step_count * 2;)
        written_room *= 2;
    written = array(written_room, sizeof *written);
}

static void free_arrays(void)
{
    free(order);
    free(low);
    free(stack);
    free(next_edge);
    free(calls);
    free(components);
    free(written);
}

/* One of the states of a component: where a thread that gets nowhere waits, if there is one. */
static uint32_t state_of(uint32_t component, uint8_t kept)
{
    uint32_t first = NONE;
    for (uint32_t i = 0; i < state_count; i++) {
        if (states[i].component != component)
            continue;
        if (states[i].waits & kept)
            return i;
        first = first == NONE ? i : first;
    }
    return first;
}

/* A component that can be gone round for ever, in which these threads never own a lock; one of them has not ended. */
static bool find_without(uint8_t admitted, struct circle *circle)
{
    cut(admitted);
    do {
        find_components();
        sum_up();
    } while (cut_unfair());
    for (uint32_t i = 0; i < state_count; i++) {
        const struct component *component = &components[states[i].component];
        if (!component->goes_round || !(component->unfinished & admitted))
            continue;
        uint8_t kept = component->unfinished & (uint8_t)~component->admits;
        *circle = (struct circle){state_of(states[i].component, kept), kept, component->admits};
        return true;
    }
    return false;
}

bool liveness_find(struct circle *circle, bool any)
{
    make_arrays();
    bool found = find_without(UINT8_MAX, circle);
    for (unsigned thread = 1; any && !found && thread < CLOCKS; thread++)
        found = find_without((uint8_t)(1u << thread), circle);
    free_arrays();
    return found;
}

/* Once round a circle: from one of its edges that is wanted to the next, by the shortest ways. */

static uint32_t *came_by, *queue;

static bool is_wanted(const struct edge *edge, uint8_t movers, uint8_t admits)
{
    return (edge->movers & movers) || (edge->admits & admits);
}

/* The edge of the circle nearest to `from` that is wanted or, if none is, that leads to `home`; then the way to it. */
static uint32_t find_way(uint32_t from, uint32_t home, uint8_t movers, uint8_t admits)
{
    memset(came_by, 0xff, state_count * sizeof *came_by);
    uint32_t done = 0, end = 0;
    queue[end++] = from;
    while (done < end) {
        uint32_t state = queue[done++];
        for (uint32_t i = states[state].edges; !ends_edges(i, state); i++) {
            if (!is_inside(&edges[i]))
                continue;
            if (movers | admits ? is_wanted(&edges[i], movers, admits) : edges[i].to == home)
                return i;
            if (edges[i].to != from && came_by[edges[i].to] == NONE) {
                came_by[edges[i].to] = i;
                queue[end++] = edges[i].to;
            }
        }
    }
    return NONE;
}

/* Along the way that find_way has found. */
static bool go_way(uint32_t from, uint32_t last, liveness_visitor *each, uint8_t *movers, uint8_t *admits)
{
    uint32_t length = 0;
    for (uint32_t state = edges[last].from; state != from; state = edges[came_by[state]].from)
        queue[length++] = came_by[state];
    bool good = true;
    for (; length > 0 && good; length--) {
        good = visit(&edges[queue[length - 1]], each);
        *movers &= (uint8_t)~edges[queue[length - 1]].movers;
        *admits &= (uint8_t)~edges[queue[length - 1]].admits;
    }
    *movers &= (uint8_t)~edges[last].movers;
    *admits &= (uint8_t)~edges[last].admits;
    return good && visit(&edges[last], each);
}

bool liveness_round(const struct circle *circle, liveness_visitor *each)
{
    uint8_t movers = 0, admits = 0;
    for (uint32_t i = 0; i < edge_count; i++)
        if (is_inside(&edges[i]) && states[edges[i].from].component == states[circle->state].component) {
            movers |= edges[i].movers;
            admits |= edges[i].admits;
        }
    came_by = array(state_count, sizeof *came_by);
    queue = array(state_count, sizeof *queue);
    uint32_t at = circle->state, last = NONE;
    bool good = true;
    while (good && (movers | admits)) {
        last = find_way(at, circle->state, movers, admits);
        good = last != NONE && go_way(at, last, each, &movers, &admits);
        at = good ? edges[last].to : at;
    }
    if (good && at != circle->state) {
        last = find_way(at, circle->state, 0, 0);
        good = last != NONE && go_way(at, last, each, &movers, &admits);
    }
    free(came_by);
    free(queue);
    return good;
}
