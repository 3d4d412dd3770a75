/* Mutexes of every type on the chosen lock: what stands between the names of <pthread.h> (names.c) and the locks. */
#define RECIP_UNANNOTATED
#include "preload/mutex.h"

#include <errno.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "port/futex.h"
#include "src/waiter.h"
#include "preload/glibc.h"
#include "preload/statistics.h"

/* ---- Owners ---- */

_Thread_local uint32_t mutex_thread_number;

uint32_t mutex_number_thread(void)
{
    static _Atomic(uint32_t) numbers;
    while (mutex_thread_number == 0)
        mutex_thread_number = atomic_fetch_add_explicit(&numbers, 1, memory_order_relaxed) + 1;
    return mutex_thread_number;
}

static bool owner_is_self(struct mutex *mutex)
{
    return mutex_has_owner(mutex) && mutex_owner_of(mutex) == mutex_self();
}

int mutex_check_owner(struct mutex *mutex)
{
    return mutex_has_owner(mutex) && !owner_is_self(mutex) ? EPERM : 0;
}

/* ---- Duty and users ---- */

#define USERS_SHIFT 48
#define USER (UINT64_C(1) << USERS_SHIFT)

/* relaxed, all: the owner writes, and what others read is a hint. */
static uint64_t duty_of(struct mutex *mutex)
{
    return atomic_load_explicit(&mutex->duty_and_users, memory_order_relaxed) & (USER - 1);
}

static void set_duty(struct mutex *mutex, uint64_t duty)
{
    uint64_t users = atomic_load_explicit(&mutex->duty_and_users, memory_order_relaxed) & ~(USER - 1);
    atomic_store_explicit(&mutex->duty_and_users, users | duty, memory_order_relaxed);
}

static bool is_used(struct mutex *mutex)
{
    return atomic_load_explicit(&mutex->duty_and_users, memory_order_relaxed) >= USER;
}

/* More than 65534 users are too many to count: then it stays at that, and the mutex counts as used for good. */
static void count_user(struct mutex *mutex, bool begins)
{
    uint64_t word = atomic_load_explicit(&mutex->duty_and_users, memory_order_relaxed);
    if (word >> USERS_SHIFT == UINT16_MAX)
        return;
    atomic_store_explicit(&mutex->duty_and_users, begins ? word + USER : word - USER, memory_order_relaxed);
}

/* A mutex of glibc's has a field for it, which its own condition variables keep in the same way. */
static void count_user_of_glibc(pthread_mutex_t *mutex, int change)
{
    if (mutex->__data.__owner == gettid())
        mutex->__data.__nusers += (unsigned)change;
}

void mutex_use_begins(struct mutex *mutex)
{
    if (mutex_is_handed_through(mutex))
        count_user_of_glibc((pthread_mutex_t *)mutex, 1);
    else
        count_user(mutex, true);
}

void mutex_use_ends(struct mutex *mutex)
{
    if (mutex_is_handed_through(mutex))
        count_user_of_glibc((pthread_mutex_t *)mutex, -1);
    else
        count_user(mutex, false);
}

/* ---- The flagship ---- */

/* The mutex's code puts a wake-up off until this thread releases. The duty moves into the mutex, so that whichever
 * thread releases it will do it: POSIX does not allow another, but with glibc it works. */
static void keep_wake_up(struct mutex *mutex)
{
    _Atomic(uintptr_t) *sleeper = recip_wake_due_take(&mutex->lock.flagship);
    if (sleeper)
        set_duty(mutex, (uintptr_t)sleeper);
}

struct mutex *mutex_lock_contended(struct mutex *mutex)
{
    recip_mutex_lock_slow_(&mutex->lock.flagship);
    keep_wake_up(mutex);
    return mutex;
}

static void flagship_lock(struct mutex *mutex)
{
    if (!recip_take_(&mutex->lock.flagship))
        mutex_lock_contended(mutex);
}

static bool flagship_trylock(struct mutex *mutex)
{
    return recip_mutex_trylock(&mutex->lock.flagship) == 0;
}

/* After a try that failed. */
static int flagship_lock_until(struct mutex *mutex, clockid_t clock, const struct timespec *time)
{
    int error = recip_mutex_clocklock_slow_(&mutex->lock.flagship, clock, time);
    if (!error)
        keep_wake_up(mutex);
    return error;
}

struct mutex *mutex_unlock_contended(struct mutex *mutex)
{
    _Atomic(uintptr_t) *sleeper = NULL;
    if (__atomic_load_n(&mutex->lock.flagship.state, __ATOMIC_RELAXED) & RECIP_WAKE_DUE_) {
        sleeper = (_Atomic(uintptr_t) *)duty_of(mutex);
        set_duty(mutex, 0);
    }
    recip_mutex_unlock_slow_(&mutex->lock.flagship);
    if (sleeper)
        port_wake(sleeper);
    return mutex;
}

