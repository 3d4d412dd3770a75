/* SPDX-License-Identifier: MIT */
/* pthread-calls CASE [SECONDS]: what a call of <pthread.h> costs, in nanoseconds, on whichever library answers it. An
 * ordinary pthread program: tools/bench/programs.sh compares the system's own with ours by `recip run --compare`. */
#include <pthread.h>
#include <semaphore.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { BATCH = 1000, SLOTS = 64, MAX_THREADS = 64 };

static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec * 1e9 + (double)time.tv_nsec;
}

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t cond = PTHREAD_COND_INITIALIZER, other = PTHREAD_COND_INITIALIZER;

/* ---- One thread ---- */

static void pair(void)
{
    pthread_mutex_lock(&mutex);
    pthread_mutex_unlock(&mutex);
}

/* Two acquisitions, one inside the other. */
static void nested(void)
{
    pthread_mutex_lock(&mutex);
    pthread_mutex_lock(&mutex);
    pthread_mutex_unlock(&mutex);
    pthread_mutex_unlock(&mutex);
}

static void try(void)
{
    (void)pthread_mutex_trylock(&mutex);
    pthread_mutex_unlock(&mutex);
}

/* The mutex is held: the answer is EBUSY. */
static void try_held(void)
{
    (void)pthread_mutex_trylock(&mutex);
}

static void timed(void)
{
    static const struct timespec never = {.tv_sec = 1L << 40};
    pthread_mutex_timedlock(&mutex, &never);
    pthread_mutex_unlock(&mutex);
}

static void idle_signal(void)
{
    pthread_cond_signal(&cond);
}

static void idle_broadcast(void)
{
    pthread_cond_broadcast(&cond);
}

/* As a queue does that nobody waits for. */
static void locked_signal(void)
{
    pthread_mutex_lock(&mutex);
    pthread_cond_signal(&cond);
    pthread_mutex_unlock(&mutex);
}

/* The time is over already. */
static void timed_wait(void)
{
    static const struct timespec past = {.tv_sec = 1};
    pthread_mutex_lock(&mutex);
    pthread_cond_timedwait(&cond, &mutex, &past);
    pthread_mutex_unlock(&mutex);
}

static void make(void)
{
    pthread_mutex_t made;
    pthread_mutex_init(&made, NULL);
    pthread_mutex_lock(&made);
    pthread_mutex_unlock(&made);
    pthread_mutex_destroy(&made);
}

static sem_t semaphore;

static void sem_pair(void)
{
    sem_post(&semaphore);
    sem_wait(&semaphore);
}

static inline __attribute__((always_inline)) double alone(void (*body)(void), double seconds)
{
    double begin = now(), end = begin + seconds * 1e9, time;
    long count = 0;
    do {
        for (int i = 0; i < BATCH; i++)
            body();
        count += BATCH;
    } while ((time = now()) < end);
    return (time - begin) / (double)count;
}

/* Each in a loop of its own, so that it costs nothing beside the calls. */
#define ALONE(body)                                                                                                    \
    static double alone_##body(double seconds)                                                                         \
    {                                                                                                                  \
        return alone(body, seconds);                                                                                   \
    }
ALONE(pair)
ALONE(nested)
ALONE(try)
ALONE(try_held)
ALONE(timed)
ALONE(make)
ALONE(idle_signal)
ALONE(idle_broadcast)
ALONE(locked_signal)
ALONE(timed_wait)
ALONE(sem_pair)

/* ---- Several threads ---- */

static bool stop;
static long done;

static bool is_over(void)
{
    return __atomic_load_n(&stop, __ATOMIC_RELAXED);
}

/* Two threads: each waits for its turn and gives the other one. */
static long turn;

static void *player(void *self)
{
    pthread_mutex_lock(&mutex);
    while (!stop) {
        while (turn % 2 != (long)self && !stop)
            pthread_cond_wait(&cond, &mutex);
        turn++;
        done++;
        pthread_cond_signal(&cond);
    }
    pthread_cond_broadcast(&cond);
    pthread_mutex_unlock(&mutex);
    return NULL;
}

/* Half produce, half consume, through a queue of SLOTS places. */
static long filled;

static void *producer_or_consumer(void *self)
{
    bool produces = (long)self % 2;
    pthread_cond_t *mine = produces ? &cond : &other, *theirs = produces ? &other : &cond;
    pthread_mutex_lock(&mutex);
    while (!stop) {
        while (filled == (produces ? SLOTS : 0) && !stop)
            pthread_cond_wait(mine, &mutex);
        filled += produces ? 1 : -1;
        done += !produces;
        pthread_mutex_unlock(&mutex);
        pthread_cond_signal(theirs);
        pthread_mutex_lock(&mutex);
    }
    pthread_cond_broadcast(&cond);
    pthread_cond_broadcast(&other);
    pthread_mutex_unlock(&mutex);
    return NULL;
}

