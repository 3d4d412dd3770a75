/* SPDX-License-Identifier: MIT */
/* The order of locks: a graph, whose nodes are classes of mutexes, and whose edges say that one of a class was taken
 * while one of another was held. A new edge that closes a circle is an inversion: threads that go along it at once may
 * end in a deadlock, even if none has yet.
 *
 * A class is what is a row in the statistics. Two mutexes of one class, as the accounts of a transfer, are nodes of
 * their own towards each other. A trylock does not wait, so that it adds no edge to what it takes; from what it has
 * taken there are edges.
 */
#define RECIP_UNANNOTATED
#include "preload/watch.h"

#include <stddef.h>
#include <sys/prctl.h>

#include "preload/report-groups.h"
#include "preload/report.h"
#include "preload/stack.h"

enum { MAX_ORDERS = 1 << 13, MAX_PROBES = 64 };

static struct order orders[MAX_ORDERS];

/* ---- Nodes and edges ---- */

static uint32_t hash_of(uint64_t key)
{
    return (uint32_t)(key * UINT64_C(0x9e3779b97f4a7c15) >> 33);
}

/* Never 0. Two classes of one hash are one node. Under the report's lock, and kept: to read symbols takes long. */
static uint32_t node_of_class(uint32_t record)
{
    static uint32_t nodes[RECORD_INDEX + 1];
    if (!nodes[record])
        nodes[record] = hash_of((uintptr_t)group_key(record)) | UINT32_C(0x80000000);
    return nodes[record];
}

/* Finds the edge, or makes it; null if there is no room. Under the report's lock. */
static struct order *edge_of(uint64_t key, bool *is_new)
{
    for (uint32_t i = 0; i < MAX_PROBES; i++) {
        struct order *order = &orders[(hash_of(key) + i) % MAX_ORDERS];
        uint64_t there = atomic_load_explicit(&order->key, memory_order_relaxed);
        *is_new = there == 0;
        if (there == 0)
            atomic_store_explicit(&order->key, key, memory_order_relaxed);
        if (there == 0 || there == key)
            return order;
    }
    return NULL;
}

/* ---- Circles ---- */

/* From the node `from` to the node `to`: fills `path` with the edges, shortest first. Returns how many; 0 for none. */
static int find_path(uint32_t from, uint32_t to, const struct order **path, int limit)
{
    if (limit == 0)
        return 0;
    for (int i = 0; i < MAX_ORDERS; i++) {
        uint64_t key = atomic_load_explicit(&orders[i].key, memory_order_relaxed);
        path[0] = &orders[i];
        if (key && key >> 32 == from && (uint32_t)key == to)
            return 1;
    }
    for (int i = 0; limit > 1 && i < MAX_ORDERS; i++) {
        uint64_t key = atomic_load_explicit(&orders[i].key, memory_order_relaxed);
        if (!key || key >> 32 != from)
            continue;
        int rest = find_path((uint32_t)key, to, path + 1, limit - 1);
        path[0] = &orders[i];
        if (rest)
            return rest + 1;
    }
    return 0;
}

/* How many edges back a circle may have, which is what the search takes its time for. Between mutexes of one class it
 * is one: there may be thousands of them. */
enum { MAX_BACK = 4 };

static void say_that_it_is_full(void)
{
    static bool is_said;
    if (!is_said)
        report_print(report_stderr(), "recip: more than %d pairs of locks; the order of further ones is not watched\n",
                     MAX_ORDERS);
    is_said = true;
}

static void add_order(struct watched_thread *self, const struct held *before, const struct held *taken)
{
    uint32_t from = node_of_class(before->record), to = node_of_class(taken->record);
    int max_back = from == to ? 1 : MAX_BACK;
    if (from == to) {
        from = before->record;
        to = taken->record;
    }
    if (from == to)
        return;
    bool is_new = false;
    struct order *order = edge_of((uint64_t)from << 32 | to, &is_new);
    if (!order)
        say_that_it_is_full();
    if (!is_new)
        return;
    order->before = before->record;
    order->taken = taken->record;
    order->stack = stack_take_whole(taken->site);
    order->thread = self->kernel_number;
    prctl(PR_GET_NAME, order->name);
    const struct order *circle[MAX_BACK + 1] = {order};
    int back = find_path(to, from, circle + 1, max_back);
    if (back)
        watch_report_inversion(circle, back + 1);
}

void watch_order(struct watched_thread *self, const struct held *before, const struct held *taken)
{
    uint64_t pair = (uint64_t)before->record << 32 | taken->record;
    uint64_t *place = &self->known[hash_of(pair) % WATCH_KNOWN];
    if (*place == pair || !watch_report_begin(false))
        return; /* another thread reports: next time */
    *place = pair;
    add_order(self, before, taken);
    watch_report_end();
}
