/* SPDX-License-Identifier: MIT */
/* Every function that gcc 11 to 13 and clang 14 to 16 call under -fsanitize=thread, by the hooks of instrument.h. To be
 * included once, by a runtime, after it has defined the hooks.
 *
 * The compilers differ: a compare-and-swap is ..._strong or ..._weak with gcc, ..._val with clang; gcc has ranges for
 * what is not aligned, clang has unaligned_...; volatile_... and read_write... come with options only. */
#include <string.h>

#include "instrument/instrument.h"

#ifndef INSTRUMENT_PLACE
#define INSTRUMENT_PLACE INSTRUMENT_RETURN_ADDRESS
#endif

/* Atomic accesses. */

#define INSTRUMENT_CHANGE(bits, type, name, how)                                                                       \
    type __tsan_atomic##bits##_##name(volatile type *address, type operand, int order)                                 \
    {                                                                                                                  \
        return (type)instrument_change(how, address, sizeof(type), operand, order, INSTRUMENT_PLACE);                  \
    }

#define INSTRUMENT_COMPARE(bits, type, name, is_weak)                                                                  \
    int __tsan_atomic##bits##_compare_exchange_##name(volatile type *address, type *expected, type desired, int order, \
                                                      int failure_order)                                               \
    {                                                                                                                  \
        bool swapped = false;                                                                                          \
        struct compare_exchange how = {*expected, desired, order, failure_order, is_weak, expected};                   \
        type found = (type)instrument_compare_exchange(address, sizeof(type), &how, &swapped, INSTRUMENT_PLACE);       \
        if (!swapped)                                                                                                  \
            *expected = found;                                                                                         \
        return swapped;                                                                                                \
    }

#define INSTRUMENT_ATOMICS(bits, type)                                                                                 \
    type __tsan_atomic##bits##_load(const volatile type *address, int order)                                           \
    {                                                                                                                  \
        return (type)instrument_load(address, sizeof(type), order, INSTRUMENT_PLACE);                                  \
    }                                                                                                                  \
    void __tsan_atomic##bits##_store(volatile type *address, type value, int order)                                    \
    {                                                                                                                  \
        instrument_store(address, sizeof(type), value, order, INSTRUMENT_PLACE);                                       \
    }                                                                                                                  \
    INSTRUMENT_CHANGE(bits, type, exchange, CHANGE_SET)                                                                \
    INSTRUMENT_CHANGE(bits, type, fetch_add, CHANGE_ADD)                                                               \
    INSTRUMENT_CHANGE(bits, type, fetch_sub, CHANGE_SUB)                                                               \
    INSTRUMENT_CHANGE(bits, type, fetch_and, CHANGE_AND)                                                               \
    INSTRUMENT_CHANGE(bits, type, fetch_or, CHANGE_OR)                                                                 \
    INSTRUMENT_CHANGE(bits, type, fetch_xor, CHANGE_XOR)                                                               \
    INSTRUMENT_CHANGE(bits, type, fetch_nand, CHANGE_NAND)                                                             \
    INSTRUMENT_COMPARE(bits, type, strong, false)                                                                      \
    INSTRUMENT_COMPARE(bits, type, weak, true)                                                                         \
    type __tsan_atomic##bits##_compare_exchange_val(volatile type *address, type expected, type desired, int order,    \
                                                    int failure_order)                                                 \
    {                                                                                                                  \
        bool swapped = false;                                                                                          \
        struct compare_exchange how = {expected, desired, order, failure_order, false, NULL};                          \
        return (type)instrument_compare_exchange(address, sizeof(type), &how, &swapped, INSTRUMENT_PLACE);             \
    }

INSTRUMENT_ATOMICS(8, uint8_t)
INSTRUMENT_ATOMICS(16, uint16_t)
INSTRUMENT_ATOMICS(32, uint32_t)
INSTRUMENT_ATOMICS(64, uint64_t)

void __tsan_atomic_thread_fence(int order)
{
    instrument_fence(order, INSTRUMENT_PLACE);
}

void __tsan_atomic_signal_fence(int order)
{
    instrument_signal_fence(order, INSTRUMENT_PLACE);
}

#ifdef __SIZEOF_INT128__