static void flagship_unlock(struct mutex *mutex)
{
    if (!recip_release_(&mutex->lock.flagship.state, RECIP_LOCKED_, 0))
        mutex_unlock_contended(mutex);
}

static bool flagship_is_busy(struct mutex *mutex)
{
    recip_mutex_t *lock = &mutex->lock.flagship;
    bool idle =
        __atomic_load_n(&lock->state, __ATOMIC_RELAXED) == 0 && __atomic_load_n(&lock->arrivals, __ATOMIC_RELAXED) == 0;
    return !idle && recip_mutex_destroy(lock) != 0;
}

/* ---- Locks of the zoo ---- */

/* In a child of fork, locked by its parent: the queue may hold threads that do not exist here. It is not joined, and
 * the release does away with it. */
static bool is_inherited(struct mutex *mutex)
{
    return mutex_owner_of(mutex) && duty_of(mutex) != port_epoch();
}

/* Nanoseconds. The longest: a thousand waiters that try every millisecond leave no time for the owner. */
enum { SHORTEST_NAP = 50000, LONGEST_NAP = 32 * 1000000 };

static struct timespec later(struct timespec time, long nanoseconds)
{
    time.tv_nsec += nanoseconds;
    if (time.tv_nsec >= 1000000000) {
        time.tv_nsec -= 1000000000;
        time.tv_sec++;
    }
    return time;
}

static bool is_before(const struct timespec *a, const struct timespec *b)
{
    return a->tv_sec < b->tv_sec || (a->tv_sec == b->tv_sec && a->tv_nsec < b->tv_nsec);
}

/* A sleep that is no cancellation point, up to `end` at most; false if that has passed. */
static bool nap(clockid_t clock, const struct timespec *end, long nanoseconds)
{
    static const uint32_t nobody_wakes;
    struct timespec now = {0};
    /* By syscall: the function of that name may be another library's, with a clock that the kernel knows nothing of. */
    syscall(SYS_clock_gettime, clock, &now);
    if (end && !is_before(&now, end))
        return false;
    struct timespec until = later(now, nanoseconds);
    if (end && is_before(end, &until))
        until = *end;
    futex_call(&nobody_wakes, FUTEX_WAIT_BITSET_PRIVATE | (clock == CLOCK_REALTIME ? FUTEX_CLOCK_REALTIME : 0), 0,
               &until);
    return true;
}

static long next_nap(long nanoseconds)
{
    return nanoseconds < LONGEST_NAP / 2 ? nanoseconds * 2 : LONGEST_NAP;
}

static bool zoo_trylock(struct mutex *mutex)
{
    return preload_zoo->mutex_trylock(mutex->lock.zoo);
}

/* The owner that locks again waits for another thread to unlock, which POSIX forbids and glibc's own tests do. A lock
 * that knows its owner by its element would not find it in the queue as well: it stays out. */
static void zoo_lock(struct mutex *mutex)
{
    if (mutex_owner_of(mutex) == mutex_self()) {
        for (long pause = SHORTEST_NAP; !zoo_trylock(mutex); pause = next_nap(pause))
            nap(CLOCK_MONOTONIC, NULL, pause);
        return;
    }
    while (is_inherited(mutex))
        nap(CLOCK_MONOTONIC, NULL, SHORTEST_NAP);
    preload_zoo->mutex_lock(mutex->lock.zoo);
}

/* These locks cannot give up waiting, so a timed wait does not queue: it tries now and then. */
static int zoo_lock_until(struct mutex *mutex, clockid_t clock, const struct timespec *end)
{
    long pause = SHORTEST_NAP;
    while (!zoo_trylock(mutex)) {
        if (end->tv_nsec < 0 || end->tv_nsec > 999999999)
            return EINVAL;
        if (!nap(clock, end, pause))
            return ETIMEDOUT;
        pause = next_nap(pause);
    }
    return 0;
}

static void zoo_unlock(struct mutex *mutex)
{
    bool inherited = is_inherited(mutex);
    mutex_set_owner(mutex, 0);
    if (inherited)
        memset(mutex->lock.zoo, 0, sizeof mutex->lock.zoo);
    else
        preload_zoo->mutex_unlock(mutex->lock.zoo);
}

/* ---- The calls ---- */

static bool lock_is_of_zoo(void)
{
    return preload_mode & MODE_ZOO;
}

static bool keeps_statistics(void)
{
    return preload_mode & MODE_STATISTICS;
}

static bool any_trylock(struct mutex *mutex)
{
    return lock_is_of_zoo() ? zoo_trylock(mutex) : flagship_trylock(mutex);
}

static void any_lock(struct mutex *mutex)
{
    if (lock_is_of_zoo())
        zoo_lock(mutex);
    else
        flagship_lock(mutex);
}

