/* SPDX-License-Identifier: MIT */
/* RECIP_DEBUG: misuse of a mutex, a condition variable or a semaphore ends the program with one line.
 *
 * Programs have lock and unlock inline, and pay nothing for this. A mutex that is checked carries the mark CHECKED, and
 * its count of passes always stands one before its end. So the code that every program has anyway calls the library:
 * unlock because of the mark, and lock because its pass ends the count (recip_mutex_bound_reached_). The real count,
 * and who the owner is, are in a table beside the mutex.
 *
 * A mutex is marked by recip_mutex_init, by the first slow path that it sees, and before each call of code that was
 * compiled with -DRECIP_DEBUG. One that has been marked while it was locked has no known owner until the next lock.
 *
 * The table (debug-table.h) is mapped when it is first used.
 */
#define RECIP_UNANNOTATED
#include "src/debug.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "port/port.h"

#include "src/debug-table.h"
#include "src/state.h"

#define CHECKED RECIP_CHECKED_

bool recip_debugging;

void recip_debug_on_(void)
{
    __atomic_store_n(&recip_debugging, true, __ATOMIC_RELAXED);
}

void recip_debug_begin(void)
{
    const char *value = secure_getenv("RECIP_DEBUG");
    if (!value || !*value || strcmp(value, "0") == 0)
        return;
    recip_debug_on_();
    recip_rseq_offset_ = 0;
}

/* ---- The last line ---- */

__attribute__((noreturn, format(printf, 4, 5))) static void fail(const char *call, const char *what, const void *object,
                                                                 const char *format, ...)
{
    char line[256];
    int length = snprintf(line, sizeof line, "recip: %s: the %s at %p ", call, what, object);
    va_list arguments;
    va_start(arguments, format);
    length += vsnprintf(line + length, sizeof line - (size_t)length - 1, format, arguments);
    va_end(arguments);
    line[length++] = '\n';
    if (write(STDERR_FILENO, line, (size_t)length) < 0)
        abort();
    abort();
}

/* ---- The table ---- */

static _Atomic(struct table *) the_table;
const void *recip_debug_table_;

