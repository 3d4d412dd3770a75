/* SPDX-License-Identifier: MIT */
#include "check/engine/futex.h"

#include <stddef.h>

#include "check/engine/engine.h"
#include "check/engine/snapshot.h"
#include "check/engine/state.h"
#include "check/engine/symmetry.h"

enum { MAX_FUTEXES = 64 };

static struct futex {
    uintptr_t address;
    struct clock known;
} futexes[MAX_FUTEXES];

static unsigned futex_count;

void futex_reset(void)
{
    futex_count = 0;
}

static struct futex *futex_at(uintptr_t address)
{
    for (unsigned i = 0; i < futex_count; i++)
        if (futexes[i].address == address)
            return &futexes[i];
    return NULL;
}

void futex_seen(uintptr_t address, struct clock *now)
{
    const struct futex *futex = futex_at(address);
    if (futex)
        clock_join(now, &futex->known);
}

void futex_wake(uintptr_t address, const struct clock *now)
{
    struct futex *futex = futex_at(address);
    if (!futex && futex_count == MAX_FUTEXES) {
        engine_fail(FAILURE_LIMIT, NULL, NULL, "more than %d addresses are woken", MAX_FUTEXES);
        return;
    }
    if (!futex) {
        futex = &futexes[futex_count++];
        *futex = (struct futex){.address = address};
    }
    clock_join(&futex->known, now);
}

void futex_digest(struct hash *hash)
{
    struct hash all = {0, 0}, nothing = {0, 0};
    state_add_clock(&nothing, &(struct clock){{0}});
    for (unsigned i = 0; i < futex_count; i++) {
        struct hash one = {0, 0};
        state_add_clock(&one, &futexes[i].known);
        if (one.low == nothing.low && one.high == nothing.high)
            continue; /* all know that */
        digest_add(&one, symmetry_word(futexes[i].address));
        digest_join(&all, one);
    }
    digest_add(hash, all.low);
    digest_add(hash, all.high);
}

void futex_snapshot(void)
{
    snapshot_bytes(&futex_count, sizeof futex_count);
    snapshot_bytes(futexes, futex_count * sizeof futexes[0]);
}
