/* SPDX-License-Identifier: MIT */
/* A thread that waits sleeps at a futex; the functions in its stack say what for, and in whose call. At a mutex of
 * glibc's the address is that of the mutex, which knows its owner. At one of ours it is the mutex, or the gate of the
 * thread's element, which has the address of the mutex. */
#define RECIP_UNANNOTATED
#include "who/who.h"

#include <pthread.h>
#include <string.h>

#include "preload/cond.h"
#include "preload/mutex.h"
#include "src/debug-table.h"
#include "src/state.h"

static bool is_any(const char *function, const char *const *parts)
{
    for (; *parts; parts++)
        if (strstr(function, *parts))
            return true;
    return false;
}

/* Calls of <pthread.h>, <semaphore.h>, <threads.h> and <recip.h>, by a part of the function's name. The first is
 * glibc's, for a waiter of a condition variable that locks again. */
static enum wait_kind kind_of_call(const char *function)
{
    static const char *const again[] = {"mutex_cond_lock", NULL};
    static const char *const cond[] = {"cond_wait", "cond_timedwait", "cond_clockwait",
                                       "cnd_wait",  "cnd_timedwait",  NULL};
    static const char *const rwlock[] = {"rwlock_rdlock",
                                         "rwlock_wrlock",
                                         "rwlock_timedrdlock",
                                         "rwlock_timedwrlock",
                                         "rwlock_clockrdlock",
                                         "rwlock_clockwrlock",
                                         NULL};
    static const char *const join[] = {"pthread_join", "pthread_timedjoin", "pthread_clockjoin", "thrd_join", NULL};
    static const char *const sem[] = {"sem_wait", "sem_timedwait", "sem_clockwait", NULL};
    static const char *const mutex[] = {"mutex_lock", "mutex_timedlock", "mutex_clocklock",
                                        "mtx_lock",   "mtx_timedlock",   NULL};
    return is_any(function, again)    ? WAITS_MUTEX
           : is_any(function, cond)   ? WAITS_COND
           : is_any(function, sem)    ? WAITS_SEM
           : is_any(function, mutex)  ? WAITS_MUTEX
           : is_any(function, rwlock) ? WAITS_RWLOCK
           : is_any(function, join)   ? WAITS_THREAD
                                      : WAITS_OTHER;
}

/* Linked into the program they have the same names as in the library. */
static enum library library_of(uint64_t address, const char *function)
{
    enum library library = process_library(address);
    if (library != LIBRARY_NONE)
        return library;
    function += strspn(function, "_");
    return strncmp(function, "recip_", 6) == 0     ? LIBRARY_RECIP
           : strncmp(function, "pthread_", 8) == 0 ? LIBRARY_GLIBC
                                                   : LIBRARY_NONE;
}

/* What the calls say that it is in. The innermost that is known says whose, the outermost what for: a condition
 * variable has a mutex inside. But glibc's locks again after the wait. */
static void find_call(struct who_thread *thread)
{
    uint64_t offset;
    thread->kind = WAITS_OTHER;
    for (int i = 0; i < thread->frame_count; i++) {
        const char *name = process_symbol(thread->frames[i], &offset);
        enum library library = name ? library_of(thread->frames[i], name) : LIBRARY_NONE;
        enum wait_kind kind = library != LIBRARY_NONE ? kind_of_call(name) : WAITS_OTHER;
        if (kind == WAITS_OTHER)
            continue;
        if (thread->library == LIBRARY_NONE)
            thread->library = library;
        if (thread->kind == WAITS_OTHER || library != LIBRARY_GLIBC)
            thread->kind = kind;
        thread->first_own = i + 1;
    }
}

/* The thread that the process itself knows by that number; 0 if there is none. */
static pid_t thread_of_inner(const struct who_process *process, int number)
{
    for (size_t i = 0; number && i < process->count; i++)
        if (process->threads[i].inner_number == number)
            return process->threads[i].number;
    return 0;
}

/* If no thread has that number, it is not here. */
static void set_owner(const struct who_process *process, struct who_thread *thread, int number)
{
    pid_t owner = thread_of_inner(process, number);
    thread->owner = owner ? owner : number;
    thread->is_owner_known = number != 0;
}

/* ---- glibc ---- */

static void find_mutex(const struct who_process *process, struct who_thread *thread)
{
    pthread_mutex_t mutex;
    if (!process_read(process, thread->futex, &mutex, sizeof mutex))
        return;
    thread->object = thread->futex;
    set_owner(process, thread, mutex.__data.__owner);
}

/* It waits at one of two words in the condition variable. Another version of glibc may have them elsewhere; then there
 * are hardly waiters where they are counted. */
