/* The recorder's threads, and its side of the instrumentation: a thread stands before each of its accesses. */
#include "report/recorder/world.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "instrument/instrument.h"

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

/* Stands before the access until it is told to make it. */
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

/* The page has pictures for four operations on whole words: another one ends the recording. */
static void refuse(const char *what)
{
    fprintf(stderr, "recip-record: the lock makes %s, which the page cannot show\n", what);
    exit(1);
}

static volatile uint64_t *word_at(const volatile void *address, size_t size)
{
    if (size != sizeof(uint64_t))
        refuse("an atomic access of less than eight bytes");
    return (volatile uint64_t *)(uintptr_t)address;
}

/* The places are frames, from which the callers are found: the lock is compiled with frame pointers. */
#define INSTRUMENT_PLACE __builtin_frame_address(0)

INSTRUMENT_HOOK uint64_t instrument_load(const volatile void *address, size_t size, int order, void *place)
{
    volatile uint64_t *word = word_at(address, size);
    stand(place);
    note(LOAD, word, *word, *word, order);
    return *word;
}

INSTRUMENT_HOOK void instrument_store(volatile void *address, size_t size, uint64_t value, int order, void *place)
{
    volatile uint64_t *word = word_at(address, size);
    stand(place);
    note(STORE, word, *word, value, order);
    *word = value;
}

INSTRUMENT_HOOK uint64_t instrument_change(enum change how, volatile void *address, size_t size, uint64_t operand,
                                           int order, void *place)
{
    volatile uint64_t *word = word_at(address, size);
    if (how != CHANGE_SET)
        refuse("a read-modify-write that is neither an exchange nor a compare-and-swap");
    stand(place);
    uint64_t before = *word;
    note(EXCHANGE, word, before, operand, order);
    *word = operand;
    return before;
}

INSTRUMENT_HOOK uint64_t instrument_compare_exchange(volatile void *address, size_t size,
                                                     const struct compare_exchange *how, bool *swapped, void *place)
{
    volatile uint64_t *word = word_at(address, size);
    stand(place);
    uint64_t before = *word;
    *swapped = before == how->expected;
    note(COMPARE, word, before, *swapped ? how->desired : before, how->order);
    *word = last.after;
    return before;
}

INSTRUMENT_HOOK void instrument_fence(int order, void *place)
{
    (void)order;
    (void)place;
    refuse("a fence");
}

/* Plain accesses are to the player's own context: no step of the algorithm. */
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
    refuse(what);
}

#include "instrument/entry-points.h"
