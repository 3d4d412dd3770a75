/* SPDX-License-Identifier: MIT */
/* Condition variables for the mutexes of this library, and also for glibc's if the condition variable is private:
 * glibc's own would unlock by ways that no other library sees. Process-shared ones are left to glibc (cond-glibc.c).
 *
 * The waiter that came first is signalled first. A waiter on the flagship is not woken to lock the mutex if the mutex's
 * owner signals it while the mutex is not busy, or if it is signalled with others by a broadcast. Its element then
 * moves to the arrivals of the mutex, and its gate is opened when it leads. Any other waiter is woken and locks.
 *
 * cond-waiters.h has the lists of waiters and the rules for destruction.
 */
#define RECIP_UNANNOTATED
#include "preload/cond.h"

#include <errno.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "port/futex.h"
#include "src/tunables.h"
#include "preload/mutex.h"
#include "src/probes.h"
#include "preload/watch.h"

/* ---- The inner mutex ---- */

/* In a child of fork the waiters of its parent do not exist, nor does the thread that may hold the inner mutex. */
static void repair(struct cond *cond)
{
    recip_repair_begin();
    if (atomic_load_explicit(&cond->epoch, memory_order_relaxed) != port_epoch()) {
        cond->inner = (recip_mutex_t)RECIP_MUTEX_INIT;
        cond->last = cond->owing = NULL;
        atomic_store_explicit(&cond->first, NULL, memory_order_relaxed);
        /* release: with the acquire in lock_inner. */
        atomic_store_explicit(&cond->epoch, port_epoch(), memory_order_release);
    }
    recip_repair_end();
}

static void lock_inner(struct cond *cond)
{
    if (atomic_load_explicit(&cond->epoch, memory_order_acquire) != port_epoch())
        repair(cond);
    recip_mutex_lock(&cond->inner);
}

static void unlock_inner(struct cond *cond)
{
    recip_mutex_unlock(&cond->inner);
}

#include "preload/cond-waiters.h"

/* ---- Signal and broadcast ---- */

/* The last access to the entry: from here on its thread may return. */
static void move_or_wake(struct cond_waiter *chosen)
{
    if (chosen->element.mutex) {
        if (preload_mode & MODE_COUNTS)
            chosen->moved_at = port_ticks();
        if (preload_mode & MODE_WATCH)
            watch_moved(chosen->thread, chosen->mutex, chosen->site);
        mutex_admit_to_flagship(chosen->mutex, &chosen->element);
    } else {
        recip_waiter_open(&chosen->element, SEGMENT_EMPTY);
    }
}

/* For one signal; `chosen` may be null. The waiter moves to its mutex if the caller owns the mutex and the mutex is not
 * busy (src/cond.c says why). */
static void move_or_wake_one(struct cond_waiter *chosen)
{
    if (!chosen)
        return;
    recip_mutex_t *flagship = chosen->element.mutex;
    if (flagship && (!mutex_is_held(chosen->mutex) || recip_mutex_is_busy(flagship)))
        chosen->element.mutex = NULL;
    move_or_wake(chosen);
}

/* The waiters are of this process. In a child of fork those of its parent do not exist; and where parent and child
 * share the memory, which POSIX leaves open for a private condition variable, each signals its own waiters only.
 * relaxed: as in cond_is_idle. */
static bool has_waiters_here(struct cond *cond)
{
    return atomic_load_explicit(&cond->epoch, memory_order_relaxed) == port_epoch();
}

void cond_signal(struct cond *cond)
{
    if (has_waiters_here(cond))
        move_or_wake_one(choose_one(cond));
}

void cond_broadcast(struct cond *cond)
{
    if (!has_waiters_here(cond))
        return;
    struct cond_waiter *next;
    for (struct cond_waiter *each = choose_all(cond); each; each = next) {
        /* Read before: afterwards the entry may be gone. */
        next = each->next;
        move_or_wake(each);
    }
}

int cond_destroy(struct cond *cond)
{
    return wait_for_leavers(cond) ? 0 : EBUSY;
}

/* ---- Waiting ---- */

/* Sleeps while the gate is GATE_PARKED. This is where the wait can be cancelled: asynchronously, since there is no
 * other way for a system call. Nothing here needs undoing. */
__attribute__((noinline)) static long sleep_cancellable(_Atomic(uintptr_t) *gate, const struct deadline *deadline)
{
    int operation = FUTEX_WAITS_UNTIL_PRIVATE, type, ignored;
    if (deadline && deadline->clock == CLOCK_REALTIME)
        operation |= FUTEX_BY_REALTIME;
    pthread_setcanceltype(PTHREAD_CANCEL_ASYNCHRONOUS, &type);
    long answer = futex_call(gate, operation, GATE_PARKED, deadline ? &deadline->time : NULL);
    pthread_setcanceltype(type, &ignored);
    return answer;
}

