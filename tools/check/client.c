/* SPDX-License-Identifier: MIT */
/* The functions of <recip-check.h>, and the clients that were registered. */
#include <recip-check.h>

#include <string.h>

#include "check/clients.h"
#include "check/engine/engine.h"
#include "check/engine/snapshot.h"

#define HERE __builtin_return_address(0)

struct check_client *check_clients;

static uint64_t outcomes;

void check_register(struct check_client *client)
{
    struct check_client **end = &check_clients;
    while (*end)
        end = &(*end)->next;
    *end = client;
}

unsigned check_thread(void (*body)(void *argument), void *argument)
{
    return engine_thread(body, argument, 0);
}

unsigned check_thread_after(unsigned other, void (*body)(void *argument), void *argument)
{
    return engine_thread(body, argument, other);
}

void check_alike(void)
{
    engine_alike();
}

void check_endless(void)
{
    engine_endless();
}

void check_handler(unsigned thread, void (*handler)(void *argument), void *argument)
{
    engine_handler(thread, handler, argument);
}

unsigned check_self(void)
{
    return engine_self();
}

unsigned check_choose(unsigned n)
{
    return engine_choose(n, HERE, __builtin_dwarf_cfa());
}

void check_failed(const char *condition)
{
    if (engine_self())
        engine_fail(FAILURE_ASSERTION, HERE, NULL, "thread %u: the assertion does not hold: %s", engine_self(),
                    condition);
    else
        engine_fail(FAILURE_ASSERTION, HERE, NULL, "the assertion does not hold: %s", condition);
    engine_stop();
}

void check_relax(void)
{
    engine_relax(HERE);
}

void check_park(const volatile void *word, size_t size, uint64_t expected)
{
    bool swapped = false;
    engine_access(&(struct operation){.action = ACTION_PARK,
                                      .size = (uint8_t)size,
                                      .address = (uintptr_t)word,
                                      .expected = expected,
                                      .place = HERE,
                                      .frame = __builtin_dwarf_cfa()},
                  &swapped);
}

void check_wake(const volatile void *word)
{
    bool swapped = false;
    engine_access(&(struct operation){.action = ACTION_WAKE,
                                      .size = 8,
                                      .address = (uintptr_t)word,
                                      .place = HERE,
                                      .frame = __builtin_dwarf_cfa()},
                  &swapped);
}

void *check_allocate(size_t alignment, size_t size)
{
    return engine_allocate(alignment, size, HERE);
}

unsigned check_allocated(void)
{
    return engine_blocks();
}

void check_free(void *memory)
{
    engine_free(memory, 0, HERE);
}

void check_destroyed(void *memory, size_t size)
{
    engine_free(memory, size, HERE);
}

void check_forget(void *memory, size_t size)
{
    snapshot_keep(memory, size);
    memset(memory, 0x5a, size);
}

void check_name(const void *memory, size_t size, const char *name)
{
    engine_name(memory, size, "%s", name);
}

void check_outcome(unsigned outcome)
{
    outcomes |= UINT64_C(1) << (outcome & 63);
}

uint64_t check_outcomes(void)
{
    return outcomes;
}

void check_forget_outcomes(void)
{
    outcomes = 0;
}

void check_ghost(void *memory, size_t size,
                 void (*written)(unsigned thread, const volatile void *word, uint64_t before, uint64_t now))
{
    engine_ghost(memory, size, written);
}

void check_ghost_watch(const volatile void *word)
{
    engine_watch(word);
}

void check_ghost_call(void (*call)(unsigned thread))
{
    engine_aside(call);
}

uint64_t check_last_value(const volatile void *word, size_t size)
{
    return engine_newest(word, (unsigned)size);
}

void check_arriving(const void *lock, size_t size)
{
    engine_arriving(lock, size);
}

void check_owned(const void *lock)
{
    engine_admitted(lock, HERE);
}

void check_leaving(const void *lock)
{
    engine_leaving(lock);
}

void check_released(const void *lock)
{
    engine_released(lock);
}

void check_max_overtakes(const void *lock, int overtakes)
{
    engine_promise(lock, overtakes);
}
