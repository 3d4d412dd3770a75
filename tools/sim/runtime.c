/* What gcc and clang call under -fsanitize=thread in place of an access to memory. The locks are compiled with it and
 * linked with this, not with libtsan, so that every access of the shipped source goes through the simulated machine.
 * Memory orders are not looked at: the machine is sequentially consistent but for its store buffers, which every
 * read-modify-write and every fence empties.
 *
 * gcc names a compare-and-swap ..._compare_exchange_strong and ..._weak, clang ..._compare_exchange_val besides. */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "sim/world.h"

/* Who asks for the access, for the list of events. */
#define ASKED_FOR(operation) world_site(__builtin_return_address(0), operation)

#define MODIFY(bits, type, name, expression)                                                                           \
    type __tsan_atomic##bits##_##name(volatile type *address, type operand, int order);                                \
    type __tsan_atomic##bits##_##name(volatile type *address, type operand, int order)                                 \
    {                                                                                                                  \
        (void)order;                                                                                                   \
        ASKED_FOR(#name);                                                                                              \
        world_modify(address);                                                                                         \
        type old = *address;                                                                                           \
        *address = (type)(expression);                                                                                 \
        world_modified();                                                                                              \
        return old;                                                                                                    \
    }

#define COMPARE(bits, type, name)                                                                                      \
    int __tsan_atomic##bits##_compare_exchange_##name(volatile type *address, type *expected, type desired,            \
                                                      int success, int failure);                                       \
    int __tsan_atomic##bits##_compare_exchange_##name(volatile type *address, type *expected, type desired,            \
                                                      int success, int failure)                                        \
    {                                                                                                                  \
        (void)success;                                                                                                 \
        (void)failure;                                                                                                 \
        ASKED_FOR("compare_exchange");                                                                                 \
        type old = compare##bits(address, *expected, desired);                                                         \
        bool equal = old == *expected;                                                                                 \
        *expected = old;                                                                                               \
        return equal;                                                                                                  \
    }

#define ATOMICS(bits, type)                                                                                            \
    type __tsan_atomic##bits##_load(const volatile type *address, int order);                                          \
    type __tsan_atomic##bits##_load(const volatile type *address, int order)                                           \
    {                                                                                                                  \
        type value;                                                                                                    \
        ASKED_FOR("load");                                                                                             \
        (void)order;                                                                                                   \
        memcpy(&value, world_load(address, sizeof value), sizeof value);                                               \
        return value;                                                                                                  \
    }                                                                                                                  \
    void __tsan_atomic##bits##_store(volatile type *address, type value, int order);                                   \
    void __tsan_atomic##bits##_store(volatile type *address, type value, int order)                                    \
    {                                                                                                                  \
        ASKED_FOR("store");                                                                                            \
        world_store(address, &value, sizeof value);                                                                    \
        if (order == __ATOMIC_SEQ_CST)                                                                                 \
            world_drain();                                                                                             \
    }                                                                                                                  \
    MODIFY(bits, type, exchange, operand)                                                                              \
    MODIFY(bits, type, fetch_add, old + operand)                                                                       \
    MODIFY(bits, type, fetch_sub, old - operand)                                                                       \
    MODIFY(bits, type, fetch_and, old &operand)                                                                        \
    MODIFY(bits, type, fetch_or, old | operand)                                                                        \
    MODIFY(bits, type, fetch_xor, old ^ operand)                                                                       \
    MODIFY(bits, type, fetch_nand, ~(old & operand))                                                                   \
    static type compare##bits(volatile type *address, type expected, type desired)                                     \
    {                                                                                                                  \
        world_modify(address);                                                                                         \
        type old = *address;                                                                                           \
        if (old == expected) {                                                                                         \
            *address = desired;                                                                                        \
            world_modified();                                                                                          \
        }                                                                                                              \
        return old;                                                                                                    \
    }                                                                                                                  \
    type __tsan_atomic##bits##_compare_exchange_val(volatile type *address, type expected, type desired, int success,  \
                                                    int failure);                                                      \
    type __tsan_atomic##bits##_compare_exchange_val(volatile type *address, type expected, type desired, int success,  \
                                                    int failure)                                                       \
    {                                                                                                                  \
        (void)success;                                                                                                 \
        (void)failure;                                                                                                 \
        ASKED_FOR("compare_exchange");                                                                                 \
        return compare##bits(address, expected, desired);                                                              \
    }                                                                                                                  \
    COMPARE(bits, type, strong)                                                                                        \
    COMPARE(bits, type, weak)

