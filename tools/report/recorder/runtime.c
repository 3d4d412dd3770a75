/* SPDX-License-Identifier: MIT */
/* The recorder's side of the instrumentation: a thread waits for its turn before each access, and notes it. */
#include <stdio.h>
#include <stdlib.h>

#include "instrument/instrument.h"
#include "report/recorder/stepped-threads.h"

static void note(struct access *access, enum operation operation, const volatile uint64_t *word, uint64_t after,
                 int order)
{
    access->operation = operation;
    access->address = word;
    access->before = *word;
    access->after = after;
    access->order = order;
}

/* The page has pictures for four operations on whole words: another one ends the recording. */
static void cannot_show(const char *what)
{
    fprintf(stderr, "recip-record: the lock makes %s, which the page cannot show\n", what);
    exit(1);
}

static volatile uint64_t *word_at(const volatile void *address, size_t size)
{
    if (size != sizeof(uint64_t))
        cannot_show("an atomic access of less than eight bytes");
    return (volatile uint64_t *)(uintptr_t)address;
}

/* The places are frames, from which the callers are found: the lock is compiled with frame pointers. */
#define INSTRUMENT_PLACE __builtin_frame_address(0)

INSTRUMENT_HOOK uint64_t instrument_load(const volatile void *address, size_t size, int order, void *place)
{
    volatile uint64_t *word = word_at(address, size);
    struct access *access = stepped_await_turn(place);
    note(access, LOAD, word, *word, order);
    return *word;
}

INSTRUMENT_HOOK void instrument_store(volatile void *address, size_t size, uint64_t value, int order, void *place)
{
    volatile uint64_t *word = word_at(address, size);
    struct access *access = stepped_await_turn(place);
    note(access, STORE, word, value, order);
    *word = value;
}

INSTRUMENT_HOOK uint64_t instrument_change(enum change how, volatile void *address, size_t size, uint64_t operand,
                                           int order, void *place)
{
    volatile uint64_t *word = word_at(address, size);
    if (how != CHANGE_SET)
        cannot_show("a read-modify-write that is neither an exchange nor a compare-and-swap");
    struct access *access = stepped_await_turn(place);
    note(access, EXCHANGE, word, operand, order);
    *word = operand;
    return access->before;
}

INSTRUMENT_HOOK uint64_t instrument_compare_exchange(volatile void *address, size_t size,
                                                     const struct compare_exchange *how, bool *swapped, void *place)
{
    volatile uint64_t *word = word_at(address, size);
    struct access *access = stepped_await_turn(place);
    *swapped = *word == how->expected;
    note(access, COMPARE_EXCHANGE, word, *swapped ? how->desired : *word, how->order);
    *word = access->after;
    return access->before;
}

INSTRUMENT_HOOK void instrument_fence(int order, void *place)
{
    (void)order;
    (void)place;
    cannot_show("a fence");
}

INSTRUMENT_HOOK void instrument_signal_fence(int order, void *place)
{
    (void)order;
    (void)place;
}

/* Plain accesses are to the thread's own context: no step of the algorithm. */
INSTRUMENT_HOOK void instrument_plain(void *address, size_t size, bool writes, void *place)
{
    (void)address;
    (void)size;
    (void)writes;
    (void)place;
}

INSTRUMENT_HOOK void instrument_range(void *address, size_t size, bool writes, const char *operation, void *place)
{
    (void)operation;
    instrument_plain(address, size, writes, place);
}

INSTRUMENT_HOOK void instrument_unsupported(const char *what, void *place)
{
    (void)place;
    cannot_show(what);
}

#include "instrument/entry-points.h"
