/* SPDX-License-Identifier: MIT */
#define RECIP_UNANNOTATED
#include "preload/watch.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "preload/environment.h"
#include "preload/mutex-locks.h"
#include "preload/stack.h"
#include "preload/statistics.h"
#include "src/state.h"

enum { MAX_THREADS = 1 << 14, SECOND = 1000000000, FIRST_LOOK = SECOND / 20, RECHECK = SECOND / 500 };

static struct watched_thread *threads; /* address space for all of them; pages come with use */
static int64_t long_wait = SECOND;     /* nanoseconds */

/* Counts how often watching has begun: what threads held before is not known. */
_Atomic(unsigned) watch_epoch;

/* ---- On and off ---- */

static void on_signal(int number)
{
    (void)number;
    bool was_on = preload_mode & MODE_WATCH;
    if (!was_on)
        atomic_fetch_add_explicit(&watch_epoch, 1, memory_order_relaxed);
    __atomic_fetch_xor(&preload_mode, MODE_WATCH | (preload_mode & MODE_COUNTS ? 0 : MODE_STATISTICS),
                       __ATOMIC_RELAXED);
}

void watch_start(void)
{
    const char *seconds = preload_environment("RECIP_WATCH_LONG");
    double value = seconds ? strtod(seconds, NULL) : 0;
    if (value > 0 && value < 1e9)
        long_wait = (int64_t)(value * SECOND);
    void *memory = mmap(NULL, MAX_THREADS * sizeof *threads, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    threads = memory == MAP_FAILED ? NULL : memory;
    watch_read_suppressions();
    struct sigaction action = {.sa_handler = on_signal, .sa_flags = SA_RESTART};
    sigaction(SIGRTMAX - 2, &action, NULL);
}

/* ---- Threads ---- */

static struct watched_thread *find_thread(uint32_t number)
{
    struct watched_thread *thread = threads && number ? &threads[number % MAX_THREADS] : NULL;
    return thread && atomic_load_explicit(&thread->number, memory_order_acquire) == number ? thread : NULL;
}

_Thread_local struct watched_thread *watch_own;

/* A place whose thread has ended, or locks no more, is taken over by the thread whose number comes round to it. */
struct watched_thread *watch_new_self(void)
{
    uint32_t number = mutex_self();
    struct watched_thread *own = threads ? &threads[number % MAX_THREADS] : NULL;
    watch_own = own;
    if (!own)
        return NULL;
    *own = (struct watched_thread){.kernel_number = gettid(),
                                   .epoch = atomic_load_explicit(&watch_epoch, memory_order_relaxed)};
    /* release: with the acquire in find_thread. */
    atomic_store_explicit(&own->number, number, memory_order_release);
    return own;
}

/* In the child the thread has another number of the kernel's. */
void watch_after_fork(void)
{
    if (watch_own)
        watch_own->kernel_number = gettid();
}

struct watched_thread *watched_owner(struct mutex *mutex)
{
    return find_thread(mutex_owner_of(mutex));
}

/* ---- What is held ---- */

void watch_acquiring(struct mutex *mutex, const void *site, bool by_trylock)
{
    struct watched_thread *thread = watch_self();
    if (!thread || thread->held_count == WATCH_MAX_HELD)
        return;
    struct held *taken = &thread->held[thread->held_count++];
    taken->by_trylock = by_trylock;
    taken->site = site;
    atomic_store_explicit(&taken->mutex, mutex, memory_order_relaxed);
}

void watch_acquired(struct mutex *mutex)
{
    struct watched_thread *thread = watch_self();
    if (!thread)
        return;
    if (atomic_load_explicit(&thread->waits_for, memory_order_relaxed))
        atomic_store(&thread->waits_for, NULL);
    unsigned last = thread->held_count - 1;
    if (!thread->held_count || watch_held_at(thread, last) != mutex)
        return; /* there are too many, or watching has just begun */
    thread->held[last].record = mutex->record & RECORD_INDEX;
    watch_took_in_order(thread);
}

void watch_took_in_order(struct watched_thread *thread)
{
    unsigned last = thread->held_count - 1;
    const struct held *taken = &thread->held[last];
    for (unsigned i = 0; !taken->by_trylock && taken->record && i < last; i++)
        if (watch_held_at(thread, i) && thread->held[i].record)
            watch_order(thread, &thread->held[i], taken);
}

static bool drop(struct watched_thread *thread, const struct mutex *mutex)
{
    for (unsigned i = thread->held_count; i-- > 0;)
        if (watch_held_at(thread, i) == mutex) {
            atomic_store_explicit(&thread->held[i].mutex, NULL, memory_order_relaxed);
            return true;
        }
    return false;
}

static bool drop_own(struct watched_thread *thread, const struct mutex *mutex)
{
    bool is_there = drop(thread, mutex);
    while (thread->held_count && !watch_held_at(thread, thread->held_count - 1))
        thread->held_count--;
    return is_there;
}

void watch_not_acquired(struct mutex *mutex)
{
    struct watched_thread *thread = watch_self();
    if (!thread)
        return;
    atomic_store(&thread->waits_for, NULL);
    drop_own(thread, mutex);
}

/* Some programs unlock a mutex that another thread has locked. */
void watch_released(const struct mutex *mutex, uint32_t number)
{
    struct watched_thread *thread = watch_self(), *owner;
    if (thread && drop_own(thread, mutex))
        return;
    owner = find_thread(number);
    if (owner && owner != thread)
        drop(owner, mutex);
}

/* ---- Who waits for whom ---- */

/* Follows owners and what they wait for, from `first` on. How many threads it takes to come back to `first`; 0 if it
 * does not. seq_cst: the last of a cycle to begin its wait sees the waits of all others; each has written that it owns
 * its mutexes before that. */
static int find_cycle(struct watched_thread *first, struct watched_thread **cycle)
{
    struct watched_thread *thread = first;
    for (int count = 0; count < WATCH_MAX_CYCLE;) {
        struct mutex *mutex = atomic_load(&thread->waits_for);
        cycle[count++] = thread;
        thread = mutex ? watched_owner(mutex) : NULL;
        if (thread == first)
            return count;
        if (!thread)
            return 0;
    }
    return 0;
}

static uint64_t count_waits(struct watched_thread *const *cycle, int count)
{
    uint64_t sum = 0;
    for (int i = 0; i < count; i++)
        sum += atomic_load(&cycle[i]->waits);
    return sum;
}

/* A thread that has just acquired its mutex may still say that it waits. So a cycle has to last. */
static void look_for_deadlock(struct watched_thread *thread)
{
    struct watched_thread *cycle[WATCH_MAX_CYCLE], *again[WATCH_MAX_CYCLE];
    int count = find_cycle(thread, cycle);
    uint64_t waits = count_waits(cycle, count);
    if (!count)
        return;
    syscall(SYS_nanosleep, &(struct timespec){.tv_nsec = RECHECK}, NULL);
    if (find_cycle(thread, again) != count || count_waits(again, count) != waits ||
        memcmp(cycle, again, (size_t)count * sizeof *cycle) != 0)
        return;
    if (!watch_report_begin(true))
        return;
    watch_report_deadlock(cycle, count);
    watch_report_end();
}

static struct timespec at(int64_t nanoseconds)
{
    return (struct timespec){nanoseconds / SECOND, nanoseconds % SECOND};
}

static void say_that_it_waits(struct watched_thread *thread, struct mutex *mutex, uint32_t stack, int64_t since)
{
    thread->stack = stack;
    thread->since = since;
    atomic_fetch_add(&thread->waits, 1);
    atomic_store(&thread->waits_for, mutex);
}

/* The waiter itself looks for no deadlock: the thread that closes the circle does. */
void watch_moved(uint32_t number, struct mutex *mutex, const void *site)
{
    struct watched_thread *thread = find_thread(number);
    if (thread)
        say_that_it_waits(thread, mutex, stack_of_site(site), port_now());
}

/* It has waited for some time. Returns until when it may wait further before the next look; false if there need be
 * none.
 */
static bool look(struct mutex *mutex, const void *site, int64_t since, struct timespec *until)
{
    struct watched_thread *thread = watch_self();
    if (!thread)
        return false;
    if (!atomic_load_explicit(&thread->waits_for, memory_order_relaxed)) {
        say_that_it_waits(thread, mutex, stack_take_whole(site), since);
        look_for_deadlock(thread);
    }
    if (port_now() < since + long_wait) {
        *until = at(since + long_wait);
        return true;
    }
    if (watch_report_begin(true)) {
        watch_report_long_wait(thread, mutex);
        watch_report_end();
    }
    return false;
}

/* On the flagship it waits as other threads do that lock: express, if it has credit for that, and for this its wait
 * costs it credit. */
void watch_lock_by_waiting(struct mutex *mutex, const void *site)
{
    int64_t since = port_now(), start = port_ticks();
    struct timespec until = at(since + FIRST_LOOK);
    int error;
    if (preload_mode & MODE_ZOO) { /* these cannot give up a place in their queues */
        look(mutex, site, since, &until);
        zoo_lock(mutex);
        return;
    }
    if (recip_mutex_take_express(&mutex->lock.flagship))
        return;
    do
        error = flagship_lock_until(mutex, CLOCK_MONOTONIC, &until);
    while (error == ETIMEDOUT && look(mutex, site, since, &until));
    if (error)
        mutex_lock_contended(mutex);
    else
        recip_credit_waited(start);
}
