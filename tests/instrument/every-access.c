/* SPDX-License-Identifier: MIT */
/* One access of every kind that the compilers tell apart. Compiled as C and as C++, with -fsanitize=thread. */
#ifdef __cplusplus
extern "C" {
#endif

typedef unsigned char byte;
typedef unsigned short half;
typedef unsigned int word;
typedef unsigned long wide;

#define ATOMICS(type)                                                                                                  \
    type type##_load(type *at)                                                                                         \
    {                                                                                                                  \
        return __atomic_load_n(at, __ATOMIC_ACQUIRE);                                                                  \
    }                                                                                                                  \
    void type##_store(type *at, type value)                                                                            \
    {                                                                                                                  \
        __atomic_store_n(at, value, __ATOMIC_RELEASE);                                                                 \
    }                                                                                                                  \
    type type##_exchange(type *at, type value)                                                                         \
    {                                                                                                                  \
        return __atomic_exchange_n(at, value, __ATOMIC_ACQ_REL);                                                       \
    }                                                                                                                  \
    type type##_add(type *at, type value)                                                                              \
    {                                                                                                                  \
        return __atomic_fetch_add(at, value, __ATOMIC_RELAXED);                                                        \
    }                                                                                                                  \
    type type##_sub(type *at, type value)                                                                              \
    {                                                                                                                  \
        return __atomic_fetch_sub(at, value, __ATOMIC_RELAXED);                                                        \
    }                                                                                                                  \
    type type##_and(type *at, type value)                                                                              \
    {                                                                                                                  \
        return __atomic_fetch_and(at, value, __ATOMIC_RELAXED);                                                        \
    }                                                                                                                  \
    type type##_or(type *at, type value)                                                                               \
    {                                                                                                                  \
        return __atomic_fetch_or(at, value, __ATOMIC_RELAXED);                                                         \
    }                                                                                                                  \
    type type##_xor(type *at, type value)                                                                              \
    {                                                                                                                  \
        return __atomic_fetch_xor(at, value, __ATOMIC_RELAXED);                                                        \
    }                                                                                                                  \
    type type##_nand(type *at, type value)                                                                             \
    {                                                                                                                  \
        return __atomic_fetch_nand(at, value, __ATOMIC_RELAXED);                                                       \
    }                                                                                                                  \
    int type##_compare(type *at, type *expected, type desired)                                                         \
    {                                                                                                                  \
        return __atomic_compare_exchange_n(at, expected, desired, 0, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE);              \
    }                                                                                                                  \
    int type##_compare_weak(type *at, type *expected, type desired)                                                    \
    {                                                                                                                  \
        return __atomic_compare_exchange_n(at, expected, desired, 1, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE);              \
    }

ATOMICS(byte)
ATOMICS(half)
ATOMICS(word)
ATOMICS(wide)

typedef __attribute__((aligned(16))) unsigned __int128 huge;
#ifdef HUGE_ATOMICS
ATOMICS(huge)
#endif

void fence(void)
{
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
}

void signal_fence(void)
{
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
}

#define PLAINS(type)                                                                                                   \
    type type##_read(type *at)                                                                                         \
    {                                                                                                                  \
        return *at;                                                                                                    \
    }                                                                                                                  \
    void type##_write(type *at, type value)                                                                            \
    {                                                                                                                  \
        *at = value;                                                                                                   \
    }                                                                                                                  \
    void type##_increment(type *at)                                                                                    \
    {                                                                                                                  \
        ++*at;                                                                                                         \
    }                                                                                                                  \
    type type##_volatile_read(volatile type *at)                                                                       \
    {                                                                                                                  \
        return *at;                                                                                                    \
    }                                                                                                                  \
    void type##_volatile_write(volatile type *at, type value)                                                          \
    {                                                                                                                  \
        *at = value;                                                                                                   \
    }                                                                                                                  \
    struct type##_unaligned {                                                                                          \
        byte before;                                                                                                   \
        type value;                                                                                                    \
    } __attribute__((packed));                                                                                         \
    type type##_unaligned_read(struct type##_unaligned *at)                                                            \
    {                                                                                                                  \
        return at->value;                                                                                              \
    }                                                                                                                  \
    void type##_unaligned_write(struct type##_unaligned *at, type value)                                               \
    {                                                                                                                  \
        at->value = value;                                                                                             \
    }                                                                                                                  \
    void type##_unaligned_increment(struct type##_unaligned *at)                                                       \
    {                                                                                                                  \
        ++at->value;                                                                                                   \
    }                                                                                                                  \
    type type##_unaligned_volatile_read(volatile struct type##_unaligned *at)                                          \
    {                                                                                                                  \
        return at->value;                                                                                              \
    }                                                                                                                  \
    void type##_unaligned_volatile_write(volatile struct type##_unaligned *at, type value)                             \
    {                                                                                                                  \
        at->value = value;                                                                                             \
    }

PLAINS(byte)
PLAINS(half)
PLAINS(word)
PLAINS(wide)
PLAINS(huge)

struct piece {
    byte bytes[300];
};

void piece_copy(struct piece *to, const struct piece *from)
{
    *to = *from;
}

void piece_clear(struct piece *at)
{
    __builtin_memset(at, 0, sizeof *at);
}

void piece_move(struct piece *at, wide size)
{
    __builtin_memmove(at->bytes + 1, at->bytes, size);
}

#ifdef __cplusplus
}

struct base {
    virtual ~base();
    virtual int answer();
};

base::~base()
{
}

int base::answer()
{
    return 1;
}

int ask(base *one)
{
    return one->answer();
}
#endif