ATOMICS(8, uint8_t)
ATOMICS(16, uint16_t)
ATOMICS(32, uint32_t)
ATOMICS(64, uint64_t)

void __tsan_atomic_thread_fence(int order);
void __tsan_atomic_thread_fence(int order)
{
    if (order == __ATOMIC_SEQ_CST)
        world_drain();
}

void __tsan_atomic_signal_fence(int order);
void __tsan_atomic_signal_fence(int order)
{
    (void)order;
}

/* Plain accesses: the call comes first, the access follows in the caller. */
#define PLAIN(name, bytes)                                                                                             \
    void __tsan_##name##read##bytes(void *address);                                                                    \
    void __tsan_##name##read##bytes(void *address)                                                                     \
    {                                                                                                                  \
        ASKED_FOR("read");                                                                                             \
        world_read(address, bytes);                                                                                    \
    }                                                                                                                  \
    void __tsan_##name##write##bytes(void *address);                                                                   \
    void __tsan_##name##write##bytes(void *address)                                                                    \
    {                                                                                                                  \
        ASKED_FOR("write");                                                                                            \
        world_written(address);                                                                                        \
    }

PLAIN(, 1)
PLAIN(, 2)
PLAIN(, 4)
PLAIN(, 8)
PLAIN(, 16)
PLAIN(unaligned_, 2)
PLAIN(unaligned_, 4)
PLAIN(unaligned_, 8)
PLAIN(unaligned_, 16)
PLAIN(volatile_, 1)
PLAIN(volatile_, 2)
PLAIN(volatile_, 4)
PLAIN(volatile_, 8)
PLAIN(volatile_, 16)

/* One access for each word of a range. */
static void range_access(const char *address, size_t size, bool write)
{
    for (size_t offset = 0; offset < size; offset += 8)
        if (write)
            world_written((void *)(address + offset));
        else
            world_read(address + offset, size - offset < 8 ? size - offset : 8);
}

void __tsan_read_range(void *address, size_t size);
void __tsan_read_range(void *address, size_t size)
{
    ASKED_FOR("read");
    range_access(address, size, false);
}

void __tsan_write_range(void *address, size_t size);
void __tsan_write_range(void *address, size_t size)
{
    ASKED_FOR("write");
    range_access(address, size, true);
}

void *__tsan_memset(void *to, int byte, size_t size);
void *__tsan_memset(void *to, int byte, size_t size)
{
    ASKED_FOR("memset");
    range_access(to, size, true);
    return memset(to, byte, size);
}

void *__tsan_memcpy(void *to, const void *from, size_t size);
void *__tsan_memcpy(void *to, const void *from, size_t size)
{
    ASKED_FOR("memcpy");
    range_access(from, size, false);
    range_access(to, size, true);
    return memcpy(to, from, size);
}

void *__tsan_memmove(void *to, const void *from, size_t size);
void *__tsan_memmove(void *to, const void *from, size_t size)
{
    ASKED_FOR("memmove");
    range_access(from, size, false);
    range_access(to, size, true);
    return memmove(to, from, size);
}

void __tsan_init(void);
void __tsan_init(void)
{
}

void __tsan_func_entry(void *caller);
void __tsan_func_entry(void *caller)
{
    (void)caller;
}

void __tsan_func_exit(void);
void __tsan_func_exit(void)
{
}
