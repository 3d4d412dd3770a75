/* SPDX-License-Identifier: MIT */
/* Many threads, many mutexes of all types, and a malloc of the program's own that locks: nobody is in together with
 * another, nothing runs out, and no lock allocates by calling malloc. */
#include "common.h"

#include <stdint.h>

/* The program's allocator: from an arena, under a mutex, and proud of it. A lock that calls malloc would come back here
 * and wait for itself. */
static pthread_mutex_t arena_mutex = PTHREAD_MUTEX_INITIALIZER;
static _Alignas(16) unsigned char arena[64 << 20];
static size_t used;

void *malloc(size_t size)
{
    pthread_mutex_lock(&arena_mutex);
    size_t start = (used + 16 + 15) & ~(size_t)15;
    used = start + size;
    pthread_mutex_unlock(&arena_mutex);
    if (used > sizeof arena)
        return NULL;
    ((size_t *)(void *)(arena + start))[-1] = size;
    return arena + start;
}

void free(void *memory)
{
    (void)memory;
}

void *calloc(size_t count, size_t size)
{
    return malloc(count * size);
}

void *realloc(void *memory, size_t size)
{
    void *larger = malloc(size);
    if (memory && larger) {
        size_t before = ((size_t *)memory)[-1];
        memcpy(larger, memory, before < size ? before : size);
    }
    return larger;
}

/* Thread-specific keys from before any constructor: glibc allocates for the value of a key beyond the first 32. */
static void do_nothing(void)
{
}

__attribute__((used)) static void (*take_many_keys(void))(void)
{
    pthread_key_t key;
    for (int i = 0; i < 40; i++)
        pthread_key_create(&key, NULL);
    return do_nothing;
}

/* Its resolver runs when the program is relocated. */
static void resolved_early(void) __attribute__((ifunc("take_many_keys")));

enum { MUTEXES = 1000, THREADS = 64, ROUNDS = 500, SHORT_LIVES = 3000 };

static struct {
    pthread_mutex_t mutex;
    long inside, count;
} places[MUTEXES];

static void *visit(void *seed)
{
    uint32_t random = (uint32_t)(long)seed * 2654435761u + 1;
    for (int round = 0; round < ROUNDS; round++) {
        random = random * 1664525u + 1013904223u;
        unsigned place = (random >> 16) % (round % 2 ? MUTEXES : 3);
        CHECK_IS(pthread_mutex_lock(&places[place].mutex), 0);
        CHECK_IS(places[place].inside++, 0);
        places[place].count++;
        if (round % 100 == 0)
            free(malloc(16));
        CHECK_IS(--places[place].inside, 0);
        CHECK_IS(pthread_mutex_unlock(&places[place].mutex), 0);
    }
    return NULL;
}

static void *short_life(void *of)
{
    (void)of;
    /* Two at once: a queue lock needs a node for each. */
    CHECK_IS(pthread_mutex_lock(&places[0].mutex), 0);
    CHECK_IS(pthread_mutex_lock(&places[1].mutex), 0);
    CHECK_IS(pthread_mutex_unlock(&places[0].mutex), 0);
    CHECK_IS(pthread_mutex_unlock(&places[1].mutex), 0);
    return NULL;
}

int main(void)
{
    static const int types[] = {PTHREAD_MUTEX_NORMAL, PTHREAD_MUTEX_RECURSIVE, PTHREAD_MUTEX_ERRORCHECK,
                                PTHREAD_MUTEX_ADAPTIVE_NP};
    resolved_early();
    for (int i = 0; i < MUTEXES; i++)
        init_mutex(&places[i].mutex, types[i % 4]);
    pthread_t threads[THREADS];
    for (long i = 0; i < THREADS; i++)
        threads[i] = start(visit, (void *)i);
    for (int i = 0; i < THREADS; i++)
        finish(threads[i]);
    long sum = 0;
    for (int i = 0; i < MUTEXES; i++)
        sum += places[i].count;
    CHECK_IS(sum, (long)THREADS * ROUNDS);
    for (int i = 0; i < SHORT_LIVES; i++)
        finish(start(short_life, NULL));
    /* All held at once by one thread. */
    for (int i = 0; i < MUTEXES; i++)
        CHECK_IS(pthread_mutex_lock(&places[i].mutex), 0);
    for (int i = 0; i < MUTEXES; i++)
        CHECK_IS(pthread_mutex_unlock(&places[i].mutex), 0);
    for (int i = 0; i < MUTEXES; i++)
        CHECK_IS(pthread_mutex_destroy(&places[i].mutex), 0);
    return 0;
}
