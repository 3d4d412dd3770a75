/* SPDX-License-Identifier: MIT */
/* watch WHAT: what RECIP_WATCH has to report, or must not. A deadlock is ended by _exit, as soon as all of its threads
 * sleep and the file descriptor 2 has got a report; the others end by themselves. */
#include "common.h"

#include <signal.h>
#include <stdatomic.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>

static pthread_mutex_t bread = PTHREAD_MUTEX_INITIALIZER, butter = PTHREAD_MUTEX_INITIALIZER,
                       cheese = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t tables[8];
static pthread_cond_t served = PTHREAD_COND_INITIALIZER;
static pthread_barrier_t all_hold_one;

static void lock(pthread_mutex_t *mutex)
{
    CHECK_IS(pthread_mutex_lock(mutex), 0);
}

static void unlock(pthread_mutex_t *mutex)
{
    CHECK_IS(pthread_mutex_unlock(mutex), 0);
}

/* ---- Deadlocks ---- */

struct pair {
    const char *name;
    pthread_mutex_t *first, *second;
};

__attribute__((noinline)) static void take_second(pthread_mutex_t *mutex)
{
    lock(mutex);
    __asm__ volatile("" ::: "memory");
}

static void *take_both(void *of)
{
    const struct pair *pair = of;
    prctl(PR_SET_NAME, pair->name);
    lock(pair->first);
    pthread_barrier_wait(&all_hold_one);
    take_second(pair->second);
    return NULL;
}

/* stderr is a file: until it has a report, and that is whole. */
static _Noreturn void end_after_report(void)
{
    struct stat before = {0}, now = {0};
    do {
        before = now;
        usleep(300000);
        CHECK_IS(fstat(STDERR_FILENO, &now), 0);
    } while (now.st_size == 0 || now.st_size != before.st_size);
    _exit(0);
}

static _Noreturn void deadlock(struct pair *pairs, unsigned count)
{
    pthread_barrier_init(&all_hold_one, NULL, count);
    for (unsigned i = 0; i < count; i++)
        start(take_both, &pairs[i]);
    end_after_report();
}

static _Noreturn void deadlock_of_two(void)
{
    struct pair pairs[] = {{"baker", &bread, &butter}, {"dairyman", &butter, &bread}};
    deadlock(pairs, 2);
}

/* The first thread ends before. */
static _Noreturn void deadlock_of_others(void)
{
    static struct pair pairs[] = {{"baker", &bread, &butter}, {"dairyman", &butter, &bread}};
    pthread_barrier_init(&all_hold_one, NULL, 2);
    start(take_both, &pairs[0]);
    start(take_both, &pairs[1]);
    pthread_exit(NULL);
}

static _Noreturn void deadlock_of_three(void)
{
    struct pair pairs[] = {{"one", &bread, &butter}, {"two", &butter, &cheese}, {"three", &cheese, &bread}};
    deadlock(pairs, 3);
}

static void *take_twice(void *argument)
{
    lock(&bread);
    take_second(&bread);
    return argument;
}

static _Noreturn void deadlock_of_one(void)
{
    start(take_twice, NULL);
    end_after_report();
}

/* The owner ends without unlocking. */
static void *take_and_end(void *argument)
{
    lock(&bread);
    return argument;
}

static _Noreturn void owner_ended(void)
{
    finish(start(take_and_end, NULL));
    take_second(&bread);
    end_after_report();
}

/* The signal moves the waiter to `bread`, whose owner then waits for what the waiter holds. */
static bool is_served;

static void *wait_for_signal(void *argument)
{
    prctl(PR_SET_NAME, "guest");
    lock(&butter);
    lock(&bread);
    pthread_barrier_wait(&all_hold_one);
    while (!is_served)
        CHECK_IS(pthread_cond_wait(&served, &bread), 0);
    return argument;
}

static void *signal_and_wait(void *argument)
{
    prctl(PR_SET_NAME, "waiter");
    pthread_barrier_wait(&all_hold_one);
    lock(&bread);
    is_served = true;
    CHECK_IS(pthread_cond_signal(&served), 0);
    take_second(&butter);
    return argument;
}

static _Noreturn void deadlock_by_signal(void)
{
    pthread_barrier_init(&all_hold_one, NULL, 2);
    start(wait_for_signal, NULL);
    start(signal_and_wait, NULL);
    end_after_report();
}

/* ---- Orders ---- */

__attribute__((noinline)) static void in_order(pthread_mutex_t *first, pthread_mutex_t *second)
{
    lock(first);
    lock(second);
    unlock(second);
    unlock(first);
    __asm__ volatile("" ::: "memory"); /* no tail call, here and below */
}

__attribute__((noinline)) static void spread(void)
{
    in_order(&bread, &butter);
    __asm__ volatile("" ::: "memory");
}

__attribute__((noinline)) static void cook(void)
{
    in_order(&butter, &bread);
    __asm__ volatile("" ::: "memory");
}

__attribute__((noinline)) static void inversion(void)
{
    for (int i = 0; i < 3; i++) {
        spread();
        cook();
    }
}

