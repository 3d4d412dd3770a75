/* SPDX-License-Identifier: MIT */
/* A thread that waits sleeps at a futex; the functions in its stack say what for. At a mutex of glibc's the address is
 * that of the mutex, which knows its owner. At one of ours it is the mutex, or the gate of the thread's element, which
 * has the address of the mutex. */
#define RECIP_UNANNOTATED
#include "who/who.h"

#include <pthread.h>
#include <string.h>

#include "preload/cond.h"
#include "preload/mutex.h"

static bool is_any(const char *function, const char *const *parts)
{
    for (; *parts; parts++)
        if (strstr(function, *parts))
            return true;
    return false;
}

/* What the innermost function says that is a call of <pthread.h>, <threads.h> or <recip.h>. */
static enum wait_kind kind_of(const struct who_thread *thread)
{
    static const char *const mutex[] = {"mutex_lock", "mutex_timedlock", "mutex_clocklock",
                                        "mtx_lock",   "mtx_timedlock",   NULL};
    static const char *const cond[] = {"cond_wait", "cond_timedwait", "cond_clockwait",
                                       "cnd_wait",  "cnd_timedwait",  NULL};
    uint64_t offset;
    enum wait_kind kind = WAITS_OTHER;
    for (int i = 0; i < thread->frame_count; i++) {
        const char *name = process_is_library(thread->frames[i]) ? process_symbol(thread->frames[i], &offset) : NULL;
        if (name && is_any(name, cond))
            return WAITS_COND;
        if (name && is_any(name, mutex))
            kind = WAITS_MUTEX;
    }
    return kind;
}

/* ---- glibc ---- */

static void find_in_glibc(const struct who_process *process, struct who_thread *thread)
{
    pthread_mutex_t mutex;
    if (thread->kind != WAITS_MUTEX || !process_read(process, thread->futex, &mutex, sizeof mutex))
        return;
    thread->object = thread->futex;
    thread->owner = mutex.__data.__owner;
    thread->is_owner_known = thread->owner != 0;
}

/* ---- Ours ---- */

/* The kernel's number of the thread that the library knows by that one. */
static pid_t thread_of_number(const struct who_process *process, uint32_t number)
{
    uint32_t found = 0;
    uint64_t table = process_preload_symbol("mutex_kernel_numbers");
    if (table && number)
        process_read(process, table + number % MUTEX_KERNEL_NUMBERS * sizeof found, &found, sizeof found);
    return (pid_t)found;
}

static void find_owner(const struct who_process *process, struct who_thread *thread)
{
    pthread_mutex_t memory;
    const struct mutex *mutex = (const struct mutex *)&memory;
    if (!process_read(process, thread->object, &memory, sizeof memory))
        return;
    uint32_t number = atomic_load_explicit(&mutex->owner, memory_order_relaxed);
    thread->owner = mutex->kind & KIND_LEFT_TO_GLIBC ? memory.__data.__owner : thread_of_number(process, number);
    thread->is_owner_known = thread->owner != 0;
}

/* An element lies at the start of a cache line, and names a mutex. */
static bool find_element(const struct who_process *process, struct who_thread *thread, struct cond_waiter *element)
{
    if (thread->futex % 64 || !process_read(process, thread->futex, &element->element, sizeof element->element))
        return false;
    uintptr_t gate = atomic_load_explicit(&element->element.gate, memory_order_relaxed);
    return gate == GATE_PARKED || gate == GATE_CLOSED;
}

/* The gate may be open already: then the thread leads, and the owner of the mutex will wake it. */
static bool find_cond_waiter(const struct who_process *process, struct who_thread *thread, struct cond_waiter *waiter)
{
    return thread->futex % 64 == 0 && process_read(process, thread->futex, waiter, sizeof *waiter) && waiter->cond &&
           (!waiter->element.mutex || (uint64_t)waiter->element.mutex == (uint64_t)waiter->mutex);
}

static void find_in_recip(const struct who_process *process, struct who_thread *thread)
{
    struct cond_waiter waiter;
    bool is_element = find_element(process, thread, &waiter);
    if (thread->kind == WAITS_COND && find_cond_waiter(process, thread, &waiter)) {
        thread->object = (uint64_t)waiter.cond;
        if (atomic_load_explicit(&waiter.state, memory_order_relaxed) == 0 || !waiter.element.mutex)
            return;
        thread->kind = WAITS_MUTEX; /* a signal has moved it there */
        thread->object = (uint64_t)waiter.mutex;
    } else if (thread->kind == WAITS_MUTEX || thread->kind == WAITS_COND) {
        /* Not at its element: it leads the waiters of the mutex, and sleeps there; perhaps after a signal. */
        thread->kind = WAITS_MUTEX;
        thread->object = is_element && waiter.element.mutex ? (uint64_t)waiter.element.mutex : thread->futex;
    } else {
        return;
    }
    find_owner(process, thread);
}

void find_wait(const struct who_process *process, struct who_thread *thread)
{
    if (!thread->futex)
        return;
    thread->kind = kind_of(thread);
    if (process->is_on_zoo)
        return;
    if (process->is_on_recip)
        find_in_recip(process, thread);
    else
        find_in_glibc(process, thread);
}