/* A thread spins at its gate for about as long as a sleep and a wake-up take on an idle CPU, if that has paid off
 * lately: spinning in vain costs CREDIT_COST, spinning with success earns one. Without credit, the thread spins in one
 * of SPIN_EVERY waits.
 *
 * Two threads that take turns by a condition variable: 0.2 microseconds for a turn, 20 without spinning (glibc 24). 4
 * producers and 4 consumers: 0.11 for an item, 2.4 without (glibc 1.8). With 5 microseconds of spinning instead of 25,
 * two threads seldom met. */
enum {
    CREDIT_COST = 4,
    MAX_CREDIT = 16,
    SPIN_EVERY = 256,
    SPIN_LENGTH = 5 /* times what a follower spins in a mutex */
};

static bool opens_soon(_Atomic(uintptr_t) *gate)
{
    static _Thread_local unsigned credit = MAX_CREDIT, waits;
    if (credit == 0 && ++waits % SPIN_EVERY != 0)
        return false;
    int64_t start = port_ticks();
    do {
        /* relaxed: the gate is read again by recip_waiter_await. */
        if (!gate_is_shut(atomic_load_explicit(gate, memory_order_relaxed))) {
            credit += credit < MAX_CREDIT;
            return true;
        }
        port_relax();
    } while (port_ticks() - start < SPIN_LENGTH * recip_tuning.signalled);
    credit = credit > CREDIT_COST ? credit - CREDIT_COST : 0;
    return false;
}

/* Until the gate opens or the deadline passes. */
static void sleep_at_gate(struct cond_waiter *self, const struct deadline *deadline)
{
    _Atomic(uintptr_t) *gate = &self->element.gate;
    uintptr_t closed = GATE_CLOSED;
    pthread_testcancel();
    if (opens_soon(gate))
        return;
    /* relaxed: says "asleep" and nothing else; the gate is read again by recip_waiter_await. */
    atomic_compare_exchange_strong_explicit(gate, &closed, GATE_PARKED, memory_order_relaxed, memory_order_relaxed);
    while (atomic_load_explicit(gate, memory_order_relaxed) == GATE_PARKED)
        if (sleep_cancellable(gate, deadline) == -ETIMEDOUT)
            return;
}

static int lock_after(struct cond_waiter *self, bool signalled)
{
    if (signalled) {
        if (preload_mode & MODE_COUNTS)
            mutex_wait_begins(self->site);
        uintptr_t message = recip_waiter_await(&self->element, NULL);
        if (self->element.mutex) {
            recip_mutex_lock_admitted(self->element.mutex, &self->element, message);
            mutex_acquired_as_flagship(self->mutex, self->site, self->moved_at);
            return 0;
        }
    }
    return mutex_lock(self->mutex, self->site);
}

/* However the sleep ended. Returns what locking the mutex returned. */
static int lock_again(struct cond_waiter *self, bool signalled)
{
    PROBE1(mutex_entry, self->mutex);
    int error = lock_after(self, signalled);
    if (!error && !mutex_is_nested(self->mutex))
        PROBE1(mutex_acquired, self->mutex);
    if (error == 0 || error == EOWNERDEAD)
        mutex_use_ends(self->mutex);
    return error;
}

static void end_cancelled(void *of)
{
    struct cond_waiter *self = of;
    bool signalled = !withdraw(self);
    if (signalled)
        move_or_wake_one(pass_signal_on(self));
    lock_again(self, signalled);
}

/* The mutex could not be unlocked, so this thread does not wait after all. */
static void undo_wait(struct cond_waiter *self)
{
    mutex_use_ends(self->mutex);
    if (!withdraw(self)) {
        move_or_wake_one(pass_signal_on(self));
        recip_waiter_await(&self->element, NULL);
    }
}

int cond_wait(struct cond *cond, struct mutex *mutex, const struct deadline *deadline, const void *site)
{
    struct cond_waiter self = {.cond = cond, .mutex = mutex, .site = site, .thread = mutex_thread_number};
    int error = mutex_is_left_to_glibc(mutex) ? 0 : mutex_check_owner(mutex);
    if (error)
        return error;
    self.element.mutex = mutex_flagship_to_release(mutex);
    gate_close(&self.element.gate);
    lock_inner(cond);
    add_waiter(cond, &self);
    unlock_inner(cond);
    mutex_use_begins(mutex);
    bool nested = mutex_is_nested(mutex);
    error = mutex_unlock(mutex);
    if (!error && !nested)
        PROBE1(mutex_release, mutex);
    if (error) {
        undo_wait(&self);
        return error;
    }
    pthread_cleanup_push(end_cancelled, &self);
    sleep_at_gate(&self, deadline);
    pthread_cleanup_pop(0);
    /* acquire: with the release in recip_waiter_open, after which the state is no longer WAITING. */
    bool timed_out = gate_is_shut(atomic_load_explicit(&self.element.gate, memory_order_acquire)) && withdraw(&self);
    if (!timed_out)
        use_signal(&self);
    error = lock_again(&self, !timed_out);
    return error ? error : timed_out ? ETIMEDOUT : 0;
}
