/* The entry points that gcc and clang call under -fsanitize=thread, and the one of -fsanitize-coverage=trace-pc. */
#include "check/runtime.h"

#include <stdbool.h>
#include <string.h>

#include "check/engine/engine.h"

#define HERE __builtin_return_address(0)

/* Sites and blocks: sets of places, by open addressing, of one lock at a time, which has a few hundred. */
enum { SITES = 1 << 13, BLOCKS = 1 << 12, MOST_WEAKENED = 256 };

static struct site site_table[SITES], site_list[SITES];
static bool noting;

static const void *weakened[MOST_WEAKENED];
static size_t weakened_count;
static char weakened_kind;
static int weakened_order;

static unsigned slot_of(const void *place, unsigned size)
{
    return (unsigned)((uintptr_t)place * UINT64_C(0x9e3779b97f4a7c15) >> 40) % size;
}

static void note_site(const void *place, int order, char kind)
{
    if (!noting)
        return;
    unsigned slot = slot_of(place, SITES);
    while (site_table[slot].place && (site_table[slot].place != place || site_table[slot].kind != kind))
        slot = (slot + 1) % SITES;
    site_table[slot] = (struct site){place, order, kind};
}

const struct site *runtime_sites(size_t *count)
{
    *count = 0;
    for (unsigned i = 0; i < SITES; i++)
        if (site_table[i].place)
            site_list[(*count)++] = site_table[i];
    return site_list;
}

void runtime_note_sites(int on)
{
    if (on)
        memset(site_table, 0, sizeof site_table);
    noting = on;
}

void runtime_weaken(const void *const *places, size_t count, char kind, int order)
{
    weakened_count = count < MOST_WEAKENED ? count : MOST_WEAKENED;
    weakened_kind = kind;
    weakened_order = order;
    for (size_t i = 0; i < weakened_count; i++)
        weakened[i] = places[i];
}

static uint8_t order_at(const void *place, int order, char kind)
{
    note_site(place, order, kind);
    for (size_t i = 0; i < weakened_count; i++)
        if (weakened[i] == place && weakened_kind == kind)
            return (uint8_t)weakened_order;
    return (uint8_t)order;
}

static uint64_t load(const volatile void *address, unsigned size, int order, const void *place)
{
    bool swapped = false;
    return engine_access(&(struct operation){.action = ACTION_LOAD,
                                             .order = order_at(place, order, 'l'),
                                             .size = (uint8_t)size,
                                             .address = (uintptr_t)address,
                                             .place = place},
                         &swapped);
}

static void store(volatile void *address, unsigned size, uint64_t value, int order, const void *place)
{
    bool swapped = false;
    engine_access(&(struct operation){.action = ACTION_STORE,
                                      .order = order_at(place, order, 's'),
                                      .size = (uint8_t)size,
                                      .address = (uintptr_t)address,
                                      .operand = value,
                                      .place = place},
                  &swapped);
}

static uint64_t change(enum change how, volatile void *address, unsigned size, uint64_t value, int order,
                       const void *place)
{
    bool swapped = false;
    return engine_access(&(struct operation){.action = ACTION_CHANGE,
                                             .change = how,
                                             .order = order_at(place, order, 'x'),
                                             .size = (uint8_t)size,
                                             .address = (uintptr_t)address,
                                             .operand = value,
                                             .place = place},
                         &swapped);
}

struct swap {
    uint64_t expected, desired;
    int order, failure_order;
    bool weak;
};

static uint64_t compare(volatile void *address, unsigned size, const struct swap *swap, bool *swapped,
                        const void *place)
{
    return engine_access(&(struct operation){.action = ACTION_COMPARE,
                                             .order = order_at(place, swap->order, 'c'),
                                             .failure_order = order_at(place, swap->failure_order, 'f'),
                                             .size = (uint8_t)size,
                                             .weak = swap->weak,
                                             .address = (uintptr_t)address,
                                             .operand = swap->desired,
                                             .expected = swap->expected,
                                             .place = place},
                         swapped);
}

#define CHANGE(bits, type, name, how)                                                                                  \
    type __tsan_atomic##bits##_##name(volatile type *address, type value, int order)                                   \
    {                                                                                                                  \
        return (type)change(how, address, sizeof(type), value, order, HERE);                                           \
    }

#define COMPARE(bits, type, name, is_weak)                                                                             \
    int __tsan_atomic##bits##_compare_exchange_##name(volatile type *address, type *expected, type desired, int order, \
                                                      int failure_order)                                               \
    {                                                                                                                  \
        bool swapped = false;                                                                                          \
        struct swap swap = {*expected, desired, order, failure_order, is_weak};                                        \
        type found = (type)compare(address, sizeof(type), &swap, &swapped, HERE);                                      \
        if (!swapped)                                                                                                  \
            *expected = found;                                                                                         \
        return swapped;                                                                                                \
    }

