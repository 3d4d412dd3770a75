/* Condition variables for the mutexes of this library, and for glibc's when the condition variable is private: glibc's
 * own would unlock by ways that no other library sees. Process-shared ones are handed through (shared.c).
 *
 * Waiters are listed, first come first signalled. Where the mutex is the flagship, a waiter that is signalled by the
 * mutex's owner while the mutex is not busy, or with others by a broadcast, is not woken to lock: its element moves to
 * the arrivals of the mutex, and its gate is opened when it leads. Any other is woken and locks. Who waits, who is
 * signalled and when it may be destroyed: sleepers.h.
 */
#define RECIP_UNANNOTATED
#include "preload/cond.h"

#include <errno.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "port/futex.h"
#include "src/tunables.h"
#include "preload/glibc.h"
#include "preload/mutex.h"
#include "preload/probes.h"

#define EXPORT __attribute__((visibility("default")))
#define SITE __builtin_return_address(0)

/* ---- The inner mutex ---- */

/* In a child of fork the waiters of its parent do not exist, nor the thread that may hold the inner mutex. */
static void repair(struct cond *cond)
{
    recip_repair_begin();
    if (atomic_load_explicit(&cond->epoch, memory_order_relaxed) != port_epoch()) {
        cond->inner = (recip_mutex_t)RECIP_MUTEX_INIT;
        cond->last = cond->owing = NULL;
        atomic_store_explicit(&cond->first, NULL, memory_order_relaxed);
        /* release: with the acquire in enter. */
        atomic_store_explicit(&cond->epoch, port_epoch(), memory_order_release);
    }
    recip_repair_end();
}

static void enter(struct cond *cond)
{
    if (atomic_load_explicit(&cond->epoch, memory_order_acquire) != port_epoch())
        repair(cond);
    recip_mutex_lock(&cond->inner);
}

static void leave(struct cond *cond)
{
    recip_mutex_unlock(&cond->inner);
}

#include "preload/sleepers.h"

/* ---- Signal and broadcast ---- */

/* The last access to it: from here on the waiter goes its own way. */
static void let_go(struct sleeper *sleeper)
{
    if (sleeper->element.mutex)
        mutex_admit_to_flagship(sleeper->mutex, &sleeper->element);
    else
        recip_waiter_open(&sleeper->element, SEGMENT_EMPTY);
}

/* Whom one signal fell on, or null. It moves to its mutex if the signal is the owner's and the mutex is not busy
 * (src/cond.c says why). */
static void let_one_go(struct sleeper *chosen)
{
    if (!chosen)
        return;
    recip_mutex_t *flagship = chosen->element.mutex;
    if (flagship && (!mutex_is_held(chosen->mutex) || recip_mutex_is_busy(flagship)))
        chosen->element.mutex = NULL;
    let_go(chosen);
}

/* Of this generation of forks: the waiters of its parent are not here. Where the memory is shared, which POSIX leaves
 * open for a private condition variable, those of the parent or child stay its own. relaxed: as in is_idle. */
static bool is_waited_for_here(struct cond *cond)
{
    return !is_idle(cond) && atomic_load_explicit(&cond->epoch, memory_order_relaxed) == port_epoch();
}

static void signal_one(struct cond *cond)
{
    let_one_go(take_one(cond));
}

static void signal_all(struct cond *cond)
{
    struct sleeper *next;
    for (struct sleeper *each = take_all(cond); each; each = next) {
        /* Before it is let go: afterwards it may be gone. */
        next = each->next;
        let_go(each);
    }
}

/* ---- Waiting ---- */

/* Sleep while the gate says so. The place where the wait can be cancelled: asynchronously, since the kernel knows
 * no other way. Nothing here needs undoing. */
__attribute__((noinline)) static long sleep_cancellable(_Atomic(uintptr_t) *gate, const struct deadline *deadline)
{
    int operation = FUTEX_WAIT_BITSET_PRIVATE, type, ignored;
    if (deadline && deadline->clock == CLOCK_REALTIME)
        operation |= FUTEX_CLOCK_REALTIME;
    pthread_setcanceltype(PTHREAD_CANCEL_ASYNCHRONOUS, &type);
    long answer = futex_call(gate, operation, GATE_PARKED, deadline ? &deadline->time : NULL);
    pthread_setcanceltype(type, &ignored);
    return answer;
}

