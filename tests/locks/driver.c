/* SPDX-License-Identifier: MIT */
#include "tests/locks/driver.h"

#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <stdlib.h>
#include <string.h>

#include "port/port.h"
#include "tests/support/test.h"

enum order { ARRIVE, TRY, RELEASE, LEAVE };

struct worker {
    struct driver *driver;
    pthread_t thread;
    sem_t told;
    enum order order;
    _Atomic(bool) waits;    /* in a spin loop or asleep, since it was told to arrive */
    _Atomic(bool) admitted; /* has come out of acquire */
    _Atomic(bool) tried;    /* has come out of try-acquire */
    _Atomic(bool) released; /* has come out of release */
    bool in_queue;          /* has arrived, and has not been admitted: the driver's own note */
    uint32_t seed;
    int socket;
};

struct driver {
    const struct recip_algorithm *lock;
    enum form form;
    void *memory;
    int threads, owner, waiting;
    struct worker workers[DRIVER_MAX_THREADS];
};

static void acquire(struct driver *driver, struct recip_any_context *context)
{
    if (driver->form == AS_MUTEX)
        driver->lock->mutex_lock(driver->memory);
    else
        driver->lock->acquire(driver->memory, context);
}

static bool try_acquire(struct driver *driver, struct recip_any_context *context)
{
    return driver->form == AS_MUTEX ? driver->lock->mutex_trylock(driver->memory)
                                    : driver->lock->try_acquire(driver->memory, context);
}

static void release(struct driver *driver, struct recip_any_context *context)
{
    if (driver->form == AS_MUTEX)
        driver->lock->mutex_unlock(driver->memory);
    else
        driver->lock->release(driver->memory, context);
}

static void *obey(void *of)
{
    struct worker *worker = of;
    struct recip_any_context context;
    port_thread()->random = worker->seed;
    test_socket = worker->socket;
    test_waits = &worker->waits;
    for (;;) {
        while (sem_wait(&worker->told) != 0)
            ;
        switch (worker->order) {
        case ARRIVE:
            acquire(worker->driver, &context);
            atomic_store(&worker->admitted, true);
            break;
        case TRY:
            atomic_store(&worker->admitted, try_acquire(worker->driver, &context));
            atomic_store(&worker->tried, true);
            break;
        case RELEASE:
            release(worker->driver, &context);
            atomic_store(&worker->released, true);
            break;
        case LEAVE:
            return NULL;
        }
    }
}

static void tell(struct worker *worker, enum order order)
{
    worker->order = order;
    sem_post(&worker->told);
}

static void await(_Atomic(bool) *flag)
{
    while (!atomic_load(flag))
        sched_yield();
}

struct driver *driver_start(const struct recip_algorithm *lock, enum form form, int threads)
{
    struct driver *driver = calloc(1, sizeof *driver);
    driver->lock = lock;
    driver->form = form;
    driver->memory = new_lock(lock);
    driver->threads = threads;
    driver->owner = NOBODY;
    for (int i = 0; i < threads; i++) {
        struct worker *worker = &driver->workers[i];
        worker->driver = driver;
        worker->seed = 12345u + 7919u * (unsigned)i;
        worker->socket = i % 2;
        sem_init(&worker->told, 0, 0);
        pthread_create(&worker->thread, NULL, obey, worker);
    }
    return driver;
}

/* The lock's words, atomically one by one. All threads but the one that arrives stand still meanwhile. */
static void read_words(const struct driver *driver, uintptr_t *words)
{
    const _Atomic(uintptr_t) *memory = driver->memory;
    for (size_t i = 0; i < driver->lock->lock_size / sizeof *words; i++)
        words[i] = atomic_load_explicit(&memory[i], memory_order_relaxed);
}

/* In a lock of lanes a release moves a second thread, from its lane to the outer queue; in one with a first in line it
 * makes another thread the first, which may sort the others. It is done when it has spun twice since: once it may have
 * before it looked, the second time it has looked. Threads that sleep do not spin: of those forms it is not known. */
static void settle(struct driver *driver)
{
    const struct recip_algorithm *lock = driver->lock;
    if (lock->admission != RECIP_ADMITS_LANES && (lock->waits != RECIP_WAITS_FIRST || lock->parks))
        return;
    for (int look = 0; look < 2; look++)
        for (int i = 0; i < driver->threads; i++)
            if (driver->workers[i].in_queue) {
                atomic_store(&driver->workers[i].waits, false);
                await(&driver->workers[i].waits);
            }
}

void driver_arrive(struct driver *driver, int who)
{
    struct worker *worker = &driver->workers[who];
    uintptr_t before[RECIP_LOCK_SIZE_MAX / sizeof(uintptr_t)] = {0}, now[RECIP_LOCK_SIZE_MAX / sizeof(uintptr_t)] = {0};
    read_words(driver, before);
    atomic_store(&worker->waits, false);
    atomic_store(&worker->admitted, false);
    tell(worker, ARRIVE);
    if (driver->owner == NOBODY) {
        await(&worker->admitted);
        driver->owner = who;
        return;
    }
    await(&worker->waits);
    read_words(driver, now);
    if (memcmp(before, now, sizeof now) == 0)
        fail_msg("thread %d waits, but its arrival has not changed the lock", who);
    worker->in_queue = true;
    driver->waiting++;
    settle(driver);
}

bool driver_try(struct driver *driver, int who)
{
    struct worker *worker = &driver->workers[who];
    atomic_store(&worker->tried, false);
    tell(worker, TRY);
    await(&worker->tried);
    if (atomic_load(&worker->admitted))
        driver->owner = who;
    return atomic_load(&worker->admitted);
}

static int await_admission(struct driver *driver)
{
    for (;;) {
        for (int i = 0; i < driver->threads; i++)
            if (i != driver->owner && atomic_load(&driver->workers[i].admitted))
                return i;
        sched_yield();
    }
}

int driver_release(struct driver *driver)
{
    struct worker *worker = &driver->workers[driver->owner];
    atomic_store(&worker->released, false);
    tell(worker, RELEASE);
    await(&worker->released);
    atomic_store(&worker->admitted, false);
    if (!driver->waiting)
        return driver->owner = NOBODY;
    driver->waiting--;
    driver->owner = await_admission(driver);
    driver->workers[driver->owner].in_queue = false;
    settle(driver);
    return driver->owner;
}

int driver_owner(const struct driver *driver)
{
    return driver->owner;
}

bool driver_is_free(struct driver *driver)
{
    struct recip_any_context context;
    if (driver->owner != NOBODY || !try_acquire(driver, &context))
        return false;
    release(driver, &context);
    return true;
}

void driver_stop(struct driver *driver)
{
    while (driver->owner != NOBODY)
        driver_release(driver);
    for (int i = 0; i < driver->threads; i++) {
        tell(&driver->workers[i], LEAVE);
        pthread_join(driver->workers[i].thread, NULL);
        sem_destroy(&driver->workers[i].told);
    }
    free_lock(driver->lock, driver->memory);
    free(driver);
}