static void find_cond(const struct who_process *process, struct who_thread *thread)
{
    pthread_cond_t cond;
    uint64_t address = (thread->futex - offsetof(pthread_cond_t, __data.__g_signals)) & ~(uint64_t)7;
    if (process_read(process, address, &cond, sizeof cond) && cond.__data.__wrefs >> 3 != 0)
        thread->object = address;
}

/* It waits at one of three words in the lock. Which lock that is can be told where a thread has it for writing; who has
 * it for reading is written nowhere. */
static void find_rwlock(const struct who_process *process, struct who_thread *thread)
{
    static const size_t words[] = {offsetof(pthread_rwlock_t, __data.__wrphase_futex),
                                   offsetof(pthread_rwlock_t, __data.__writers_futex),
                                   offsetof(pthread_rwlock_t, __data.__readers)};
    pthread_rwlock_t lock;
    for (size_t i = 0; i < sizeof words / sizeof *words && !thread->object; i++) {
        uint64_t address = thread->futex - words[i];
        if (address % 8 != 0 || !process_read(process, address, &lock, sizeof lock) ||
            !thread_of_inner(process, lock.__data.__cur_writer))
            continue;
        thread->object = address;
        set_owner(process, thread, lock.__data.__cur_writer);
    }
}

/* It waits at the place where the other thread has its number until it has ended. */
static void find_joined(const struct who_process *process, struct who_thread *thread)
{
    int number;
    if (process_read(process, thread->futex, &number, sizeof number))
        thread->owner = thread_of_inner(process, number);
}

static void find_in_glibc(const struct who_process *process, struct who_thread *thread)
{
    if (thread->kind == WAITS_MUTEX)
        find_mutex(process, thread);
    else if (thread->kind == WAITS_COND)
        find_cond(process, thread);
    else if (thread->kind == WAITS_RWLOCK)
        find_rwlock(process, thread);
    else if (thread->kind == WAITS_THREAD)
        find_joined(process, thread);
    else if (thread->kind == WAITS_SEM)
        thread->object = thread->futex;
}

/* ---- Ours ---- */

/* The kernel's number of the thread that the library knows by that one; 0 if it is not there. */
static pid_t thread_of_number(const struct who_process *process, uint32_t number)
{
    for (size_t i = 0; number && i < process->count; i++)
        if (process->threads[i].library_number == number)
            return process->threads[i].number;
    return 0;
}

static void find_owner(const struct who_process *process, struct who_thread *thread)
{
    pthread_mutex_t memory;
    const struct mutex *mutex = (const struct mutex *)&memory;
    if (!process_read(process, thread->object, &memory, sizeof memory))
        return;
    uint32_t number = atomic_load_explicit(&mutex->owner, memory_order_relaxed);
    if (mutex->kind & KIND_LEFT_TO_GLIBC) {
        set_owner(process, thread, memory.__data.__owner);
        return;
    }
    thread->owner = thread_of_number(process, number);
    thread->is_owner_known = thread->owner != 0;
    thread->has_owner_ended = !thread->owner && number && process->number_offset;
}

/* At the state of a mutex its leader sleeps, and who asks to be next: they tell the kernel which of the two. At its
 * gate a thread says nothing. */
static bool sleeps_at_state(const struct who_thread *thread)
{
    return thread->futex_kinds == LEADER_KIND || thread->futex_kinds == EXPRESS_KIND;
}

/* Its gate may be open: then it leads, and the owner of the mutex will wake it. */
static bool find_element(const struct who_process *process, const struct who_thread *thread,
                         struct recip_waiter_ *element)
{
    return !sleeps_at_state(thread) && thread->futex % 64 == 0 &&
           process_read(process, thread->futex, element, sizeof *element);
}

/* The gate may be open already: then the thread leads, and the owner of the mutex will wake it. */
static bool find_cond_waiter(const struct who_process *process, struct who_thread *thread, struct cond_waiter *waiter)
{
    return thread->futex % 64 == 0 && process_read(process, thread->futex, waiter, sizeof *waiter) && waiter->cond &&
           (!waiter->element.mutex || (uint64_t)waiter->element.mutex == (uint64_t)waiter->mutex);
}

