/* SPDX-License-Identifier: MIT */
/* Where mutexes and condition variables stand: in memory of zeroes, moved while nobody uses them, a hundred thousand of
 * them, and, on x86, at addresses that are aligned to 4 bytes only. */
#include "common.h"

#include <sys/mman.h>

enum { CROWD = 100000, THREADS = 4, TURNS = 2000 };

struct place {
    pthread_mutex_t mutex;
    pthread_cond_t cond;
    long turn, count;
};

/* All threads in turn, so that all wait, in the mutex and in the condition variable. */
static void *take_turns(void *of)
{
    struct place *place = of;
    CHECK_IS(pthread_mutex_lock(&place->mutex), 0);
    long self = place->count++ % THREADS;
    for (int i = 0; i < TURNS / THREADS; i++) {
        while (place->turn % THREADS != self)
            CHECK_IS(pthread_cond_wait(&place->cond, &place->mutex), 0);
        place->turn++;
        CHECK_IS(pthread_cond_broadcast(&place->cond), 0);
    }
    CHECK_IS(pthread_mutex_unlock(&place->mutex), 0);
    return NULL;
}

static void use(struct place *place)
{
    pthread_t threads[THREADS];
    place->turn = 0;
    for (int i = 0; i < THREADS; i++)
        threads[i] = start(take_turns, place);
    for (int i = 0; i < THREADS; i++)
        finish(threads[i]);
    CHECK_IS(place->turn, TURNS);
}

static void check_zeroes(void)
{
    struct place *place = mmap(NULL, sizeof *place, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    CHECK(place != MAP_FAILED);
    use(place);
    munmap(place, sizeof *place);
}

static void check_moved(int type)
{
    struct place *from = calloc(1, sizeof *from), *to = calloc(1, sizeof *to);
    init_mutex(&from->mutex, type);
    use(from);
    memcpy(to, from, sizeof *to);
    memset(from, 0xa5, sizeof *from);
    use(to);
    CHECK_IS(pthread_mutex_destroy(&to->mutex), 0);
    CHECK_IS(pthread_cond_destroy(&to->cond), 0);
    free(from);
    free(to);
}

static void check_crowd(void)
{
    struct place *crowd = calloc(CROWD, sizeof *crowd);
    CHECK(crowd);
    for (long i = 0; i < CROWD; i++)
        if (i % 3)
            init_mutex(&crowd[i].mutex, i % 3 == 1 ? PTHREAD_MUTEX_RECURSIVE : PTHREAD_MUTEX_NORMAL);
    /* All held at once. */
    for (long i = 0; i < CROWD; i++)
        CHECK_IS(pthread_mutex_lock(&crowd[i].mutex), 0);
    for (long i = 0; i < CROWD; i += CROWD / 20)
        CHECK_IS(elsewhere(call_trylock, &crowd[i].mutex), EBUSY);
    for (long i = 0; i < CROWD; i++)
        CHECK_IS(pthread_mutex_unlock(&crowd[i].mutex), 0);
    use(&crowd[CROWD - 1]);
    for (long i = 0; i < CROWD; i++)
        CHECK_IS(pthread_mutex_destroy(&crowd[i].mutex), 0);
    free(crowd);
}

/* By way of a pointer that says nothing, as a packed structure's member is used. */
static void check_packed(void)
{
#ifdef __x86_64__
    char *memory = aligned_alloc(64, 1024);
    for (int offset = 4; offset <= 64; offset += 4) {
        memset(memory, 0, 1024);
        use((void *)(memory + offset));
    }
    free(memory);
#endif
}

int main(void)
{
    check_zeroes();
    check_moved(PTHREAD_MUTEX_NORMAL);
    check_moved(PTHREAD_MUTEX_RECURSIVE);
    check_moved(PTHREAD_MUTEX_ERRORCHECK);
    check_crowd();
    check_packed();
    return 0;
}