/* Null without memory: then owners are not known. */
static struct table *table(void)
{
    /* acquire: with the release below. */
    struct table *table = atomic_load_explicit(&the_table, memory_order_acquire), *other = NULL;
    if (table)
        return table;
    table = mmap(NULL, sizeof *table, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (table == MAP_FAILED)
        return NULL;
    if (atomic_compare_exchange_strong_explicit(&the_table, &other, table, memory_order_release,
                                                memory_order_acquire)) {
        __atomic_store_n(&recip_debug_table_, table, __ATOMIC_RELAXED); /* for those who read from outside */
        return table;
    }
    munmap(table, sizeof *table);
    return other;
}

static struct known *find(struct table *in, uint32_t first, const recip_mutex_t *mutex)
{
    for (uint32_t i = first; i; i = in->known[i].next)
        /* relaxed: written before the element was listed. */
        if (atomic_load_explicit(&in->known[i].mutex, memory_order_relaxed) == mutex)
            return &in->known[i];
    return NULL;
}

static struct known *find_or_add(const recip_mutex_t *mutex)
{
    struct table *in = table();
    if (!in)
        return NULL;
    _Atomic(uint32_t) *list = &in->lists[list_of((uintptr_t)mutex)];
    /* acquire, here and on failure: with the release of the thread that added. */
    uint32_t first = atomic_load_explicit(list, memory_order_acquire), added = 0;
    struct known *known;
    while (!(known = find(in, first, mutex))) {
        if (!added)
            added = atomic_fetch_add_explicit(&in->used, 1, memory_order_relaxed) + 1;
        if (added >= MOST_KNOWN)
            return NULL;
        in->known[added].next = first;
        in->known[added].passes = (uint16_t)(1 - bound_of((recip_mutex_t *)mutex));
        atomic_store_explicit(&in->known[added].mutex, mutex, memory_order_relaxed);
        if (atomic_compare_exchange_strong_explicit(list, &first, added, memory_order_release, memory_order_acquire))
            return &in->known[added];
    }
    return known;
}

/* ---- Threads ---- */

/* A number that no other thread of the process has, or has had. It stays across a fork. */
static uint32_t self_number(void)
{
    static _Thread_local uint32_t number __attribute__((tls_model("initial-exec")));
    static _Atomic(uint32_t) numbers;
    if (!number)
        number = atomic_fetch_add_explicit(&numbers, 1, memory_order_relaxed) + 1;
    return number;
}

static int32_t self_tid(void)
{
    return (int32_t)syscall(SYS_gettid);
}

/* relaxed, as all accesses to it: what matters is whether it is the calling thread, which has written that itself. */
static uint32_t owner_of(const struct known *known)
{
    return known ? atomic_load_explicit(&known->owner, memory_order_relaxed) : 0;
}

static void set_owner(struct known *known, uint32_t owner)
{
    if (!known)
        return;
    atomic_store_explicit(&known->tid, owner ? self_tid() : 0, memory_order_relaxed);
    atomic_store_explicit(&known->owner, owner, memory_order_relaxed);
}

/* ---- Words that cannot be ---- */

enum { DESTROYED = 0x64656164 }; /* a lock byte that no mutex has */

/* relaxed, here and in all that look: any value that it has had lately. */
static uint32_t state_in(const recip_mutex_t *mutex)
{
    return __atomic_load_n(&mutex->state, __ATOMIC_RELAXED);
}

static uintptr_t load(const uintptr_t *word)
{
    return __atomic_load_n(word, __ATOMIC_RELAXED);
}

/* A lock byte, marks, and the number of express waiters. */
static bool state_can_be(uint32_t state)
{
    return (state & 0xff) <= RESERVED && (state & ~EXPRESS_INSISTS) >> 24 == 0;
}

/* A waiter, SEGMENT_EMPTY or 0, beside the number of a fork that has been. */
static bool arrivals_can_be(uintptr_t word)
{
    uintptr_t arrivals = word & ((UINT64_C(1) << 48) - 1);
    return word >> 48 <= port_epoch() && (arrivals <= 1 || arrivals % 8 == 0);
}

static bool words_can_be(const recip_mutex_t *mutex)
{
    return state_can_be(state_in(mutex)) && arrivals_can_be(load(&mutex->arrivals));
}

static bool waiter_can_be(struct recip_waiter_ *const *waiter)
{
    return arrivals_can_be((uintptr_t)__atomic_load_n(waiter, __ATOMIC_RELAXED));
}

static void check_words(const recip_mutex_t *mutex, const char *call)
{
    if (state_in(mutex) == DESTROYED)
        fail(call, "mutex", mutex, "has been destroyed");
    if (!words_can_be(mutex))
        fail(call, "mutex", mutex, "is memory that was freed or not initialised: state %08x, arrivals %016lx",
             state_in(mutex), (unsigned long)load(&mutex->arrivals));
}

/* ---- The count ---- */

enum { LAST_BUT_ONE = UINT16_MAX };

/* By the owner: puts the count where the next pass ends it. What has been written there since is the real one. A bound
 * of 1 is always there by itself. */
static void stop_count(struct known *known, recip_mutex_t *mutex)
{
    if (!known || passes_load(mutex) == LAST_BUT_ONE)
        return;
    known->passes = passes_load(mutex);
    __atomic_store_n(&mutex->passes, LAST_BUT_ONE, __ATOMIC_RELAXED);
}

/* Check its words, and mark it if it is not marked. What is known of it, or null. */
static struct known *check(recip_mutex_t *mutex, const char *call)
{
    check_words(mutex, call);
    struct known *known = find_or_add(mutex);
    if (!known || (state_load(mutex) & CHECKED))
        return known;
    /* What is known was of another mutex in the same memory. If the owner counts at this moment, one of the two writes
     * is lost: then unlock repeats this. */
    set_owner(known, 0);
    known->passes = (uint16_t)(1 - bound_of(mutex));
    stop_count(known, mutex);
    state_set(mutex, CHECKED);
    return known;
}

bool recip_debug_passed(recip_mutex_t *mutex)
{
    bool counts_itself = !(state_load(mutex) & CHECKED) || bound_of(mutex) == 2;
    struct known *known = check(mutex, "recip_mutex_lock");
    set_owner(known, self_number());
    if (!known || counts_itself)
        return false;
    __atomic_store_n(&mutex->passes, LAST_BUT_ONE, __ATOMIC_RELAXED);
    return ++known->passes != 0;
}

/* ---- The mutex ---- */

void recip_debug_initialised(recip_mutex_t *mutex)
{
    check(mutex, "recip_mutex_init");
}

void recip_debug_mutex_destroying(recip_mutex_t *mutex, bool used)
{
    check_words(mutex, "recip_mutex_destroy");
    if (used)
        fail("recip_mutex_destroy", "mutex", mutex, "is locked or waited for");
    /* relaxed: whoever uses it now is wrong. */
    __atomic_store_n(&mutex->state, DESTROYED, __ATOMIC_RELAXED);
}

void recip_debug_trying(recip_mutex_t *mutex)
{
    check(mutex, "recip_mutex_trylock");
}

void recip_debug_locking(recip_mutex_t *mutex, const char *call)
{
    if (owner_of(check(mutex, call)) == self_number())
        fail(call, "mutex", mutex, "is locked by this thread already");
}

void recip_debug_locked(recip_mutex_t *mutex)
{
    struct known *known = check(mutex, "recip_mutex_lock");
    set_owner(known, self_number());
    stop_count(known, mutex);
}

static void check_held(const struct known *known, const recip_mutex_t *mutex, const char *call)
{
    if (!(state_in(mutex) & LOCKED))
        fail(call, "mutex", mutex, "is not locked");
    uint32_t owner = owner_of(known);
    if (owner && owner != self_number())
        fail(call, "mutex", mutex, "is locked by thread %d, not by this one (%d)",
             (int)atomic_load_explicit(&known->tid, memory_order_relaxed), (int)self_tid());
}

void recip_debug_unlocking(recip_mutex_t *mutex)
{
    struct known *known = check(mutex, "recip_mutex_unlock");
    check_held(known, mutex, "recip_mutex_unlock");
    set_owner(known, 0);
    stop_count(known, mutex);
}

void recip_debug_held(const recip_mutex_t *mutex)
{
    check_words(mutex, "recip_mutex_assert_held");
    check_held(state_in(mutex) & CHECKED ? find_or_add(mutex) : NULL, mutex, "recip_mutex_assert_held");
}

/* ---- The condition variable ---- */

/* The fields may change meanwhile, each by itself. */
void recip_debug_cond(const recip_cond_t *cond, const char *call)
{
    if (state_in(&cond->inner) == DESTROYED)
        fail(call, "condition variable", cond, "has been destroyed");
    if (!words_can_be(&cond->inner) || load(&cond->epoch) > port_epoch() || !waiter_can_be(&cond->first) ||
        !waiter_can_be(&cond->last))
        fail(call, "condition variable", cond, "is memory that was freed or not initialised: epoch %lx",
             (unsigned long)load(&cond->epoch));
}

void recip_debug_cond_waiting(recip_mutex_t *mutex)
{
    check_held(check(mutex, "recip_cond_wait"), mutex, "recip_cond_wait");
}

/* Its epoch is one that never comes, so the next call finds out what it is. */
void recip_debug_cond_destroying(recip_cond_t *cond, bool waited_for)
{
    if (waited_for)
        fail("recip_cond_destroy", "condition variable", cond, "is waited for");
    cond->inner.state = DESTROYED;
    __atomic_store_n(&cond->epoch, UINTPTR_MAX, __ATOMIC_RELAXED);
}

/* ---- The semaphore ---- */

void recip_debug_sem(const recip_sem_t *sem, const char *call)
{
    if (state_in(&sem->inner) == DESTROYED)
        fail(call, "semaphore", sem, "has been destroyed");
    if (load(&sem->value) >> 1 > RECIP_SEM_VALUE_MAX || !words_can_be(&sem->inner) ||
        load(&sem->epoch) > port_epoch() || !waiter_can_be(&sem->entry) || !waiter_can_be(&sem->arrivals))
        fail(call, "semaphore", sem, "is memory that was freed or not initialised: value %lx, epoch %lx",
             (unsigned long)load(&sem->value), (unsigned long)load(&sem->epoch));
}

/* As above; and its value says that threads wait, because with permits no call would look at the epoch. */
void recip_debug_sem_destroying(recip_sem_t *sem, bool waited_for)
{
    if (waited_for)
        fail("recip_sem_destroy", "semaphore", sem, "is waited for");
    sem->inner.state = DESTROYED;
    __atomic_store_n(&sem->epoch, UINTPTR_MAX, __ATOMIC_RELAXED);
    __atomic_store_n(&sem->value, 1, __ATOMIC_RELAXED);
}

/* ---- Code that was compiled with -DRECIP_DEBUG, before each call. It may come before any constructor ---- */

void recip_debug_mutex_(recip_mutex_t *mutex, const char *call)
{
    recip_debug_on_();
    check(mutex, call);
}

void recip_debug_cond_(const recip_cond_t *cond, const char *call)
{
    recip_debug_on_();
    recip_debug_cond(cond, call);
}

void recip_debug_sem_(const recip_sem_t *sem, const char *call)
{
    recip_debug_on_();
    recip_debug_sem(sem, call);
}