/* What they are called with is not looked at. */
#define INSTRUMENT_WIDE(type, name)                                                                                    \
    type __tsan_atomic128_##name(void)                                                                                 \
    {                                                                                                                  \
        instrument_unsupported("an atomic access of 16 bytes", INSTRUMENT_PLACE);                                      \
        return 0;                                                                                                      \
    }

INSTRUMENT_WIDE(unsigned __int128, load)
INSTRUMENT_WIDE(int, store)
INSTRUMENT_WIDE(unsigned __int128, exchange)
INSTRUMENT_WIDE(unsigned __int128, fetch_add)
INSTRUMENT_WIDE(unsigned __int128, fetch_sub)
INSTRUMENT_WIDE(unsigned __int128, fetch_and)
INSTRUMENT_WIDE(unsigned __int128, fetch_or)
INSTRUMENT_WIDE(unsigned __int128, fetch_xor)
INSTRUMENT_WIDE(unsigned __int128, fetch_nand)
INSTRUMENT_WIDE(int, compare_exchange_strong)
INSTRUMENT_WIDE(int, compare_exchange_weak)
INSTRUMENT_WIDE(unsigned __int128, compare_exchange_val)

#endif

/* Plain accesses. */

#define INSTRUMENT_PLAIN(name, size)                                                                                   \
    void __tsan_##name##read##size(void *address)                                                                      \
    {                                                                                                                  \
        instrument_plain(address, size, false, INSTRUMENT_PLACE);                                                      \
    }                                                                                                                  \
    void __tsan_##name##write##size(void *address)                                                                     \
    {                                                                                                                  \
        instrument_plain(address, size, true, INSTRUMENT_PLACE);                                                       \
    }                                                                                                                  \
    void __tsan_##name##read_write##size(void *address)                                                                \
    {                                                                                                                  \
        instrument_plain(address, size, false, INSTRUMENT_PLACE);                                                      \
        instrument_plain(address, size, true, INSTRUMENT_PLACE);                                                       \
    }

#define INSTRUMENT_PLAINS(name)                                                                                        \
    INSTRUMENT_PLAIN(name, 1)                                                                                          \
    INSTRUMENT_PLAIN(name, 2)                                                                                          \
    INSTRUMENT_PLAIN(name, 4)                                                                                          \
    INSTRUMENT_PLAIN(name, 8)                                                                                          \
    INSTRUMENT_PLAIN(name, 16)

INSTRUMENT_PLAINS()
INSTRUMENT_PLAINS(unaligned_)
INSTRUMENT_PLAINS(volatile_)
INSTRUMENT_PLAINS(unaligned_volatile_)

void __tsan_vptr_read(void **address)
{
    instrument_plain(address, sizeof *address, false, INSTRUMENT_PLACE);
}

void __tsan_vptr_update(void **address, void *value)
{
    (void)value;
    instrument_plain(address, sizeof *address, true, INSTRUMENT_PLACE);
}

void __tsan_read_range(void *address, size_t size)
{
    instrument_range(address, size, false, "read", INSTRUMENT_PLACE);
}

void __tsan_write_range(void *address, size_t size)
{
    instrument_range(address, size, true, "write", INSTRUMENT_PLACE);
}

void *__tsan_memset(void *to, int byte, size_t size)
{
    instrument_range(to, size, true, "memset", INSTRUMENT_PLACE);
    return memset(to, byte, size);
}

void *__tsan_memcpy(void *to, const void *from, size_t size)
{
    instrument_range((void *)from, size, false, "memcpy", INSTRUMENT_PLACE);
    instrument_range(to, size, true, "memcpy", INSTRUMENT_PLACE);
    return memcpy(to, from, size);
}

void *__tsan_memmove(void *to, const void *from, size_t size)
{
    instrument_range((void *)from, size, false, "memmove", INSTRUMENT_PLACE);
    instrument_range(to, size, true, "memmove", INSTRUMENT_PLACE);
    return memmove(to, from, size);
}

/* Where functions and the program begin and end: no runtime needs it. */

void __tsan_func_entry(void *caller)
{
    (void)caller;
}

void __tsan_func_exit(void)
{
}

void __tsan_init(void)
{
}