/* A thread looks at its gate for about as long as a sleep and a wake-up take on an idle CPU, if that has been of use to
 * it lately: a try in vain costs SPIN_COST of the credit, a good one adds one. Without credit it tries once in
 * SPIN_SELDOM waits. Two threads that take turns by a condition variable: 0.2 microseconds for a turn, 20 without
 * (glibc 24); 4 producers and 4 consumers: 0.11 for an item, 2.4 without (glibc 1.8). With 5 microseconds instead of 25
 * two threads seldom found to each other. */
enum { SPIN_COST = 4, SPIN_MOST = 16, SPIN_SELDOM = 256, SPIN_LENGTH = 5 /* times what a follower spins in a mutex */ };

static bool opens_soon(_Atomic(uintptr_t) *gate)
{
    static _Thread_local unsigned credit = SPIN_MOST, waits;
    if (credit == 0 && ++waits % SPIN_SELDOM != 0)
        return false;
    for (unsigned turn = 0; turn < SPIN_LENGTH * recip_tuning.follower_turns; turn++) {
        /* relaxed: the gate is read again by recip_waiter_await. */
        if (!gate_is_shut(atomic_load_explicit(gate, memory_order_relaxed))) {
            credit += credit < SPIN_MOST;
            return true;
        }
        port_relax();
    }
    credit = credit > SPIN_COST ? credit - SPIN_COST : 0;
    return false;
}

/* Until the gate opens, or the time is over. */
static void sleep_at_gate(struct sleeper *self, const struct deadline *deadline)
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

static int lock_after(struct sleeper *self, bool signalled)
{
    if (signalled) {
        uintptr_t message = recip_waiter_await(&self->element, NULL);
        if (self->element.mutex) {
            recip_mutex_lock_admitted(self->element.mutex, &self->element, message);
            mutex_acquired_as_flagship(self->mutex, self->site);
            return 0;
        }
    }
    return mutex_lock(self->mutex, self->site);
}

/* After the sleep, whatever ended it. The mutex is the caller's again, if the result, its lock's answer, is 0. */
static int lock_again(struct sleeper *self, bool signalled)
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
    struct sleeper *self = of;
    bool signalled = !withdraw(self);
    if (signalled)
        let_one_go(pass_signal_on(self));
    lock_again(self, signalled);
}

static int wait_until(struct cond *cond, struct mutex *mutex, const struct deadline *deadline, const void *site)
{
    struct sleeper self = {.cond = cond, .mutex = mutex, .site = site};
    int error = mutex_is_handed_through(mutex) ? 0 : mutex_check_owner(mutex);
    if (error)
        return error;
    self.element.mutex = mutex_flagship_to_release(mutex);
    gate_close(&self.element.gate);
    enter(cond);
    append(cond, &self);
    leave(cond);
    mutex_use_begins(mutex);
    bool nested = mutex_is_nested(mutex);
    error = mutex_unlock(mutex);
    if (!error && !nested)
        PROBE1(mutex_release, mutex);
    if (error) {
        mutex_use_ends(mutex);
        if (!withdraw(&self)) {
            let_one_go(pass_signal_on(&self));
            recip_waiter_await(&self.element, NULL);
        }
        return error;
    }
    pthread_cleanup_push(end_cancelled, &self);
    sleep_at_gate(&self, deadline);
    pthread_cleanup_pop(0);
    /* acquire: with the release in recip_waiter_open, after which the state is no longer WAITING. */
    bool timed_out = gate_is_shut(atomic_load_explicit(&self.element.gate, memory_order_acquire)) && withdraw(&self);
    if (!timed_out)
        keep_signal(&self);
    error = lock_again(&self, !timed_out);
    return error ? error : timed_out ? ETIMEDOUT : 0;
}

static int wait_on_clock(struct cond *cond, struct mutex *mutex, clockid_t clock, const struct timespec *time,
                         const void *site)
{
    if (time->tv_nsec < 0 || time->tv_nsec > 999999999)
        return EINVAL;
    struct deadline deadline = {clock, *time};
    /* The kernel refuses times before the clock's zero; they have passed. */
    if (time->tv_sec < 0)
        deadline.time = (struct timespec){0, 0};
    return wait_until(cond, mutex, &deadline, site);
}

/* ---- The names of <pthread.h> ---- */

static bool is_handed_through(struct cond *cond)
{
    return (cond->flags & COND_SHARED) || (preload_mode_decided() & MODE_GLIBC);
}

EXPORT int pthread_cond_wait(pthread_cond_t *cond, pthread_mutex_t *mutex)
{
    PROBE2(cond_wait, cond, mutex);
    if (is_handed_through(cond_of(cond)))
        return shared_wait(cond, mutex, COND_NO_CLOCK, NULL);
    return wait_until(cond_of(cond), mutex_of(mutex), NULL, SITE);
}

