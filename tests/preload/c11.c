/* SPDX-License-Identifier: MIT */
/* The mutexes and condition variables of <threads.h>. */
#include "common.h"

#include <threads.h>

static mtx_t mutex;
static cnd_t cond;
static int turn;

static int take_turns(void *of)
{
    int self = of != NULL;
    for (int i = 0; i < 2000; i++) {
        CHECK_IS(mtx_lock(&mutex), thrd_success);
        while (turn != self)
            CHECK_IS(cnd_wait(&cond, &mutex), thrd_success);
        turn = !self;
        CHECK_IS(i % 2 ? cnd_signal(&cond) : cnd_broadcast(&cond), thrd_success);
        CHECK_IS(mtx_unlock(&mutex), thrd_success);
    }
    return self;
}

static int try_elsewhere(void *of)
{
    struct timespec soon = from_now(CLOCK_REALTIME, 5 * MILLISECOND);
    CHECK_IS(mtx_timedlock(of, &soon), thrd_timedout);
    return mtx_trylock(of);
}

static int answer_of(thrd_start_t body, void *argument)
{
    thrd_t thread;
    int answer;
    CHECK_IS(thrd_create(&thread, body, argument), thrd_success);
    CHECK_IS(thrd_join(thread, &answer), thrd_success);
    return answer;
}

static void check_type(int type)
{
    mtx_t own;
    struct timespec soon = from_now(CLOCK_REALTIME, 5 * MILLISECOND);
    CHECK_IS(mtx_init(&own, type), thrd_success);
    CHECK_IS(mtx_lock(&own), thrd_success);
    CHECK_IS(mtx_trylock(&own), type & mtx_recursive ? thrd_success : thrd_busy);
    if (type & mtx_recursive)
        CHECK_IS(mtx_unlock(&own), thrd_success);
    CHECK_IS(answer_of(try_elsewhere, &own), thrd_busy);
    CHECK_IS(cnd_timedwait(&cond, &own, &soon), thrd_timedout);
    CHECK_IS(mtx_unlock(&own), thrd_success);
    mtx_destroy(&own);
}

int main(void)
{
    CHECK_IS(mtx_init(&mutex, mtx_plain), thrd_success);
    CHECK_IS(cnd_init(&cond), thrd_success);
    check_type(mtx_plain);
    check_type(mtx_timed);
    check_type(mtx_plain | mtx_recursive);
    check_type(mtx_timed | mtx_recursive);
    thrd_t threads[2];
    for (int i = 0; i < 2; i++)
        CHECK_IS(thrd_create(&threads[i], take_turns, i ? &turn : NULL), thrd_success);
    for (int i = 0; i < 2; i++)
        CHECK_IS(thrd_join(threads[i], NULL), thrd_success);
    cnd_destroy(&cond);
    mtx_destroy(&mutex);
    return 0;
}