/* The lock is the caller's. `since`: when it began to wait, or 0. */
static void acquired(struct mutex *mutex, const void *site, uint64_t since)
{
    if (lock_is_of_zoo())
        set_duty(mutex, port_epoch());
    mutex_set_owner(mutex, mutex_self());
    if (keeps_statistics())
        statistics_acquired(mutex, site, since);
}

void mutex_acquired_as_flagship(struct mutex *mutex, const void *site)
{
    keep_wake_up(mutex);
    acquired(mutex, site, 0);
}

/* Asked of the mutex, not remembered by the thread: another may have unlocked it since, or made it anew. */
bool mutex_is_held(struct mutex *mutex)
{
    return mutex_owner_of(mutex) == mutex_self();
}

void mutex_admit_to_flagship(struct mutex *mutex, waiter *element)
{
    if (!mutex_is_held(mutex)) {
        recip_mutex_admit(&mutex->lock.flagship, element);
        return;
    }
    recip_mutex_admit_by_owner(&mutex->lock.flagship, element);
    keep_wake_up(mutex);
}

enum { NOT_OWNER = -1 };

/* What a caller that owns the mutex already is told; NOT_OWNER for everybody else. */
static int answer_owner(struct mutex *mutex, int error)
{
    return owner_is_self(mutex) ? mutex_lock_again(mutex, error) : NOT_OWNER;
}

int mutex_lock(struct mutex *mutex, const void *site)
{
    if (mutex_is_handed_through(mutex))
        return glibc()->mutex_lock((pthread_mutex_t *)mutex);
    int answer = answer_owner(mutex, EDEADLK);
    if (answer != NOT_OWNER)
        return answer;
    uint64_t since = 0;
    if (!keeps_statistics()) {
        any_lock(mutex);
    } else if (!any_trylock(mutex)) {
        since = statistics_wait_begins();
        any_lock(mutex);
    }
    acquired(mutex, site, since);
    return 0;
}

int mutex_lock_until(struct mutex *mutex, clockid_t clock, const struct timespec *time, const void *site)
{
    if (mutex_is_handed_through(mutex))
        return glibc()->mutex_clocklock((pthread_mutex_t *)mutex, clock, time);
    int answer = answer_owner(mutex, EDEADLK);
    if (answer != NOT_OWNER)
        return answer;
    uint64_t since = 0;
    if (!any_trylock(mutex)) {
        if (keeps_statistics())
            since = statistics_wait_begins();
        int error = lock_is_of_zoo() ? zoo_lock_until(mutex, clock, time) : flagship_lock_until(mutex, clock, time);
        if (error)
            return error;
    }
    acquired(mutex, site, since);
    return 0;
}

int mutex_trylock(struct mutex *mutex, const void *site)
{
    if (mutex_is_handed_through(mutex))
        return glibc()->mutex_trylock((pthread_mutex_t *)mutex);
    int answer = answer_owner(mutex, EBUSY);
    if (answer != NOT_OWNER)
        return answer;
    if (!any_trylock(mutex))
        return EBUSY;
    acquired(mutex, site, 0);
    return 0;
}

int mutex_unlock(struct mutex *mutex)
{
    if (mutex_is_handed_through(mutex))
        return glibc()->mutex_unlock((pthread_mutex_t *)mutex);
    int error = mutex_check_owner(mutex);
    if (error)
        return error;
    if (mutex->depth) {
        mutex->depth--;
        return 0;
    }
    if (preload_mode && mutex_owner_of(mutex) == 0)
        return 0; /* unlocked already: nothing happens, as in glibc */
    if (keeps_statistics())
        statistics_releasing(mutex);
    if (lock_is_of_zoo()) {
        zoo_unlock(mutex);
        return 0;
    }
    mutex_set_owner(mutex, 0);
    flagship_unlock(mutex);
    return 0;
}

recip_mutex_t *mutex_flagship_to_release(struct mutex *mutex)
{
    return mutex_is_handed_through(mutex) || lock_is_of_zoo() || mutex->depth ? NULL : &mutex->lock.flagship;
}

int mutex_init(struct mutex *mutex, int type, const void *site)
{
    /* Adaptive is what these locks are anyway; as the normal type it goes the short way. */
    *mutex = (struct mutex){.kind = type == PTHREAD_MUTEX_ADAPTIVE_NP ? PTHREAD_MUTEX_NORMAL : type};
    if (keeps_statistics())
        statistics_created(mutex, site);
    return 0;
}

int mutex_destroy(struct mutex *mutex)
{
    if (mutex_is_handed_through(mutex))
        return glibc()->mutex_destroy((pthread_mutex_t *)mutex);
    bool busy = lock_is_of_zoo() ? mutex_owner_of(mutex) != 0 : flagship_is_busy(mutex);
    if (busy || is_used(mutex))
        return EBUSY;
    if (keeps_statistics())
        statistics_destroyed(mutex);
    mutex->kind = KIND_DESTROYED;
    return 0;
}