static void inversion_of_three(void)
{
    in_order(&bread, &butter);
    in_order(&butter, &cheese);
    in_order(&cheese, &bread);
}

/* Two mutexes of one array. */
static void inversion_within_class(void)
{
    in_order(&tables[1], &tables[2]);
    in_order(&tables[2], &tables[3]);
    in_order(&tables[2], &tables[1]);
}

/* A trylock cannot wait, so this order is none. */
static void trylocks(void)
{
    in_order(&bread, &butter);
    lock(&butter);
    CHECK_IS(pthread_mutex_trylock(&bread), 0);
    unlock(&bread);
    unlock(&butter);
    in_order(&bread, &butter);
}

/* But what is taken while it is held is taken in order. */
static void inversion_by_trylock(void)
{
    in_order(&bread, &butter);
    CHECK_IS(pthread_mutex_trylock(&butter), 0);
    lock(&bread);
    unlock(&bread);
    unlock(&butter);
}

/* Not held any more: unlocked in another order, by another thread, or by a condition variable. */
static void released(void)
{
    lock(&bread);
    lock(&butter);
    unlock(&bread);
    unlock(&butter);
    in_order(&cheese, &bread);
    lock(&bread);
    CHECK_IS(elsewhere(call_unlock, &bread), 0);
    lock(&cheese);
    unlock(&cheese);
    struct timespec time = from_now(CLOCK_REALTIME, MILLISECOND);
    lock(&bread);
    CHECK_IS(pthread_cond_timedwait(&served, &bread, &time), ETIMEDOUT);
    unlock(&bread);
    lock(&cheese);
    unlock(&cheese);
}

/* ---- Long waits ---- */

static void *hold_until_reported(void *argument)
{
    struct stat now;
    prctl(PR_SET_NAME, "holder");
    lock(&bread);
    pthread_barrier_wait(&all_hold_one);
    do {
        usleep(10000);
        CHECK_IS(fstat(STDERR_FILENO, &now), 0);
    } while (now.st_size == 0);
    unlock(&bread);
    return argument;
}

static void long_wait(void)
{
    pthread_barrier_init(&all_hold_one, NULL, 2);
    pthread_t holder = start(hold_until_reported, NULL);
    pthread_barrier_wait(&all_hold_one);
    take_second(&bread);
    unlock(&bread);
    finish(holder);
}

/* ---- For recip who ---- */

__attribute__((noinline)) static void wait_for_ever(void)
{
    lock(&bread);
    while (!is_served)
        CHECK_IS(pthread_cond_wait(&served, &bread), 0);
    unlock(&bread);
}

/* ---- On and off ---- */

/* Watching begins while `bread` is held, and ends while `butter` is. */
static void switched(void)
{
    lock(&bread);
    CHECK_IS(raise(SIGRTMAX - 2), 0);
    lock(&butter);
    unlock(&butter);
    unlock(&bread);
    spread();
    lock(&butter);
    CHECK_IS(raise(SIGRTMAX - 2), 0);
    lock(&bread);
    unlock(&bread);
    unlock(&butter);
    in_order(&cheese, &bread);
    CHECK_IS(raise(SIGRTMAX - 2), 0);
    in_order(&bread, &cheese);
    cook();
}

static void *work(void *argument)
{
    for (int i = 0; i < 20000; i++) {
        lock(&tables[i % 8]);
        lock(&cheese);
        unlock(&cheese);
        unlock(&tables[i % 8]);
    }
    return argument;
}

/* Switched all the time while threads lock. */
static void switching(void)
{
    pthread_t threads[4];
    for (int i = 0; i < 4; i++)
        threads[i] = start(work, NULL);
    for (int i = 0; i < 301; i++) {
        CHECK_IS(raise(SIGRTMAX - 2), 0);
        usleep(100);
    }
    for (int i = 0; i < 4; i++)
        finish(threads[i]);
}

static void work_of_four(void)
{
    pthread_t threads[4];
    for (int i = 0; i < 4; i++)
        threads[i] = start(work, NULL);
    for (int i = 0; i < 4; i++)
        finish(threads[i]);
}

static const struct {
    const char *name;
    void (*run)(void);
} all[] = {
    {"deadlock-of-one", deadlock_of_one},
    {"deadlock-of-two", deadlock_of_two},
    {"deadlock-of-three", deadlock_of_three},
    {"deadlock-of-others", deadlock_of_others},
    {"deadlock-by-signal", deadlock_by_signal},
    {"owner-ended", owner_ended},
    {"inversion", inversion},
    {"inversion-of-three", inversion_of_three},
    {"inversion-within-class", inversion_within_class},
    {"inversion-by-trylock", inversion_by_trylock},
    {"trylocks", trylocks},
    {"released", released},
    {"long-wait", long_wait},
    {"no-signal", wait_for_ever},
    {"switched", switched},
    {"switching", switching},
    {"work", work_of_four},
};

int main(int count, char **arguments)
{
    CHECK_IS(count, 2);
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        if (strcmp(all[i].name, arguments[1]) == 0) {
            all[i].run();
            return 0;
        }
    return 2;
}
