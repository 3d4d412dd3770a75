/* SPDX-License-Identifier: MIT */
/* A side of the instrumentation (instrument/instrument.h) that makes each access and then, now and then, yields the
 * CPU. A zoo that is compiled with -fsanitize=thread and linked with this runs through the races that fit between two
 * instructions and that a test would otherwise hardly ever meet.
 *
 * Every access is sequentially consistent, whatever was asked for: what is looked for is interleavings, not weak
 * memory.
 */
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>

#include "instrument/instrument.h"

static _Thread_local uint32_t random_state;

static void shake(void)
{
    uint32_t x = random_state ? random_state : (uint32_t)(uintptr_t)&random_state | 1;
    x ^= x << 13;
    x ^= x >> 17;
    x ^= x << 5;
    random_state = x;
    if (x % 8 == 0)
        sched_yield();
}

static inline uint64_t load(const volatile void *address, size_t size)
{
    switch (size) {
    case 1:
        return __atomic_load_n((const volatile uint8_t *)address, __ATOMIC_SEQ_CST);
    case 2:
        return __atomic_load_n((const volatile uint16_t *)address, __ATOMIC_SEQ_CST);
    case 4:
        return __atomic_load_n((const volatile uint32_t *)address, __ATOMIC_SEQ_CST);
    default:
        return __atomic_load_n((const volatile uint64_t *)address, __ATOMIC_SEQ_CST);
    }
}

/* No compare-and-swap: valgrind would complain of its comparison where the memory has no value yet. */
static inline void store(volatile void *address, size_t size, uint64_t value)
{
    switch (size) {
    case 1:
        __atomic_store_n((volatile uint8_t *)address, (uint8_t)value, __ATOMIC_SEQ_CST);
        break;
    case 2:
        __atomic_store_n((volatile uint16_t *)address, (uint16_t)value, __ATOMIC_SEQ_CST);
        break;
    case 4:
        __atomic_store_n((volatile uint32_t *)address, (uint32_t)value, __ATOMIC_SEQ_CST);
        break;
    default:
        __atomic_store_n((volatile uint64_t *)address, value, __ATOMIC_SEQ_CST);
    }
}

#define SWAP(type)                                                                                                     \
    type found = (type)*expected;                                                                                      \
    bool swapped = __atomic_compare_exchange_n((volatile type *)address, &found, (type)desired, false,                 \
                                               __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);                                    \
    *expected = found;                                                                                                 \
    return swapped

static inline bool swap(volatile void *address, size_t size, uint64_t *expected, uint64_t desired)
{
    if (size == 1) {
        SWAP(uint8_t);
    } else if (size == 2) {
        SWAP(uint16_t);
    } else if (size == 4) {
        SWAP(uint32_t);
    } else {
        SWAP(uint64_t);
    }
}

static inline uint64_t change(enum change how, volatile void *address, size_t size, uint64_t operand)
{
    uint64_t old = load(address, size);
    while (!swap(address, size, &old, change_result(how, old, operand)))
        continue;
    return old;
}

INSTRUMENT_HOOK uint64_t instrument_load(const volatile void *address, size_t size, int order, void *place)
{
    (void)order, (void)place;
    uint64_t value = load(address, size);
    shake();
    return value;
}

INSTRUMENT_HOOK void instrument_store(volatile void *address, size_t size, uint64_t value, int order, void *place)
{
    (void)order, (void)place;
    store(address, size, value);
    shake();
}

INSTRUMENT_HOOK uint64_t instrument_change(enum change how, volatile void *address, size_t size, uint64_t operand,
                                           int order, void *place)
{
    (void)order, (void)place;
    uint64_t old = change(how, address, size, operand);
    shake();
    return old;
}

INSTRUMENT_HOOK uint64_t instrument_compare_exchange(volatile void *address, size_t size,
                                                     const struct compare_exchange *how, bool *swapped, void *place)
{
    (void)place;
    uint64_t old = how->expected;
    *swapped = swap(address, size, &old, how->desired);
    shake();
    return old;
}

INSTRUMENT_HOOK void instrument_fence(int order, void *place)
{
    (void)order, (void)place;
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
    shake();
}

INSTRUMENT_HOOK void instrument_signal_fence(int order, void *place)
{
    (void)order, (void)place;
}

INSTRUMENT_HOOK void instrument_plain(void *address, size_t size, bool writes, void *place)
{
    (void)address, (void)size, (void)writes, (void)place;
    shake();
}

INSTRUMENT_HOOK void instrument_range(void *address, size_t size, bool writes, const char *operation, void *place)
{
    (void)operation;
    instrument_plain(address, size, writes, place);
}

INSTRUMENT_HOOK void instrument_unsupported(const char *what, void *place)
{
    fprintf(stderr, "%s, at %p, cannot be shaken\n", what, place);
    abort();
}

#include "instrument/entry-points.h"