static void find_in_preload(const struct who_process *process, struct who_thread *thread)
{
    struct cond_waiter waiter;
    bool is_element = find_element(process, thread, &waiter.element);
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

/* ---- librecip ---- */

/* The owner is the thread that keeps leadership of the mutex's queue. It will hand the mutex over. */
static void find_keeper(const struct who_process *process, struct who_thread *thread)
{
    for (size_t i = 0; i < process->count; i++)
        if (process->threads[i].kept.mutex == thread->object)
            thread->owner = process->threads[i].number;
    thread->is_owner_known = thread->owner != 0;
}

/* With RECIP_DEBUG the library keeps a table of owners. */
static void find_debug_owner(const struct who_process *process, struct who_thread *thread)
{
    uint64_t at = process_librecip_symbol("recip_debug_table_"), table = 0;
    uint32_t index = 0;
    struct known known;
    if (!at || !process_read(process, at, &table, sizeof table) || !table)
        return;
    process_read(process, table + offsetof(struct table, lists) + list_of(thread->object) * sizeof index, &index,
                 sizeof index);
    for (uint32_t steps = 0; index && steps < MOST_KNOWN; steps++, index = known.next) {
        if (!process_read(process, table + offsetof(struct table, known) + index * sizeof known, &known, sizeof known))
            return;
        if ((uint64_t)atomic_load_explicit(&known.mutex, memory_order_relaxed) != thread->object)
            continue;
        set_owner(process, thread, atomic_load_explicit(&known.tid, memory_order_relaxed));
        return;
    }
}

/* An element in a condition variable has no successor before a signal has moved it to the mutex. */
static void find_in_librecip(const struct who_process *process, struct who_thread *thread)
{
    struct recip_waiter_ element;
    bool is_element = find_element(process, thread, &element);
    if (thread->kind == WAITS_COND && is_element && !element.successor) {
        thread->mutex = (uint64_t)element.mutex;
        return;
    }
    if (thread->kind != WAITS_MUTEX && thread->kind != WAITS_COND)
        return;
    thread->kind = WAITS_MUTEX;
    thread->object = is_element ? (uint64_t)element.mutex : thread->futex;
    find_keeper(process, thread);
    if (!thread->is_owner_known)
        find_debug_owner(process, thread);
}

/* ---- Stripped libraries ---- */

/* Whose frames are the innermost but for those of the C library, and where they end. */
static void find_library(struct who_thread *thread)
{
    enum library library = LIBRARY_GLIBC;
    int i = 0;
    while (i < thread->frame_count && (library = process_library(thread->frames[i])) == LIBRARY_GLIBC)
        i++;
    if (library != LIBRARY_PRELOAD && library != LIBRARY_RECIP)
        return;
    thread->library = library;
    while (i < thread->frame_count && process_library(thread->frames[i]) == library)
        i++;
    thread->first_own = i;
}

/* They do not say which call it is; the element does. */
static enum wait_kind kind_of_element(const struct who_process *process, struct who_thread *thread)
{
    struct cond_waiter waiter = {0};
    if (sleeps_at_state(thread))
        return WAITS_MUTEX;
    if (!find_element(process, thread, &waiter.element))
        return WAITS_OTHER;
    if (thread->library == LIBRARY_RECIP)
        return !waiter.element.mutex ? WAITS_SEM : waiter.element.successor ? WAITS_MUTEX : WAITS_COND;
    bool is_cond = find_cond_waiter(process, thread, &waiter) && waiter.thread == thread->library_number;
    return is_cond ? WAITS_COND : waiter.element.mutex ? WAITS_MUTEX : WAITS_OTHER;
}

void find_wait(const struct who_process *process, struct who_thread *thread)
{
    if (!thread->futex)
        return;
    find_call(thread);
    if (thread->kind == WAITS_OTHER)
        find_library(thread);
    if (thread->kind == WAITS_OTHER && thread->library != LIBRARY_NONE && !process->is_on_zoo)
        thread->kind = kind_of_element(process, thread);
    if (thread->library == LIBRARY_GLIBC)
        find_in_glibc(process, thread);
    else if (thread->library == LIBRARY_RECIP)
        find_in_librecip(process, thread);
    else if (thread->library == LIBRARY_PRELOAD && !process->is_on_zoo)
        find_in_preload(process, thread);
}

/* ---- Stacks ---- */

/* What is below the stack pointer is not in use. A stack ends where no memory follows. */
enum { MAX_STACK = 1 << 18, PART = 1 << 9 };

bool stack_has(const struct who_process *process, const struct who_thread *thread, uint64_t address)
{
    uint64_t words[PART / 8], from = thread->stack_pointer & ~(uint64_t)7;
    for (uint64_t at = from; from && at < from + MAX_STACK; at += PART - at % PART) {
        size_t size = PART - at % PART;
        if (!process_read(process, at, words, size))
            return false;
        for (size_t i = 0; i < size / 8; i++)
            if (words[i] == address)
                return true;
    }
    return false;
}