EXPORT int pthread_cond_timedwait(pthread_cond_t *cond, pthread_mutex_t *mutex, const struct timespec *time)
{
    PROBE2(cond_wait, cond, mutex);
    if (is_handed_through(cond_of(cond)))
        return shared_wait(cond, mutex, COND_NO_CLOCK, time);
    clockid_t clock = cond_of(cond)->flags & COND_MONOTONIC ? CLOCK_MONOTONIC : CLOCK_REALTIME;
    return wait_on_clock(cond_of(cond), mutex_of(mutex), clock, time, SITE);
}

EXPORT int pthread_cond_clockwait(pthread_cond_t *cond, pthread_mutex_t *mutex, clockid_t clock,
                                  const struct timespec *time)
{
    PROBE2(cond_wait, cond, mutex);
    if (clock != CLOCK_REALTIME && clock != CLOCK_MONOTONIC)
        return EINVAL;
    if (is_handed_through(cond_of(cond)))
        return shared_wait(cond, mutex, clock, time);
    return wait_on_clock(cond_of(cond), mutex_of(mutex), clock, time, SITE);
}

EXPORT int pthread_cond_signal(pthread_cond_t *cond)
{
    PROBE1(cond_signal, cond);
    if (is_handed_through(cond_of(cond)))
        return shared_signal(cond, glibc()->cond_signal);
    if (is_waited_for_here(cond_of(cond)))
        signal_one(cond_of(cond));
    return 0;
}

EXPORT int pthread_cond_broadcast(pthread_cond_t *cond)
{
    PROBE1(cond_broadcast, cond);
    if (is_handed_through(cond_of(cond)))
        return shared_signal(cond, glibc()->cond_broadcast);
    if (is_waited_for_here(cond_of(cond)))
        signal_all(cond_of(cond));
    return 0;
}

EXPORT int pthread_cond_init(pthread_cond_t *cond, const pthread_condattr_t *attributes)
{
    int shared = PTHREAD_PROCESS_PRIVATE;
    clockid_t clock = CLOCK_REALTIME;
    PROBE2(cond_init, cond, attributes);
    if (attributes) {
        pthread_condattr_getpshared(attributes, &shared);
        pthread_condattr_getclock(attributes, &clock);
    }
    if (shared != PTHREAD_PROCESS_PRIVATE || (preload_mode_decided() & MODE_GLIBC))
        return glibc()->cond_init(cond, attributes);
    *cond_of(cond) = (struct cond){.flags = clock == CLOCK_MONOTONIC ? COND_MONOTONIC : 0};
    return 0;
}

EXPORT int pthread_cond_destroy(pthread_cond_t *cond)
{
    struct cond *own = cond_of(cond);
    PROBE1(cond_destroy, cond);
    if (is_handed_through(own))
        return glibc()->cond_destroy(cond);
    return see_all_off(own) ? 0 : EBUSY;
}

/* ---- For dlvsym ---- */

/* It passes over functions without a version, and other libraries that stand in front of these calls (libfaketime) find
 * the next in line by it, because glibc for x86-64 has two versions of each. A jump, since the linker drops the name
 * without a version if both are at the same place. */
#ifdef __x86_64__
#define VERSION(name, version)                                                                                         \
    __asm__(".pushsection .text\n"                                                                                     \
            ".globl versioned_" #name #version "\n"                                                                    \
            ".type versioned_" #name #version ", @function\n"                                                          \
            "versioned_" #name #version ": jmp own_" #name "\n"                                                        \
            ".popsection\n"                                                                                            \
            ".symver versioned_" #name #version ", " #name "@GLIBC_" #version "\n");
#define FOR_DLVSYM(name, version)                                                                                      \
    extern __typeof(name) own_##name __attribute__((alias(#name), visibility("hidden"), nothrow, leaf));               \
    VERSION(name, version)

FOR_DLVSYM(pthread_cond_init, 2.3.2)
FOR_DLVSYM(pthread_cond_destroy, 2.3.2)
FOR_DLVSYM(pthread_cond_wait, 2.3.2)
FOR_DLVSYM(pthread_cond_timedwait, 2.3.2)
FOR_DLVSYM(pthread_cond_signal, 2.3.2)
FOR_DLVSYM(pthread_cond_broadcast, 2.3.2)
FOR_DLVSYM(pthread_cond_clockwait, 2.30)
VERSION(pthread_cond_clockwait, 2.34)
#endif
