/* SPDX-License-Identifier: MIT */
#include "check/engine/snapshot.h"

#include <stdlib.h>
#include <string.h>

#include "check/engine/admission.h"
#include "check/engine/execution.h"
#include "check/engine/futex.h"
#include "check/engine/ghost.h"
#include "check/engine/graph.h"
#include "check/engine/memory.h"
#include "check/engine/race.h"
#include "check/engine/seq-cst.h"
#include "check/engine/trace.h"

/* Of one path of the exploration, with some kilobytes for each of its turns. */
enum { MAX_BYTES = 1 << 27 };

struct pile {
    char *bytes;
    size_t room, used;
};

static struct pile pile, kept;

static bool restoring;
static size_t restored; /* up to where */
static uint64_t serial = 1;

static void grow(struct pile *grown, size_t size)
{
    while (grown->room < grown->used + size)
        grown->room = grown->room ? grown->room * 2 : 1 << 20;
    grown->bytes = realloc(grown->bytes, grown->room);
    if (!grown->bytes)
        abort();
}

static inline void push(struct pile *to, const void *memory, size_t size)
{
    if (to->used + size > to->room)
        grow(to, size);
    memcpy(to->bytes + to->used, memory, size);
    to->used += size;
}

void snapshot_bytes(void *memory, size_t size)
{
    if (!restoring) {
        push(&pile, memory, size);
        return;
    }
    memcpy(memory, pile.bytes + restored, size);
    restored += size;
}

/* What was kept, then where it belongs. */
struct owner {
    void *memory;
    size_t size;
};

void snapshot_keep(void *memory, size_t size)
{
    push(&kept, memory, size);
    push(&kept, &(struct owner){memory, size}, sizeof(struct owner));
}

/* What was kept last was kept over what came before it. */
static void put_back(size_t until)
{
    while (kept.used > until) {
        struct owner owner;
        kept.used -= sizeof owner;
        memcpy(&owner, kept.bytes + kept.used, sizeof owner);
        kept.used -= owner.size;
        memcpy(owner.memory, kept.bytes + kept.used, owner.size);
    }
}

uint64_t snapshot_serial(void)
{
    return serial;
}

static void all_parts(void)
{
    execution_snapshot();
    graph_snapshot();
    memory_snapshot();
    race_snapshot();
    futex_snapshot();
    admission_snapshot();
    ghost_snapshot();
    seq_cst_snapshot();
    trace_snapshot();
}

size_t snapshot_top(void)
{
    return pile.used;
}

void snapshot_forget(void)
{
    pile.used = kept.used = 0;
    serial++;
}

bool snapshot_save(void)
{
    push(&pile, &kept.used, sizeof kept.used);
    restoring = false;
    all_parts();
    serial++;
    return pile.used + kept.used <= MAX_BYTES;
}

void snapshot_restore(size_t at)
{
    size_t kept_then;
    memcpy(&kept_then, pile.bytes + at, sizeof kept_then);
    put_back(kept_then);
    restoring = true;
    restored = at + sizeof kept_then;
    all_parts();
    serial++;
}

void snapshot_drop(size_t at)
{
    pile.used = at;
}
