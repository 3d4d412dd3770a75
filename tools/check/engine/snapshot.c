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

static char *pile;
static size_t room, used;

static bool restoring;
static size_t restored; /* up to where */

static void grow(size_t size)
{
    while (room < used + size)
        room = room ? room * 2 : 1 << 20;
    pile = realloc(pile, room);
    if (!pile)
        abort();
}

void snapshot_bytes(void *memory, size_t size)
{
    if (restoring) {
        memcpy(memory, pile + restored, size);
        restored += size;
        return;
    }
    if (used + size > room)
        grow(size);
    memcpy(pile + used, memory, size);
    used += size;
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
    return used;
}

bool snapshot_save(void)
{
    restoring = false;
    all_parts();
    return used <= MAX_BYTES;
}

void snapshot_restore(size_t at)
{
    restoring = true;
    restored = at;
    all_parts();
}

void snapshot_drop(size_t at)
{
    used = at;
}
