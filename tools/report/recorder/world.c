/* The recorder's threads, and the functions that gcc and clang call under -fsanitize=thread in place of an access. Only
 * those that the recorded lock needs: another one is missing at link time. */
#include "report/recorder/world.h"

#include <string.h>

static struct world *current;
static struct player *running;
static struct coroutine director;
static struct access last;

struct thread *recorder_thread(void)
{
    return &running->thread;
}

static void run_player(void)
{
    for (;;) {
        if (running->order == ACQUIRE)
            subject_acquire(&current->lock, &running->context);
        else
            subject_release(&current->lock, &running->context);
        running->order = NOTHING;
        coroutine_switch(&running->coroutine, &director);
    }
}

void world_start(struct world *world, int players)
{
    memset(world, 0, sizeof *world);
    current = world;
    for (int i = 0; i < players; i++)
        coroutine_make(&world->players[i].coroutine, world->players[i].stack, sizeof world->players[i].stack,
                       run_player);
}

static void resume(struct player *player)
{
    running = player;
    coroutine_switch(&director, &player->coroutine);
}

struct access world_step(struct world *world, int player)
{
    struct player *chosen = &world->players[player];
    memset(&last, 0, sizeof last);
    resume(chosen);
    if (!last.address) /* it has only just begun, and stands before its first access */
        resume(chosen);
    return last;
}

/* Stands before the access until it is told to make it. The lock is compiled with frame pointers. */
static void stand(void **frame)
{
    coroutine_switch(&running->coroutine, &director);
    for (int i = 0; i < FRAMES; i++, frame = *frame)
        last.frames[i] = frame[1];
}

static void note(enum operation operation, const volatile void *address, uintptr_t before, uintptr_t after, int order)
{
    last.order = order;
    last.operation = operation;
    last.address = (const void *)(uintptr_t)address;
    last.before = before;
    last.after = after;
}

uint64_t __tsan_atomic64_load(const volatile uint64_t *address, int order);
uint64_t __tsan_atomic64_load(const volatile uint64_t *address, int order)
{
    stand(__builtin_frame_address(0));
    note(LOAD, address, *address, *address, order);
    return *address;
}

void __tsan_atomic64_store(volatile uint64_t *address, uint64_t value, int order);
void __tsan_atomic64_store(volatile uint64_t *address, uint64_t value, int order)
{
    stand(__builtin_frame_address(0));
    note(STORE, address, *address, value, order);
    *address = value;
}

uint64_t __tsan_atomic64_exchange(volatile uint64_t *address, uint64_t value, int order);
uint64_t __tsan_atomic64_exchange(volatile uint64_t *address, uint64_t value, int order)
{
    stand(__builtin_frame_address(0));
    uint64_t before = *address;
    note(EXCHANGE, address, before, value, order);
    *address = value;
    return before;
}

static uint64_t compare_exchange(volatile uint64_t *address, uint64_t expected, uint64_t desired, int order,
                                 void **frame)
{
    stand(frame);
    uint64_t before = *address;
    note(COMPARE, address, before, before == expected ? desired : before, order);
    *address = last.after;
    return before;
}

/* clang's. */
uint64_t __tsan_atomic64_compare_exchange_val(volatile uint64_t *address, uint64_t expected, uint64_t desired,
                                              int success, int failure);
uint64_t __tsan_atomic64_compare_exchange_val(volatile uint64_t *address, uint64_t expected, uint64_t desired,
                                              int success, int failure)
{
    (void)failure;
    return compare_exchange(address, expected, desired, success, __builtin_frame_address(0));
}

/* gcc's. */
int __tsan_atomic64_compare_exchange_strong(volatile uint64_t *address, uint64_t *expected, uint64_t desired,
                                            int success, int failure);
int __tsan_atomic64_compare_exchange_strong(volatile uint64_t *address, uint64_t *expected, uint64_t desired,
                                            int success, int failure)
{
    (void)failure;
    uint64_t before = compare_exchange(address, *expected, desired, success, __builtin_frame_address(0));
    bool equal = before == *expected;
    *expected = before;
    return equal;
}

/* Plain accesses are to the player's own context: no step of the algorithm. */
#define PLAIN(name)                                                                                                    \
    void __tsan_##name(void *address);                                                                                 \
    void __tsan_##name(void *address)                                                                                  \
    {                                                                                                                  \
        (void)address;                                                                                                 \
    }

PLAIN(read8)
PLAIN(read16)
PLAIN(write8)
PLAIN(write16)
PLAIN(unaligned_read8)
PLAIN(unaligned_read16)
PLAIN(unaligned_write8)
PLAIN(unaligned_write16)
PLAIN(func_entry)

void __tsan_func_exit(void);
void __tsan_func_exit(void)
{
}

void __tsan_read_range(void *address, size_t size);
void __tsan_read_range(void *address, size_t size)
{
    (void)address;
    (void)size;
}

void __tsan_write_range(void *address, size_t size);
void __tsan_write_range(void *address, size_t size)
{
    (void)address;
    (void)size;
}

void *__tsan_memcpy(void *to, const void *from, size_t size);
void *__tsan_memcpy(void *to, const void *from, size_t size)
{
    return memcpy(to, from, size);
}

void *__tsan_memset(void *to, int byte, size_t size);
void *__tsan_memset(void *to, int byte, size_t size)
{
    return memset(to, byte, size);
}

void __tsan_init(void);
void __tsan_init(void)
{
}
