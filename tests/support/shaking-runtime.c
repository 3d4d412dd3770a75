/* The entry points of the compiler's thread instrumentation, each of which does what it stands for and then, now and
 * then, yields the CPU. A zoo that is compiled with -fsanitize=thread and linked with this instead of the sanitizer's
 * own runtime runs through the races that fit between two instructions and that a test would otherwise hardly ever
 * meet. */
#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

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

/* Stronger orders than asked for would hide nothing here: what is looked for is interleavings, not weak memory. */
#define ATOMICS(bits)                                                                                                  \
    uint##bits##_t __tsan_atomic##bits##_load(const volatile void *at, int order)                                      \
    {                                                                                                                  \
        (void)order;                                                                                                   \
        uint##bits##_t value = atomic_load((const volatile _Atomic(uint##bits##_t) *)at);                              \
        shake();                                                                                                       \
        return value;                                                                                                  \
    }                                                                                                                  \
    void __tsan_atomic##bits##_store(volatile void *at, uint##bits##_t value, int order)                               \
    {                                                                                                                  \
        (void)order;                                                                                                   \
        atomic_store((volatile _Atomic(uint##bits##_t) *)at, value);                                                   \
        shake();                                                                                                       \
    }                                                                                                                  \
    uint##bits##_t __tsan_atomic##bits##_exchange(volatile void *at, uint##bits##_t value, int order)                  \
    {                                                                                                                  \
        (void)order;                                                                                                   \
        value = atomic_exchange((volatile _Atomic(uint##bits##_t) *)at, value);                                        \
        shake();                                                                                                       \
        return value;                                                                                                  \
    }                                                                                                                  \
    uint##bits##_t __tsan_atomic##bits##_fetch_add(volatile void *at, uint##bits##_t value, int order)                 \
    {                                                                                                                  \
        (void)order;                                                                                                   \
        value = atomic_fetch_add((volatile _Atomic(uint##bits##_t) *)at, value);                                       \
        shake();                                                                                                       \
        return value;                                                                                                  \
    }                                                                                                                  \
    uint##bits##_t __tsan_atomic##bits##_fetch_or(volatile void *at, uint##bits##_t value, int order)                  \
    {                                                                                                                  \
        (void)order;                                                                                                   \
        value = atomic_fetch_or((volatile _Atomic(uint##bits##_t) *)at, value);                                        \
        shake();                                                                                                       \
        return value;                                                                                                  \
    }                                                                                                                  \
    uint##bits##_t __tsan_atomic##bits##_fetch_and(volatile void *at, uint##bits##_t value, int order)                 \
    {                                                                                                                  \
        (void)order;                                                                                                   \
        value = atomic_fetch_and((volatile _Atomic(uint##bits##_t) *)at, value);                                       \
        shake();                                                                                                       \
        return value;                                                                                                  \
    }                                                                                                                  \
    int __tsan_atomic##bits##_compare_exchange_strong(volatile void *at, void *expected, uint##bits##_t value,         \
                                                      int order, int failure)                                          \
    {                                                                                                                  \
        (void)order, (void)failure;                                                                                    \
        bool done =                                                                                                    \
            atomic_compare_exchange_strong((volatile _Atomic(uint##bits##_t) *)at, (uint##bits##_t *)expected, value); \
        shake();                                                                                                       \
        return done;                                                                                                   \
    }                                                                                                                  \
    int __tsan_atomic##bits##_compare_exchange_weak(volatile void *at, void *expected, uint##bits##_t value,           \
                                                    int order, int failure)                                            \
    {                                                                                                                  \
        return __tsan_atomic##bits##_compare_exchange_strong(at, expected, value, order, failure);                     \
    }                                                                                                                  \
    uint##bits##_t __tsan_atomic##bits##_compare_exchange_val(volatile void *at, uint##bits##_t expected,              \
                                                              uint##bits##_t value, int order, int failure)            \
    {                                                                                                                  \
        __tsan_atomic##bits##_compare_exchange_strong(at, &expected, value, order, failure);                           \
        return expected;                                                                                               \
    }

ATOMICS(8)
ATOMICS(16)
ATOMICS(32)
ATOMICS(64)

/* Plain accesses, and where functions begin and end. */
#define PLAIN(name)                                                                                                    \
    void __tsan_##name(void *at)                                                                                       \
    {                                                                                                                  \
        (void)at;                                                                                                      \
        shake();                                                                                                       \
    }

PLAIN(read1)
PLAIN(read2)
PLAIN(read4)
PLAIN(read8)
PLAIN(read16)
PLAIN(write1)
PLAIN(write2)
PLAIN(write4)
PLAIN(write8)
PLAIN(write16)
PLAIN(unaligned_read8)
PLAIN(unaligned_read16)
PLAIN(unaligned_write8)
PLAIN(unaligned_write16)

void __tsan_atomic_signal_fence(int order)
{
    (void)order;
}

void __tsan_read_range(void *at, unsigned long size)
{
    (void)at, (void)size;
}

void __tsan_write_range(void *at, unsigned long size)
{
    (void)at, (void)size;
}

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
