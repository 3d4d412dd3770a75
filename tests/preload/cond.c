/* SPDX-License-Identifier: MIT */
/* Condition variables: who is woken, clocks, errors, and destruction as soon as all are signalled. */
#include "common.h"

#include <sys/mman.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t cond = PTHREAD_COND_INITIALIZER;
static int waiting, tickets;

static void *take_ticket(void *of)
{
    pthread_cond_t *on = of ? of : &cond;
    pthread_mutex_lock(&mutex);
    waiting++;
    while (tickets == 0)
        CHECK_IS(pthread_cond_wait(on, &mutex), 0);
    tickets--;
    waiting--;
    pthread_mutex_unlock(&mutex);
    return NULL;
}

static void await_waiters(int count)
{
    for (;;) {
        pthread_mutex_lock(&mutex);
        int now = waiting;
        pthread_mutex_unlock(&mutex);
        if (now == count)
            return;
        usleep(1000);
    }
}

enum { CROWD = 20 };

static void check_signals(void)
{
    pthread_t crowd[CROWD];
    for (int i = 0; i < CROWD; i++)
        crowd[i] = start(take_ticket, NULL);
    await_waiters(CROWD);
    for (int i = 0; i < CROWD / 2; i++) {
        pthread_mutex_lock(&mutex);
        tickets++;
        if (i % 2)
            CHECK_IS(pthread_cond_signal(&cond), 0);
        pthread_mutex_unlock(&mutex);
        if (i % 2 == 0)
            CHECK_IS(pthread_cond_signal(&cond), 0);
    }
    await_waiters(CROWD - CROWD / 2);
    pthread_mutex_lock(&mutex);
    tickets = CROWD - CROWD / 2;
    CHECK_IS(pthread_cond_broadcast(&cond), 0);
    pthread_mutex_unlock(&mutex);
    for (int i = 0; i < CROWD; i++)
        finish(crowd[i]);
    CHECK_IS(tickets, 0);
}

static void check_clock(pthread_cond_t *on, clockid_t clock)
{
    struct timespec end = from_now(clock, 20 * MILLISECOND), past = {1, 0}, before = {-1, 0};
    struct timespec none = {end.tv_sec, 1000000000}, negative = {end.tv_sec, -1};
    pthread_mutex_lock(&mutex);
    CHECK_IS(pthread_cond_timedwait(on, &mutex, &end), ETIMEDOUT);
    CHECK(has_passed(clock, end));
    CHECK_IS(pthread_cond_timedwait(on, &mutex, &past), ETIMEDOUT);
    CHECK_IS(pthread_cond_timedwait(on, &mutex, &before), ETIMEDOUT);
    CHECK_IS(pthread_cond_timedwait(on, &mutex, &none), EINVAL);
    CHECK_IS(pthread_cond_timedwait(on, &mutex, &negative), EINVAL);
    for (clockid_t other = CLOCK_REALTIME; other <= CLOCK_MONOTONIC; other++) {
        end = from_now(other, 10 * MILLISECOND);
        CHECK_IS(pthread_cond_clockwait(on, &mutex, other, &end), ETIMEDOUT);
        CHECK(has_passed(other, end));
    }
    CHECK_IS(pthread_cond_clockwait(on, &mutex, CLOCK_PROCESS_CPUTIME_ID, &end), EINVAL);
    CHECK_IS(elsewhere(call_trylock, &mutex), EBUSY);
    pthread_mutex_unlock(&mutex);
}

static void check_clocks(void)
{
    static const clockid_t clocks[] = {CLOCK_REALTIME, CLOCK_MONOTONIC};
    check_clock(&cond, CLOCK_REALTIME);
    for (int i = 0; i < 2; i++) {
        pthread_cond_t made;
        pthread_condattr_t attributes;
        pthread_condattr_init(&attributes);
        CHECK_IS(pthread_condattr_setclock(&attributes, clocks[i]), 0);
        memset(&made, 0xa5, sizeof made);
        CHECK_IS(pthread_cond_init(&made, &attributes), 0);
        check_clock(&made, clocks[i]);
        CHECK_IS(pthread_cond_destroy(&made), 0);
    }
}

static void check_owner(void)
{
    pthread_mutex_t owned;
    struct timespec past = {1, 0};
    init_mutex(&owned, PTHREAD_MUTEX_ERRORCHECK);
    CHECK_IS(pthread_cond_wait(&cond, &owned), EPERM);
    CHECK_IS(pthread_mutex_lock(&owned), 0);
    CHECK_IS(pthread_cond_timedwait(&cond, &owned, &past), ETIMEDOUT);
    CHECK_IS(pthread_mutex_lock(&owned), EDEADLK);
    CHECK_IS(pthread_mutex_unlock(&owned), 0);
    CHECK_IS(pthread_mutex_destroy(&owned), 0);

    init_mutex(&owned, PTHREAD_MUTEX_RECURSIVE);
    CHECK_IS(pthread_mutex_lock(&owned), 0);
    CHECK_IS(pthread_cond_timedwait(&cond, &owned, &past), ETIMEDOUT);
    CHECK_IS(elsewhere(call_trylock, &owned), EBUSY);
    CHECK_IS(pthread_mutex_unlock(&owned), 0);
    CHECK_IS(elsewhere(call_trylock, &owned), 0);
}

