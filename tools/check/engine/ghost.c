/* SPDX-License-Identifier: MIT */
#include "check/engine/ghost.h"

#include "check/engine/access.h"
#include "check/engine/fiber.h"
#include "check/engine/snapshot.h"

enum { MAX_WORDS = 4 };

static struct {
    void *memory;
    size_t size;
    ghost_watcher *written;
    uintptr_t words[MAX_WORDS];
    unsigned word_count;
} ghost;

void ghost_reset(void)
{
    ghost.memory = NULL;
}

bool ghost_exists(void)
{
    return ghost.memory;
}

void engine_ghost(void *memory, size_t size, ghost_watcher *written)
{
    ghost.memory = memory;
    ghost.size = size;
    ghost.written = written;
    ghost.word_count = 0;
}

void engine_watch(const volatile void *word)
{
    if (ghost.word_count == MAX_WORDS)
        engine_fail(FAILURE_LIMIT, NULL, NULL, "a ghost watches at most %d words", MAX_WORDS);
    else
        ghost.words[ghost.word_count++] = (uintptr_t)word;
}

bool ghost_watches(uintptr_t address)
{
    for (unsigned i = 0; ghost.memory && i < ghost.word_count; i++)
        if (ghost.words[i] == address)
            return true;
    return false;
}

void ghost_digest(struct hash *hash)
{
    if (ghost.memory)
        digest_bytes(hash, ghost.memory, ghost.size);
}

void ghost_snapshot(void)
{
    if (ghost.memory)
        snapshot_bytes(ghost.memory, ghost.size);
}

void ghost_written(const struct store *store)
{
    if (!store->thread || !ghost_watches(store->location->address))
        return;
    execution.active = false;
    ghost.written(store->thread, (const void *)store->location->address, store->before->value, store->value);
    execution.active = true;
}

void engine_aside(void (*call)(unsigned thread))
{
    execution.told = true;
    execution.active = false;
    call(engine_self());
    execution.active = true;
    engine_stop();
    fiber_scrub();
}

uint64_t engine_newest(const volatile void *word, unsigned size)
{
    const struct location *location = graph_location((uintptr_t)word, size);
    return access_part(&(struct operation){.address = (uintptr_t)word, .size = (uint16_t)size}, location->last);
}
