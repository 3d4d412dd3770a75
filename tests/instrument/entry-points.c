/* SPDX-License-Identifier: MIT */
/* The front of the instrumentation, with a runtime that makes each access and notes what it was told: what
 * every-access.c does comes through with its values, kind, size, order and place. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "instrument/instrument.h"

enum kind { NOTHING, LOAD, STORE, CHANGE, COMPARE, FENCE, SIGNAL_FENCE, PLAIN, RANGE, UNSUPPORTED };

static struct told {
    enum kind kind;
    enum change how;
    const volatile void *address;
    size_t size;
    int order, failure_order;
    bool writes;
    const char *place;
} told;
static unsigned calls;
static const volatile void *unnoticed; /* what a compare-and-swap expects, which clang tells of and gcc does not */

static void tell(struct told one)
{
    if (one.address && one.address == unnoticed)
        return;
    told = one;
    calls++;
}

static uint64_t value_at(const volatile void *address, size_t size)
{
    uint64_t value = 0;
    memcpy(&value, (const void *)address, size);
    return value;
}

static void set_value_at(volatile void *address, size_t size, uint64_t value)
{
    memcpy((void *)address, &value, size);
}

INSTRUMENT_HOOK uint64_t instrument_load(const volatile void *address, size_t size, int order, void *place)
{
    tell((struct told){.kind = LOAD, .address = address, .size = size, .order = order, .place = place});
    return value_at(address, size);
}

INSTRUMENT_HOOK void instrument_store(volatile void *address, size_t size, uint64_t value, int order, void *place)
{
    tell((struct told){.kind = STORE, .address = address, .size = size, .order = order, .place = place});
    set_value_at(address, size, value);
}

INSTRUMENT_HOOK uint64_t instrument_change(enum change how, volatile void *address, size_t size, uint64_t operand,
                                           int order, void *place)
{
    tell((struct told){.kind = CHANGE, .how = how, .address = address, .size = size, .order = order, .place = place});
    uint64_t old = value_at(address, size);
    set_value_at(address, size, change_result(how, old, operand));
    return old;
}

/* A weak one fails at every second attempt. */
INSTRUMENT_HOOK uint64_t instrument_compare_exchange(volatile void *address, size_t size,
                                                     const struct compare_exchange *how, bool *swapped, void *place)
{
    static unsigned weak;
    tell((struct told){.kind = COMPARE,
                       .address = address,
                       .size = size,
                       .order = how->order,
                       .failure_order = how->failure_order,
                       .place = place});
    uint64_t old = value_at(address, size);
    *swapped = old == how->expected && !(how->weak && ++weak % 2);
    if (*swapped)
        set_value_at(address, size, how->desired);
    return old;
}

INSTRUMENT_HOOK void instrument_fence(int order, void *place)
{
    tell((struct told){.kind = FENCE, .order = order, .place = place});
}

INSTRUMENT_HOOK void instrument_signal_fence(int order, void *place)
{
    tell((struct told){.kind = SIGNAL_FENCE, .order = order, .place = place});
}

INSTRUMENT_HOOK void instrument_plain(void *address, size_t size, bool writes, void *place)
{
    tell((struct told){.kind = PLAIN, .address = address, .size = size, .writes = writes, .place = place});
}

INSTRUMENT_HOOK void instrument_range(void *address, size_t size, bool writes, const char *operation, void *place)
{
    (void)operation;
    tell((struct told){.kind = RANGE, .address = address, .size = size, .writes = writes, .place = place});
}

INSTRUMENT_HOOK void instrument_unsupported(const char *what, void *place)
{
    (void)what;
    tell((struct told){.kind = UNSUPPORTED, .place = place});
}

#include "instrument/entry-points.h"

/* Of a function that does nothing but the access, which is therefore within its first bytes. */
static void assert_told(enum kind kind, const void *function, const volatile void *address, size_t size, int order)
{
    assert_int_equal(told.kind, kind);
    assert_ptr_equal(told.address, address);
    assert_int_equal(told.size, size);
    assert_int_equal(told.order, order);
    assert_true(told.place > (const char *)function && told.place < (const char *)function + 200);
    told = (struct told){0};
}

typedef unsigned char byte;
typedef unsigned short half;
typedef unsigned int word;
typedef unsigned long wide;

