/* SPDX-License-Identifier: MIT */
#include "check/engine/spin.h"

#include <string.h>

#include "check/engine/execution.h"
#include "check/engine/fiber.h"
#include "check/engine/ghost.h"
#include "check/engine/memory.h"
#include "check/engine/snapshot.h"

/* A loop that counts its turns would never end. */
enum { MAX_KEPT = 16 };

void spin_end(struct spin *spin)
{
    spin->stand_count = spin->touched_count = spin->turns = 0;
}

void spin_touch(struct task *task, uintptr_t address, unsigned size, bool writes)
{
    struct spin *spin = &task->spin;
    if (fiber_holds_on(task->number, address))
        return;
    for (unsigned i = 0; i < spin->touched_count; i++)
        if (spin->touched[i].address == address && spin->touched[i].size == size && spin->touched[i].writes == writes)
            return;
    if (spin->touched_count == SPIN_TOUCHED)
        memmove(&spin->touched[0], &spin->touched[1], --spin->touched_count * sizeof spin->touched[0]);
    spin->touched[spin->touched_count++] = (struct spin_piece){address, (uint8_t)size, writes};
}

static struct hash stand_of(const struct task *task)
{
    const struct spin *spin = &task->spin;
    struct hash hash = {1, 2};
    fiber_digest_as_it_is(task->number, task->pending.frame, &hash);
    digest_bytes(&hash, &task->pending, sizeof task->pending);
    for (unsigned i = 0; i < spin->touched_count; i++) {
        const struct spin_piece *piece = &spin->touched[i];
        digest_add(&hash, piece->address);
        digest_add(&hash, (uint64_t)piece->size << 1 | piece->writes);
        digest_add(&hash, memory_read(piece->address, piece->size));
    }
    digest_add(&hash, memory_age());
    handler_digest(task, &hash);
    ghost_digest(&hash);
    return hash;
}

/* The number of the stand, or of how many there are. */
static unsigned find_stand(const struct spin *spin, struct hash stand)
{
    unsigned i = 0;
    while (i < spin->stand_count && (spin->stands[i].low != stand.low || spin->stands[i].high != stand.high))
        i++;
    return i;
}

static bool has_stood(const struct spin *spin, struct hash stand)
{
    return find_stand(spin, stand) < spin->stand_count;
}

static void forget_first(struct spin *spin)
{
    spin->stand_count--;
    memmove(&spin->stands[0], &spin->stands[1], spin->stand_count * sizeof spin->stands[0]);
    memmove(&spin->picks[0], &spin->picks[1], spin->stand_count * sizeof spin->picks[0]);
}

void spin_stand(struct task *task)
{
    struct spin *spin = &task->spin;
    struct hash stand = stand_of(task);
    if (has_stood(spin, stand))
        return;
    if (spin->stand_count == SPIN_STANDS)
        forget_first(spin);
    spin->picks[spin->stand_count] = task->picks;
    spin->stands[spin->stand_count++] = stand;
}

bool spin_was_in_vain(const struct task *task)
{
    return has_stood(&task->spin, stand_of(task));
}

unsigned spin_picks_before(const struct task *task)
{
    const struct spin *spin = &task->spin;
    unsigned stand = find_stand(spin, stand_of(task));
    return stand < spin->stand_count ? spin->picks[stand] : task->picks;
}

void spin_will_change(struct spin *spin)
{
    snapshot_keep(spin, offsetof(struct spin, stands));
    snapshot_keep(spin->stands, spin->stand_count * sizeof spin->stands[0]);
    snapshot_keep(spin->picks, spin->stand_count * sizeof spin->picks[0]);
    snapshot_keep(spin->touched, spin->touched_count * sizeof spin->touched[0]);
}

void spin_keep(struct task *task)
{
    if (++task->spin.turns > MAX_KEPT)
        engine_fail(FAILURE_UNMODELLED, task->place, NULL,
                    "each turn of a spin loop of thread %u changes something: a counter of turns is not modelled",
                    task->number);
}
