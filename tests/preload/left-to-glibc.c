/* SPDX-License-Identifier: MIT */
/* Robust, priority-inheriting, priority-protecting and process-shared mutexes stay glibc's, and condition variables
 * work with them, private or shared. */
#include "common.h"

#include <sys/mman.h>
#include <sys/wait.h>

struct attributes {
    int robust, protocol, shared, type;
};

static void make(pthread_mutex_t *mutex, struct attributes wanted)
{
    pthread_mutexattr_t attributes;
    pthread_mutexattr_init(&attributes);
    CHECK_IS(pthread_mutexattr_setrobust(&attributes, wanted.robust), 0);
    CHECK_IS(pthread_mutexattr_setprotocol(&attributes, wanted.protocol), 0);
    CHECK_IS(pthread_mutexattr_setpshared(&attributes, wanted.shared), 0);
    CHECK_IS(pthread_mutexattr_settype(&attributes, wanted.type), 0);
    CHECK_IS(pthread_mutex_init(mutex, &attributes), 0);
    pthread_mutexattr_destroy(&attributes);
}

static void *lock_and_end(void *mutex)
{
    return (void *)(long)pthread_mutex_lock(mutex);
}

static void check_robust(int protocol)
{
    pthread_mutex_t mutex;
    make(&mutex, (struct attributes){.robust = PTHREAD_MUTEX_ROBUST, .protocol = protocol});
    CHECK_IS(elsewhere(lock_and_end, &mutex), 0);
    CHECK_IS(pthread_mutex_lock(&mutex), EOWNERDEAD);
    CHECK_IS(pthread_mutex_consistent(&mutex), 0);
    CHECK_IS(pthread_mutex_unlock(&mutex), 0);
    CHECK_IS(elsewhere(lock_and_end, &mutex), 0);
    CHECK_IS(pthread_mutex_trylock(&mutex), EOWNERDEAD);
    CHECK_IS(pthread_mutex_unlock(&mutex), 0);
    CHECK_IS(pthread_mutex_lock(&mutex), ENOTRECOVERABLE);
    CHECK_IS(pthread_mutex_destroy(&mutex), 0);
}

static void check_ceiling(void)
{
    pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
    int ceiling;
    CHECK_IS(pthread_mutex_getprioceiling(&mutex, &ceiling), EINVAL);
    CHECK_IS(pthread_mutex_setprioceiling(&mutex, 1, &ceiling), EINVAL);
    CHECK_IS(pthread_mutex_consistent(&mutex), EINVAL);
    make(&mutex, (struct attributes){.protocol = PTHREAD_PRIO_PROTECT});
    CHECK_IS(pthread_mutex_getprioceiling(&mutex, &ceiling), 0);
    CHECK_IS(pthread_mutex_destroy(&mutex), 0);
}

struct pair {
    pthread_mutex_t mutex;
    pthread_cond_t cond;
    int turn, count;
};

static void *take_turns(void *of)
{
    struct pair *pair = of;
    CHECK_IS(pthread_mutex_lock(&pair->mutex), 0);
    int self = pair->count++;
    for (int i = 0; i < 1000; i++) {
        while (pair->turn % 2 != self)
            CHECK_IS(pthread_cond_wait(&pair->cond, &pair->mutex), 0);
        pair->turn++;
        CHECK_IS(pthread_cond_signal(&pair->cond), 0);
    }
    CHECK_IS(pthread_mutex_unlock(&pair->mutex), 0);
    return NULL;
}

static struct pair *make_pair(struct attributes mutex, int shared)
{
    struct pair *pair = mmap(NULL, sizeof *pair, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    pthread_condattr_t attributes;
    pthread_condattr_init(&attributes);
    CHECK_IS(pthread_condattr_setpshared(&attributes, shared), 0);
    make(&pair->mutex, mutex);
    CHECK_IS(pthread_cond_init(&pair->cond, &attributes), 0);
    return pair;
}

static void drop_pair(struct pair *pair)
{
    struct timespec past = {1, 0};
    CHECK_IS(pthread_mutex_lock(&pair->mutex), 0);
    CHECK_IS(pthread_cond_timedwait(&pair->cond, &pair->mutex, &past), ETIMEDOUT);
    CHECK_IS(pthread_mutex_unlock(&pair->mutex), 0);
    CHECK_IS(pthread_cond_destroy(&pair->cond), 0);
    CHECK_IS(pthread_mutex_destroy(&pair->mutex), 0);
    munmap(pair, sizeof *pair);
}

static void check_threads(struct attributes mutex, int shared)
{
    struct pair *pair = make_pair(mutex, shared);
    pthread_t threads[2];
    for (int i = 0; i < 2; i++)
        threads[i] = start(take_turns, pair);
    for (int i = 0; i < 2; i++)
        finish(threads[i]);
    CHECK_IS(pair->turn, 2000);
    drop_pair(pair);
}

static void check_processes(struct attributes mutex)
{
    struct pair *pair = make_pair(mutex, PTHREAD_PROCESS_SHARED);
    pid_t child = fork();
    CHECK(child >= 0);
    take_turns(pair);
    if (child == 0)
        _exit(0);
    int status;
    CHECK_IS(waitpid(child, &status, 0), child);
    CHECK_IS(status, 0);
    CHECK_IS(pair->turn, 2000);
    drop_pair(pair);
}

static bool stop;

static void *signal_always(void *cond)
{
    while (!__atomic_load_n(&stop, __ATOMIC_RELAXED))
        CHECK_IS(pthread_cond_signal(cond), 0);
    return NULL;
}

/* A fork falls into a signal of another thread as a rule: the child does not wait for that thread, which it has not. */
static void check_fork_amid_signals(void)
{
    struct pair *pair = make_pair((struct attributes){.type = PTHREAD_MUTEX_NORMAL}, PTHREAD_PROCESS_SHARED);
    pthread_t thread = start(signal_always, &pair->cond);
    for (int round = 0; round < 100; round++) {
        pid_t child = fork();
        CHECK(child >= 0);
        if (child == 0) {
            alarm(60);
            CHECK_IS(pthread_cond_signal(&pair->cond), 0);
            _exit(0);
        }
        int status;
        CHECK_IS(waitpid(child, &status, 0), child);
        CHECK_IS(status, 0);
    }
    __atomic_store_n(&stop, true, __ATOMIC_RELAXED);
    finish(thread);
    drop_pair(pair);
}

int main(void)
{
    check_robust(PTHREAD_PRIO_NONE);
    check_robust(PTHREAD_PRIO_INHERIT);
    check_ceiling();
    for (int shared = 0; shared < 2; shared++) {
        check_threads((struct attributes){.protocol = PTHREAD_PRIO_INHERIT}, shared);
        check_threads((struct attributes){.robust = PTHREAD_MUTEX_ROBUST}, shared);
        check_threads((struct attributes){.shared = PTHREAD_PROCESS_SHARED}, shared);
        /* A private mutex with either kind of condition variable. */
        check_threads((struct attributes){.type = PTHREAD_MUTEX_NORMAL}, shared);
        check_threads((struct attributes){.type = PTHREAD_MUTEX_ERRORCHECK}, shared);
    }
    check_processes((struct attributes){.shared = PTHREAD_PROCESS_SHARED});
    check_processes((struct attributes){.shared = PTHREAD_PROCESS_SHARED, .robust = PTHREAD_MUTEX_ROBUST});
    check_processes((struct attributes){.shared = PTHREAD_PROCESS_SHARED, .protocol = PTHREAD_PRIO_INHERIT});
    check_fork_amid_signals();
    return 0;
}
