/* SPDX-License-Identifier: MIT */
/* The list of events: which access to what suffered, and how often. */
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "port/node.h"
#include "sim/must.h"
#include "sim/world.h"

static bool same(const struct coherence_event *a, const struct coherence_event *b)
{
    return a->phase == b->phase && a->site.address == b->site.address && a->access == b->access &&
           a->outcome == b->outcome && a->object == b->object && a->own == b->own && a->offset == b->offset;
}

void coherence_event_record(struct sim_thread *thread, const struct request *request, uintptr_t address,
                            enum phase phase, struct site site)
{
    struct range range = memory_find(address);
    bool named = range.object == OBJECT_LOCK || range.object == OBJECT_THREAD || range.object == OBJECT_NODE;
    struct coherence_event one = {
        .phase = phase,
        .site = site,
        .access = request->access,
        .outcome = request->outcome,
        .object = range.object,
        .own = range.owner == thread->index,
        .offset = named ? address - range.address : 0,
    };
    for (size_t i = 0; i < world.coherence_event_count; i++)
        if (same(&world.coherence_events[i], &one)) {
            world.coherence_events[i].count++;
            world.coherence_events[i].remote += request->remote;
            return;
        }
    one.count = 1;
    one.remote = request->remote;
    world.coherence_events = must(realloc(world.coherence_events, (world.coherence_event_count + 1) * sizeof one));
    world.coherence_events[world.coherence_event_count++] = one;
}

static const char *field_of(enum object object, size_t offset)
{
    static const struct {
        enum object object;
        size_t offset;
        const char *name;
    } fields[] = {
        {OBJECT_THREAD, offsetof(struct thread, element.gate), "element gate"},
        {OBJECT_THREAD, offsetof(struct thread, element.eos), "element eos"},
        {OBJECT_THREAD, offsetof(struct thread, element.deferred), "element deferred"},
        {OBJECT_THREAD, offsetof(struct thread, element.below), "element below"},
        {OBJECT_THREAD, offsetof(struct thread, grant), "grant"},
        {OBJECT_THREAD, offsetof(struct thread, nodes), "free nodes"},
        {OBJECT_NODE, offsetof(struct node, gate), "node gate"},
        {OBJECT_NODE, offsetof(struct node, next), "node next"},
    };
    for (size_t i = 0; i < sizeof fields / sizeof *fields; i++)
        if (fields[i].object == object && fields[i].offset == offset)
            return fields[i].name;
    return object == OBJECT_NODE ? "node" : "thread record";
}

void coherence_event_name(const struct coherence_event *event, char *text, size_t room)
{
    const char *whose = event->own ? "own " : "another's ";
    switch (event->object) {
    case OBJECT_LOCK:
        snprintf(text, room, "lock + %zu", event->offset);
        break;
    case OBJECT_THREAD:
    case OBJECT_NODE:
        snprintf(text, room, "%s%s", whose, field_of(event->object, event->offset));
        break;
    case OBJECT_STACK:
        snprintf(text, room, "%sstack", whose);
        break;
    case OBJECT_DATA:
        snprintf(text, room, "shared generator");
        break;
    case OBJECT_KERNEL:
        snprintf(text, room, "kernel's queue");
        break;
    case OBJECT_OTHER:
        snprintf(text, room, "shared table");
        break;
    }
}