#define ATOMICS(bits, type)                                                                                            \
    type __tsan_atomic##bits##_load(const volatile type *address, int order)                                           \
    {                                                                                                                  \
        return (type)load(address, sizeof(type), order, HERE);                                                         \
    }                                                                                                                  \
    void __tsan_atomic##bits##_store(volatile type *address, type value, int order)                                    \
    {                                                                                                                  \
        store(address, sizeof(type), value, order, HERE);                                                              \
    }                                                                                                                  \
    CHANGE(bits, type, exchange, CHANGE_SET)                                                                           \
    CHANGE(bits, type, fetch_add, CHANGE_ADD)                                                                          \
    CHANGE(bits, type, fetch_sub, CHANGE_SUB)                                                                          \
    CHANGE(bits, type, fetch_and, CHANGE_AND)                                                                          \
    CHANGE(bits, type, fetch_or, CHANGE_OR)                                                                            \
    CHANGE(bits, type, fetch_xor, CHANGE_XOR)                                                                          \
    CHANGE(bits, type, fetch_nand, CHANGE_NAND)                                                                        \
    COMPARE(bits, type, strong, false)                                                                                 \
    COMPARE(bits, type, weak, true)                                                                                    \
    type __tsan_atomic##bits##_compare_exchange_val(volatile type *address, type expected, type desired, int order,    \
                                                    int failure_order)                                                 \
    {                                                                                                                  \
        bool swapped = false;                                                                                          \
        struct swap swap = {expected, desired, order, failure_order, false};                                           \
        return (type)compare(address, sizeof(type), &swap, &swapped, HERE);                                            \
    }

ATOMICS(8, uint8_t)
ATOMICS(16, uint16_t)
ATOMICS(32, uint32_t)
ATOMICS(64, uint64_t)

void __tsan_atomic_thread_fence(int order)
{
    engine_fence(order, HERE);
}

void __tsan_atomic_signal_fence(int order)
{
    (void)order;
}

#define PLAIN(size)                                                                                                    \
    void __tsan_read##size(void *address)                                                                              \
    {                                                                                                                  \
        engine_plain((uintptr_t)address, size, false, HERE);                                                           \
    }                                                                                                                  \
    void __tsan_write##size(void *address)                                                                             \
    {                                                                                                                  \
        engine_plain((uintptr_t)address, size, true, HERE);                                                            \
    }                                                                                                                  \
    void __tsan_read_write##size(void *address)                                                                        \
    {                                                                                                                  \
        engine_plain((uintptr_t)address, size, true, HERE);                                                            \
    }

#define UNALIGNED(size)                                                                                                \
    void __tsan_unaligned_read##size(void *address)                                                                    \
    {                                                                                                                  \
        engine_plain((uintptr_t)address, size, false, HERE);                                                           \
    }                                                                                                                  \
    void __tsan_unaligned_write##size(void *address)                                                                   \
    {                                                                                                                  \
        engine_plain((uintptr_t)address, size, true, HERE);                                                            \
    }                                                                                                                  \
    void __tsan_unaligned_read_write##size(void *address)                                                              \
    {                                                                                                                  \
        engine_plain((uintptr_t)address, size, true, HERE);                                                            \
    }

PLAIN(1)
PLAIN(2)
PLAIN(4)
PLAIN(8)
PLAIN(16)
UNALIGNED(2)
UNALIGNED(4)
UNALIGNED(8)
UNALIGNED(16)

void __tsan_read_range(void *address, size_t size)
{
    engine_plain((uintptr_t)address, size, false, HERE);
}

void __tsan_write_range(void *address, size_t size)
{
    engine_plain((uintptr_t)address, size, true, HERE);
}

void *__tsan_memset(void *to, int byte, size_t size)
{
    engine_plain((uintptr_t)to, size, true, HERE);
    return memset(to, byte, size);
}

void *__tsan_memcpy(void *to, const void *from, size_t size)
{
    engine_plain((uintptr_t)from, size, false, HERE);
    engine_plain((uintptr_t)to, size, true, HERE);
    return memcpy(to, from, size);
}

void *__tsan_memmove(void *to, const void *from, size_t size)
{
    engine_plain((uintptr_t)from, size, false, HERE);
    engine_plain((uintptr_t)to, size, true, HERE);
    return memmove(to, from, size);
}

void __tsan_vptr_read(void **address)
{
    engine_plain((uintptr_t)address, sizeof *address, false, HERE);
}

void __tsan_vptr_update(void **address, void *value)
{
    (void)value;
    engine_plain((uintptr_t)address, sizeof *address, true, HERE);
}

void __tsan_init(void)
{
}

void __tsan_func_entry(void *caller)
{
    (void)caller;
}

void __tsan_func_exit(void)
{
}

static const void *block_table[BLOCKS], *block_list[BLOCKS];
static bool covering;

void runtime_cover(int on)
{
    covering = on;
}

void runtime_forget_blocks(void)
{
    memset(block_table, 0, sizeof block_table);
}

size_t runtime_blocks(const void *const **blocks)
{
    size_t count = 0;
    for (unsigned i = 0; i < BLOCKS; i++)
        if (block_table[i])
            block_list[count++] = block_table[i];
    *blocks = block_list;
    return count;
}

void __sanitizer_cov_trace_pc(void)
{
    if (!covering)
        return;
    const void *place = HERE;
    unsigned slot = slot_of(place, BLOCKS);
    while (block_table[slot] && block_table[slot] != place)
        slot = (slot + 1) % BLOCKS;
    block_table[slot] = place;
}