#define CHANGES(type, name, kind, result)                                                                              \
    {                                                                                                                  \
        type type##_##name(type *at, type value);                                                                      \
        at = old = (type)0xf1f2f3f4f5f6f7f8;                                                                           \
        value = (type)0x1121314151617181;                                                                              \
        assert_true(type##_##name(&at, value) == old);                                                                 \
        assert_true(at == (type)(result));                                                                             \
        assert_int_equal(told.how, kind);                                                                              \
        assert_told(CHANGE, type##_##name, &at, sizeof at, kind == CHANGE_SET ? __ATOMIC_ACQ_REL : __ATOMIC_RELAXED);  \
    }

#define ATOMICS(type)                                                                                                  \
    static void test_atomics_of_##type(void **state)                                                                   \
    {                                                                                                                  \
        type type##_load(type *), at = 5, old, value;                                                                  \
        void type##_store(type *, type);                                                                               \
        int type##_compare(type *, type *, type), type##_compare_weak(type *, type *, type);                           \
        (void)state;                                                                                                   \
        assert_true(type##_load(&at) == 5);                                                                            \
        assert_told(LOAD, type##_load, &at, sizeof at, __ATOMIC_ACQUIRE);                                              \
        type##_store(&at, (type)-2);                                                                                   \
        assert_true(at == (type)-2);                                                                                   \
        assert_told(STORE, type##_store, &at, sizeof at, __ATOMIC_RELEASE);                                            \
        CHANGES(type, exchange, CHANGE_SET, value)                                                                     \
        CHANGES(type, add, CHANGE_ADD, old + value)                                                                    \
        CHANGES(type, sub, CHANGE_SUB, old - value)                                                                    \
        CHANGES(type, and, CHANGE_AND, old &value)                                                                     \
        CHANGES(type, or, CHANGE_OR, old | value)                                                                      \
        CHANGES(type, xor, CHANGE_XOR, old ^ value)                                                                    \
        CHANGES(type, nand, CHANGE_NAND, ~(old & value))                                                               \
        unnoticed = &old;                                                                                              \
        at = (type)-3;                                                                                                 \
        old = 4;                                                                                                       \
        assert_false(type##_compare(&at, &old, 7));                                                                    \
        assert_true(at == (type)-3 && old == (type)-3);                                                                \
        assert_int_equal(told.failure_order, __ATOMIC_ACQUIRE);                                                        \
        assert_told(COMPARE, type##_compare, &at, sizeof at, __ATOMIC_ACQ_REL);                                        \
        assert_true(type##_compare(&at, &old, 7));                                                                     \
        assert_true(at == 7);                                                                                          \
        for (old = 7; !type##_compare_weak(&at, &old, 8);)                                                             \
            assert_true(at == 7 && old == 7);                                                                          \
        assert_true(at == 8);                                                                                          \
        assert_told(COMPARE, type##_compare_weak, &at, sizeof at, __ATOMIC_ACQ_REL);                                   \
        unnoticed = NULL;                                                                                              \
    }

ATOMICS(byte)
ATOMICS(half)
ATOMICS(word)
ATOMICS(wide)

#define PLAINS(type)                                                                                                   \
    static void test_plain_accesses_of_##type(void **state)                                                            \
    {                                                                                                                  \
        type type##_read(type *), type##_volatile_read(volatile type *), at = 5;                                       \
        void type##_write(type *, type), type##_volatile_write(volatile type *, type), type##_increment(type *);       \
        (void)state;                                                                                                   \
        assert_true(type##_read(&at) == 5);                                                                            \
        assert_false(told.writes);                                                                                     \
        assert_told(PLAIN, type##_read, &at, sizeof at, 0);                                                            \
        assert_true(type##_volatile_read(&at) == 5);                                                                   \
        assert_false(told.writes);                                                                                     \
        assert_told(PLAIN, type##_volatile_read, &at, sizeof at, 0);                                                   \
        type##_write(&at, 6);                                                                                          \
        assert_true(told.writes);                                                                                      \
        assert_told(PLAIN, type##_write, &at, sizeof at, 0);                                                           \
        type##_volatile_write(&at, 7);                                                                                 \
        assert_true(told.writes);                                                                                      \
        assert_told(PLAIN, type##_volatile_write, &at, sizeof at, 0);                                                  \
        type##_increment(&at);                                                                                         \
        assert_true(told.writes &&at == 8);                                                                            \
        assert_told(PLAIN, type##_increment, &at, sizeof at, 0);                                                       \
    }

PLAINS(byte)
PLAINS(half)
PLAINS(word)
PLAINS(wide)

/* gcc tells of a range, clang of an unaligned access. */
static void test_unaligned_accesses(void **state)
{
    wide wide_unaligned_read(void *at);
    void wide_unaligned_write(void *at, wide value);
    char memory[16] = {0};
    (void)state;
    wide_unaligned_write(memory, 5);
    assert_true(told.writes);
    assert_told(told.kind == RANGE ? RANGE : PLAIN, wide_unaligned_write, memory + 1, 8, 0);
    assert_int_equal(wide_unaligned_read(memory), 5);
    assert_false(told.writes);
    assert_told(told.kind == RANGE ? RANGE : PLAIN, wide_unaligned_read, memory + 1, 8, 0);
}

static void test_fences(void **state)
{
    void fence(void), signal_fence(void);
    (void)state;
    fence();
    assert_told(FENCE, fence, NULL, 0, __ATOMIC_SEQ_CST);
    signal_fence();
    assert_told(SIGNAL_FENCE, signal_fence, NULL, 0, __ATOMIC_SEQ_CST);
}

/* The functions of the memory family, called as clang 16 calls them. */
static void test_memory_functions(void **state)
{
    char from[] = "abcdefg", to[8];
    (void)state;
    assert_ptr_equal(__tsan_memcpy(to, from, 8), to);
    assert_string_equal(to, "abcdefg");
    assert_true(told.kind == RANGE && told.writes && told.address == to && told.size == 8);
    __tsan_memmove(to + 1, to, 3);
    assert_string_equal(to, "aabcefg");
    __tsan_memset(to, 'x', 2);
    assert_string_equal(to, "xxbcefg");
    assert_true(told.kind == RANGE && told.writes && told.address == to && told.size == 2);
}

#ifdef __SIZEOF_INT128__
static void test_what_is_too_wide(void **state)
{
    (void)state;
    assert_true(__tsan_atomic128_load() == 0);
    assert_int_equal(told.kind, UNSUPPORTED);
}
#endif

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_atomics_of_byte),        cmocka_unit_test(test_atomics_of_half),
        cmocka_unit_test(test_atomics_of_word),        cmocka_unit_test(test_atomics_of_wide),
        cmocka_unit_test(test_plain_accesses_of_byte), cmocka_unit_test(test_plain_accesses_of_half),
        cmocka_unit_test(test_plain_accesses_of_word), cmocka_unit_test(test_plain_accesses_of_wide),
        cmocka_unit_test(test_unaligned_accesses),     cmocka_unit_test(test_fences),
        cmocka_unit_test(test_memory_functions),
#ifdef __SIZEOF_INT128__
        cmocka_unit_test(test_what_is_too_wide),
#endif
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
