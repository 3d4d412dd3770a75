/* SPDX-License-Identifier: MIT */
/* Processes: shared mutexes between one that has the library and one that has not, an owner that dies, vfork and
 * posix_spawn while mutexes are held and waited for, a private condition variable in shared memory. */
#include "common.h"

#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/wait.h>

extern char **environ;

struct pair {
    pthread_mutex_t mutex;
    pthread_cond_t cond;
    long turn;
};

enum { TURNS = 500 };

static struct pair *map(int file)
{
    struct pair *pair = mmap(NULL, sizeof *pair, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    CHECK(pair != MAP_FAILED);
    return pair;
}

static void make(struct pair *pair, int robust, int protocol)
{
    pthread_mutexattr_t attributes;
    pthread_condattr_t of_cond;
    pthread_mutexattr_init(&attributes);
    CHECK_IS(pthread_mutexattr_setpshared(&attributes, PTHREAD_PROCESS_SHARED), 0);
    CHECK_IS(pthread_mutexattr_setrobust(&attributes, robust), 0);
    CHECK_IS(pthread_mutexattr_setprotocol(&attributes, protocol), 0);
    CHECK_IS(pthread_mutex_init(&pair->mutex, &attributes), 0);
    pthread_condattr_init(&of_cond);
    CHECK_IS(pthread_condattr_setpshared(&of_cond, PTHREAD_PROCESS_SHARED), 0);
    CHECK_IS(pthread_cond_init(&pair->cond, &of_cond), 0);
    pair->turn = 0;
}

static void take_turns(struct pair *pair, int self)
{
    CHECK_IS(pthread_mutex_lock(&pair->mutex), 0);
    for (int i = 0; i < TURNS; i++) {
        while (pair->turn % 2 != self)
            CHECK_IS(pthread_cond_wait(&pair->cond, &pair->mutex), 0);
        pair->turn++;
        CHECK_IS(pthread_cond_signal(&pair->cond), 0);
    }
    CHECK_IS(pthread_mutex_unlock(&pair->mutex), 0);
}

static void await(pid_t child, int expected)
{
    int status;
    CHECK_IS(waitpid(child, &status, 0), child);
    CHECK_IS(status, expected);
}

/* This program again, as another process, with the library or without. */
static pid_t run_again(const char *role, int file, bool bare)
{
    char number[16];
    char *words[] = {"/proc/self/exe", (char *)role, number, NULL}, *environment[256];
    int count = 0;
    pid_t child;
    snprintf(number, sizeof number, "%d", file);
    for (char **each = environ; *each && count < 255; each++)
        if (!bare || strncmp(*each, "LD_PRELOAD=", 11) != 0)
            environment[count++] = *each;
    environment[count] = NULL;
    CHECK_IS(posix_spawn(&child, words[0], NULL, NULL, words, environment), 0);
    return child;
}

static void check_mixed(int file, struct pair *pair, bool bare)
{
    for (int robust = 0; robust < 2; robust++)
        for (int protocol = 0; protocol < 2; protocol++) {
            make(pair, robust ? PTHREAD_MUTEX_ROBUST : PTHREAD_MUTEX_STALLED,
                 protocol ? PTHREAD_PRIO_INHERIT : PTHREAD_PRIO_NONE);
            pid_t child = run_again("take-turns", file, bare);
            take_turns(pair, 0);
            await(child, 0);
            CHECK_IS(pair->turn, 2 * TURNS);
        }
}

/* The owner dies: a waiter gets EOWNERDEAD and repairs the mutex. */
static void check_death(int file, struct pair *pair, bool bare)
{
    make(pair, PTHREAD_MUTEX_ROBUST, PTHREAD_PRIO_NONE);
    pid_t child = run_again("die", file, bare);
    await(child, SIGKILL);
    CHECK_IS(pthread_mutex_lock(&pair->mutex), EOWNERDEAD);
    CHECK_IS(pthread_mutex_consistent(&pair->mutex), 0);
    CHECK_IS(pthread_mutex_unlock(&pair->mutex), 0);
    CHECK_IS(pthread_mutex_lock(&pair->mutex), 0);
    CHECK_IS(pthread_mutex_unlock(&pair->mutex), 0);
}

static pthread_mutex_t held = PTHREAD_MUTEX_INITIALIZER;

static void *wait_for_held(void *of)
{
    (void)of;
    CHECK_IS(pthread_mutex_lock(&held), 0);
    return (void *)(long)pthread_mutex_unlock(&held);
}

/* A vfork child shares all memory with its parent until it becomes another program or ends. */
static void check_vfork(void)
{
    CHECK_IS(pthread_mutex_lock(&held), 0);
    pthread_t threads[3];
    for (int i = 0; i < 3; i++)
        threads[i] = start(wait_for_held, NULL);
    for (int i = 0; i < 10; i++) {
        pid_t child = vfork();
        if (child == 0) {
            if (i % 2)
                _exit(5);
            execl("/bin/sh", "sh", "-c", "exit 5", (char *)NULL);
            _exit(1);
        }
        await(child, 5 << 8);
    }
    CHECK_IS(pthread_mutex_unlock(&held), 0);
    for (int i = 0; i < 3; i++)
        CHECK_IS((long)finish(threads[i]), 0);
}

/* What has happened to the waiter: it waits, another process has signalled, its own is about to. */
enum { NOTHING, WAITS, SIGNALLED_ELSEWHERE, SIGNALLED };

static void *wait_until_signalled(void *of)
{
    struct pair *pair = of;
    CHECK_IS(pthread_mutex_lock(&pair->mutex), 0);
    pair->turn = WAITS;
    while (pair->turn != SIGNALLED)
        CHECK_IS(pthread_cond_wait(&pair->cond, &pair->mutex), 0);
    return (void *)(long)pthread_mutex_unlock(&pair->mutex);
}

/* On return the mutex is locked. */
static void await_turn(struct pair *pair, long turn)
{
    for (;;) {
        CHECK_IS(pthread_mutex_lock(&pair->mutex), 0);
        if (pair->turn == turn)
            return;
        CHECK_IS(pthread_mutex_unlock(&pair->mutex), 0);
        usleep(1000);
    }
}

static void waiting_process(struct pair *pair)
{
    pthread_t waiter = start(wait_until_signalled, pair);
    await_turn(pair, SIGNALLED_ELSEWHERE);
    pair->turn = SIGNALLED;
    CHECK_IS(pthread_cond_signal(&pair->cond), 0);
    CHECK_IS(pthread_mutex_unlock(&pair->mutex), 0);
    /* The other process has used up glibc's signal; interrupted, its waiter sees that there was one. */
    CHECK_IS(pthread_kill(waiter, SIGUSR1), 0);
    CHECK_IS((long)finish(waiter), 0);
}

static void signalling_process(struct pair *pair)
{
    await_turn(pair, WAITS);
    CHECK_IS(pthread_cond_signal(&pair->cond), 0);
    CHECK_IS(pthread_cond_broadcast(&pair->cond), 0);
    pair->turn = SIGNALLED_ELSEWHERE;
    CHECK_IS(pthread_mutex_unlock(&pair->mutex), 0);
}

static void handle(int signal)
{
    (void)signal;
}

/* A private condition variable that two processes use: POSIX leaves it open; on Linux a waiter is woken by its
 * own process. */
static void check_private(struct pair *pair, bool child_waits)
{
    make(pair, PTHREAD_MUTEX_STALLED, PTHREAD_PRIO_NONE);
    CHECK_IS(pthread_cond_init(&pair->cond, NULL), 0);
    signal(SIGUSR1, handle);
    pid_t child = fork();
    CHECK(child >= 0);
    if ((child == 0) == child_waits)
        waiting_process(pair);
    else
        signalling_process(pair);
    if (child == 0)
        _exit(0);
    await(child, 0);
}

int main(int count, char **words)
{
    if (count == 3) {
        struct pair *pair = map(atoi(words[2]));
        if (strcmp(words[1], "take-turns") == 0) {
            take_turns(pair, 1);
            return 0;
        }
        CHECK_IS(pthread_mutex_lock(&pair->mutex), 0);
        raise(SIGKILL);
    }
    int file = memfd_create("pair", 0);
    CHECK_IS(ftruncate(file, sizeof(struct pair)), 0);
    struct pair *pair = map(file);
    for (int bare = 0; bare < 2; bare++) {
        check_mixed(file, pair, bare);
        check_death(file, pair, bare);
    }
    check_vfork();
    check_private(pair, true);
    check_private(pair, false);
    return 0;
}