static pthread_cond_t *cond_to_go(void)
{
    pthread_cond_t *made = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    CHECK_IS(pthread_cond_init(made, NULL), 0);
    return made;
}

enum { SEVERAL = 4, ROUNDS = 200 };

/* The condition variable goes, memory and all, as soon as all are signalled, whether or not its destroyer holds the
 * mutex that they need to return. */
static void check_destruction(void)
{
    for (int round = 0; round < ROUNDS; round++) {
        bool hold = round & 1, each = round & 2;
        pthread_t crowd[SEVERAL];
        pthread_cond_t *gone = cond_to_go();
        for (int i = 0; i < SEVERAL; i++)
            crowd[i] = start(take_ticket, gone);
        await_waiters(SEVERAL);
        pthread_mutex_lock(&mutex);
        tickets = SEVERAL;
        if (!hold)
            pthread_mutex_unlock(&mutex);
        for (int i = 0; i < (each ? SEVERAL : 1); i++)
            CHECK_IS(each ? pthread_cond_signal(gone) : pthread_cond_broadcast(gone), 0);
        CHECK_IS(pthread_cond_destroy(gone), 0);
        munmap(gone, 4096);
        if (hold)
            pthread_mutex_unlock(&mutex);
        for (int i = 0; i < SEVERAL; i++)
            finish(crowd[i]);
    }
}

static int begun;

static void *wait_a_moment(void *on)
{
    struct timespec end = from_now(CLOCK_REALTIME, MILLISECOND / 2);
    pthread_mutex_lock(&mutex);
    begun++;
    CHECK_IS(pthread_cond_timedwait(on, &mutex, &end), ETIMEDOUT);
    pthread_mutex_unlock(&mutex);
    return NULL;
}

static bool all_have_begun(void)
{
    pthread_mutex_lock(&mutex);
    bool all = begun == SEVERAL;
    pthread_mutex_unlock(&mutex);
    return all;
}

/* As soon as the time of all is over; until then destroying is refused, or waits. */
static void check_destruction_in_time(void)
{
    for (int round = 0; round < ROUNDS; round++) {
        pthread_t crowd[SEVERAL];
        pthread_cond_t *gone = cond_to_go();
        begun = 0;
        for (int i = 0; i < SEVERAL; i++)
            crowd[i] = start(wait_a_moment, gone);
        while (!all_have_begun())
            ;
        int answer;
        while ((answer = pthread_cond_destroy(gone)) == EBUSY)
            ;
        CHECK_IS(answer, 0);
        munmap(gone, 4096);
        for (int i = 0; i < SEVERAL; i++)
            finish(crowd[i]);
    }
}

enum { ITEMS = 20000, SLOTS = 4, WORKERS = 4 };
static int queue[SLOTS], filled, produced;
static long sum;
static pthread_cond_t not_full = PTHREAD_COND_INITIALIZER, not_empty = PTHREAD_COND_INITIALIZER;

static void *produce(void *of)
{
    (void)of;
    for (;;) {
        pthread_mutex_lock(&mutex);
        while (filled == SLOTS && produced < ITEMS)
            pthread_cond_wait(&not_full, &mutex);
        bool done = produced == ITEMS;
        if (!done)
            queue[filled++] = ++produced;
        else
            pthread_cond_broadcast(&not_full);
        pthread_cond_signal(&not_empty);
        pthread_mutex_unlock(&mutex);
        if (done)
            return NULL;
    }
}

static void *consume(void *of)
{
    (void)of;
    for (int i = 0; i < ITEMS / WORKERS; i++) {
        pthread_mutex_lock(&mutex);
        while (filled == 0)
            pthread_cond_wait(&not_empty, &mutex);
        sum += queue[--filled];
        pthread_cond_signal(&not_full);
        pthread_mutex_unlock(&mutex);
    }
    return NULL;
}

static void check_queue(void)
{
    pthread_t producers[WORKERS], consumers[WORKERS];
    for (int i = 0; i < WORKERS; i++) {
        producers[i] = start(produce, NULL);
        consumers[i] = start(consume, NULL);
    }
    for (int i = 0; i < WORKERS; i++) {
        finish(consumers[i]);
        finish(producers[i]);
    }
    CHECK_IS(sum, (long)ITEMS * (ITEMS + 1) / 2);
}

int main(void)
{
    check_signals();
    check_clocks();
    check_owner();
    check_destruction();
    check_destruction_in_time();
    check_queue();
    return 0;
}
