/* SPDX-License-Identifier: MIT */
/* Processes share robust mutexes, and are killed wherever they are, one every millisecond, and replaced. Who finds that
 * the owner has died repairs what the mutex protects; nothing else is ever found half done, and the processes go on.
 * Each process has two threads, which share a mutex of their own besides. */
#include "../common.h"

#include <signal.h>
#include <sys/mman.h>
#include <sys/wait.h>

enum { PROCESSES = 4, MUTEXES = 3, KILLS = 600 };

struct place {
    pthread_mutex_t mutex;
    long before, after;
};

static struct shared {
    struct place places[MUTEXES];
    long deaths, rounds;
    bool stop;
} * shared;

static pthread_mutex_t own = PTHREAD_MUTEX_INITIALIZER;

static void lock(struct place *place)
{
    int error = pthread_mutex_lock(&place->mutex);
    if (error == EOWNERDEAD) {
        place->before = place->after;
        __atomic_fetch_add(&shared->deaths, 1, __ATOMIC_RELAXED);
        CHECK_IS(pthread_mutex_consistent(&place->mutex), 0);
    } else {
        CHECK_IS(error, 0);
    }
    CHECK_IS(place->before, place->after);
}

static void *visit(void *of)
{
    (void)of;
    for (unsigned round = 0; !__atomic_load_n(&shared->stop, __ATOMIC_RELAXED); round++) {
        struct place *place = &shared->places[round % MUTEXES];
        CHECK_IS(pthread_mutex_lock(&own), 0);
        lock(place);
        CHECK_IS(pthread_mutex_unlock(&own), 0);
        place->before++;
        if (round % 32 == 0)
            usleep(50);
        place->after++;
        CHECK_IS(pthread_mutex_unlock(&place->mutex), 0);
        __atomic_fetch_add(&shared->rounds, 1, __ATOMIC_RELAXED);
    }
    return NULL;
}

static pid_t start_process(void)
{
    pid_t child = fork();
    CHECK(child >= 0);
    if (child)
        return child;
    pthread_t other = start(visit, NULL);
    visit(NULL);
    finish(other);
    _exit(0);
}

int main(void)
{
    pid_t processes[PROCESSES];
    int status;
    pthread_mutexattr_t attributes;
    shared = mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    CHECK(shared != MAP_FAILED);
    pthread_mutexattr_init(&attributes);
    CHECK_IS(pthread_mutexattr_setpshared(&attributes, PTHREAD_PROCESS_SHARED), 0);
    CHECK_IS(pthread_mutexattr_setrobust(&attributes, PTHREAD_MUTEX_ROBUST), 0);
    for (int i = 0; i < MUTEXES; i++)
        CHECK_IS(pthread_mutex_init(&shared->places[i].mutex, &attributes), 0);
    for (int i = 0; i < PROCESSES; i++)
        processes[i] = start_process();
    for (int i = 0; i < KILLS; i++) {
        usleep(1000);
        pid_t *victim = &processes[i % PROCESSES];
        CHECK_IS(waitpid(*victim, &status, WNOHANG), 0); /* none has failed by itself */
        CHECK_IS(kill(*victim, SIGKILL), 0);
        CHECK_IS(waitpid(*victim, &status, 0), *victim);
        CHECK_IS(status, SIGKILL);
        *victim = start_process();
    }
    /* They still go on. */
    long rounds = __atomic_load_n(&shared->rounds, __ATOMIC_RELAXED);
    while (__atomic_load_n(&shared->rounds, __ATOMIC_RELAXED) < rounds + 1000)
        usleep(1000);
    __atomic_store_n(&shared->stop, true, __ATOMIC_RELAXED);
    for (int i = 0; i < PROCESSES; i++) {
        CHECK_IS(waitpid(processes[i], &status, 0), processes[i]);
        CHECK_IS(status, 0);
    }
    for (int i = 0; i < MUTEXES; i++)
        lock(&shared->places[i]);
    printf("deaths %ld\n", shared->deaths);
    CHECK(shared->deaths > 10);
    return 0;
}