/* A short section, and a little work of one's own. */
static void *user(void *self)
{
    unsigned work = (unsigned)(long)self;
    while (!is_over()) {
        pthread_mutex_lock(&mutex);
        done++;
        pthread_mutex_unlock(&mutex);
        for (int i = 0; i < 100; i++)
            __asm__ volatile("" : "+r"(work));
    }
    return NULL;
}

static double together(void *(*body)(void *), long threads, double seconds)
{
    pthread_t crew[MAX_THREADS];
    struct timespec time = {(time_t)seconds, (long)((seconds - (double)(time_t)seconds) * 1e9)};
    double begin = now();
    for (long i = 0; i < threads; i++)
        if (pthread_create(&crew[i], NULL, body, (void *)i) != 0)
            abort();
    nanosleep(&time, NULL);
    pthread_mutex_lock(&mutex);
    __atomic_store_n(&stop, true, __ATOMIC_RELAXED);
    double taken = now() - begin;
    long count = done;
    pthread_cond_broadcast(&cond);
    pthread_cond_broadcast(&other);
    pthread_mutex_unlock(&mutex);
    for (long i = 0; i < threads; i++)
        pthread_join(crew[i], NULL);
    return taken / (double)(count ? count : 1);
}

/* ---- The list ---- */

static const struct {
    const char *name;
    int type;
    double (*alone)(double);
    long threads; /* if not alone */
    void *(*body)(void *);
} cases[] = {
    {"pair", PTHREAD_MUTEX_NORMAL, alone_pair, 0, NULL},
    {"recursive", PTHREAD_MUTEX_RECURSIVE, alone_pair, 0, NULL},
    {"nested", PTHREAD_MUTEX_RECURSIVE, alone_nested, 0, NULL},
    {"errorcheck", PTHREAD_MUTEX_ERRORCHECK, alone_pair, 0, NULL},
    {"trylock", PTHREAD_MUTEX_NORMAL, alone_try, 0, NULL},
    {"trylock-held", PTHREAD_MUTEX_NORMAL, alone_try_held, 0, NULL},
    {"timedlock", PTHREAD_MUTEX_NORMAL, alone_timed, 0, NULL},
    {"init-destroy", PTHREAD_MUTEX_NORMAL, alone_make, 0, NULL},
    {"signal", PTHREAD_MUTEX_NORMAL, alone_idle_signal, 0, NULL},
    {"broadcast", PTHREAD_MUTEX_NORMAL, alone_idle_broadcast, 0, NULL},
    {"locked-signal", PTHREAD_MUTEX_NORMAL, alone_locked_signal, 0, NULL},
    {"timedwait", PTHREAD_MUTEX_NORMAL, alone_timed_wait, 0, NULL},
    {"semaphore", PTHREAD_MUTEX_NORMAL, alone_sem_pair, 0, NULL},
    {"ping-pong", PTHREAD_MUTEX_NORMAL, NULL, 2, player},
    {"queue-2", PTHREAD_MUTEX_NORMAL, NULL, 2, producer_or_consumer},
    {"queue-8", PTHREAD_MUTEX_NORMAL, NULL, 8, producer_or_consumer},
    {"contended-2", PTHREAD_MUTEX_NORMAL, NULL, 2, user},
    {"contended-8", PTHREAD_MUTEX_NORMAL, NULL, 8, user},
};

int main(int count, char **words)
{
    double seconds = count > 2 ? atof(words[2]) : 0.2;
    pthread_mutexattr_t attributes;
    sem_init(&semaphore, 0, 0);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        if (count < 2) {
            puts(cases[i].name);
            continue;
        }
        if (strcmp(words[1], cases[i].name) != 0)
            continue;
        pthread_mutexattr_init(&attributes);
        pthread_mutexattr_settype(&attributes, cases[i].type);
        pthread_mutex_init(&mutex, &attributes);
        if (strcmp(words[1], "trylock-held") == 0)
            pthread_mutex_lock(&mutex);
        double cost = cases[i].alone ? cases[i].alone(seconds) : together(cases[i].body, cases[i].threads, seconds);
        printf("ns: %.2f\n", cost);
        return 0;
    }
    if (count >= 2)
        fprintf(stderr, "pthread-calls: '%s' is not a case; without one, they are listed\n", words[1]);
    return count < 2 ? 0 : 2;
}
