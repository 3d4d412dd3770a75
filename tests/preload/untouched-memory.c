/* SPDX-License-Identifier: MIT */
/* Run with the library, on the flagship and without statistics: locking and waiting write the lock's own 16 bytes, who
 * owns it, the thread's own memory, and nothing else: neither the rest of the mutex nor any variable of the library,
 * but that each thread gets a number once. */
#include "common.h"

#include <link.h>
#include <sched.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdint.h>
#include <sys/syscall.h>

enum { LOCK = 16, OWNER = 24, OWNER_END = 28, ROUNDS = 20000 };

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t cond = PTHREAD_COND_INITIALIZER;

/* ---- The library's variables: its segment that can be written ---- */

struct variables {
    const unsigned char *start;
    size_t size;
};

static int find(struct dl_phdr_info *object, size_t size, void *of)
{
    struct variables *variables = of;
    uintptr_t readable = 0; /* what the dynamic linker protects after it has relocated it */
    (void)size;
    if (!strstr(object->dlpi_name, "librecip-preload"))
        return 0;
    for (int i = 0; i < object->dlpi_phnum; i++) {
        const ElfW(Phdr) *part = &object->dlpi_phdr[i];
        if (part->p_type == PT_LOAD && (part->p_flags & PF_W))
            *variables = (struct variables){(void *)(object->dlpi_addr + part->p_vaddr), part->p_memsz};
        if (part->p_type == PT_GNU_RELRO)
            readable = part->p_memsz;
    }
    variables->start += readable;
    variables->size -= readable;
    return 1;
}

static void check_rest_of_mutex(bool owned)
{
    const unsigned char *bytes = (unsigned char *)&mutex;
    bool has_owner = false;
    for (size_t i = LOCK; i < sizeof mutex; i++) {
        bool is_owner = i >= OWNER && i < OWNER_END;
        has_owner |= is_owner && bytes[i];
        CHECK(is_owner || bytes[i] == 0);
    }
    CHECK_IS(has_owner, owned);
}

/* ---- Threads, which have their numbers before the comparison begins ---- */

static sem_t numbered;

static void take_number(void)
{
    static pthread_mutex_t asked_for_owner = PTHREAD_ERRORCHECK_MUTEX_INITIALIZER_NP;
    CHECK_IS(pthread_mutex_lock(&asked_for_owner), 0);
    CHECK_IS(pthread_mutex_unlock(&asked_for_owner), 0);
}

static void take_number_and_wait(sem_t *until)
{
    take_number();
    sem_post(&numbered);
    sem_wait(until);
}

static void lock_often(void)
{
    for (int i = 0; i < ROUNDS; i++) {
        CHECK_IS(pthread_mutex_lock(&mutex), 0);
        CHECK_IS(pthread_cond_signal(&cond), 0);
        CHECK_IS(pthread_mutex_unlock(&mutex), 0);
    }
}

static void *lock_often_too(void *until)
{
    take_number_and_wait(until);
    lock_often();
    return NULL;
}

static atomic_int waiter;
static bool has_come, may_go; /* under the mutex */

static void *wait_twice(void *until)
{
    take_number_and_wait(until);
    waiter = gettid();
    CHECK_IS(pthread_mutex_lock(&mutex), 0);
    has_come = true;
    while (!may_go)
        CHECK_IS(pthread_cond_wait(&cond, &mutex), 0);
    CHECK_IS(pthread_mutex_unlock(&mutex), 0);
    return NULL;
}

static bool waiter_sleeps(void)
{
    char path[64];
    long call = -1;
    snprintf(path, sizeof path, "/proc/self/task/%d/syscall", waiter);
    FILE *file = waiter ? fopen(path, "r") : NULL;
    if (!file)
        return false;
    bool known = fscanf(file, "%ld", &call) == 1;
    fclose(file);
    return known && call == SYS_futex;
}

/* Once for the mutex, once for the condition variable. */
static void let_wait(pthread_t other, sem_t *until)
{
    CHECK_IS(pthread_mutex_lock(&mutex), 0);
    sem_post(until);
    while (!waiter_sleeps())
        sched_yield();
    while (!has_come) {
        CHECK_IS(pthread_mutex_unlock(&mutex), 0);
        sched_yield();
        CHECK_IS(pthread_mutex_lock(&mutex), 0);
    }
    while (!waiter_sleeps())
        sched_yield();
    may_go = true;
    CHECK_IS(pthread_cond_signal(&cond), 0);
    CHECK_IS(pthread_mutex_unlock(&mutex), 0);
    finish(other);
}

int main(void)
{
    struct variables variables = {0};
    CHECK_IS(dl_iterate_phdr(find, &variables), 1);
    CHECK(variables.size > 1000);
    sem_t locks, waits;
    CHECK_IS(sem_init(&numbered, 0, 0) | sem_init(&locks, 0, 0) | sem_init(&waits, 0, 0), 0);
    take_number();
    pthread_t locker = start(lock_often_too, &locks), sleeper = start(wait_twice, &waits);
    sem_wait(&numbered);
    sem_wait(&numbered);
    lock_often();
    unsigned char *before = malloc(variables.size);
    memcpy(before, variables.start, variables.size);

    CHECK_IS(pthread_mutex_lock(&mutex), 0);
    check_rest_of_mutex(true);
    CHECK_IS(pthread_mutex_unlock(&mutex), 0);
    check_rest_of_mutex(false);
    sem_post(&locks);
    lock_often();
    finish(locker);
    let_wait(sleeper, &waits);
    check_rest_of_mutex(false);
    CHECK_IS(memcmp(before, variables.start, variables.size), 0);
    free(before);
    return 0;
}
