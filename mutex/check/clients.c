/* recip check --source mutex/check/clients.c: the mutex's slow path in every execution, with the release that is no
 * atomic operation and without it. The lock's last user frees it, so late accesses are found too.
 *
 *     CLIENT=NAME recip check --source ...    only that one; all, otherwise
 */
#undef RECIP_PORT
#define RECIP_PORT "mutex/check/port.h"

#include "mutex/cond.c"
#include "mutex/mutex.c"
#include "mutex/sem.c"

#include <stdlib.h>
#include <string.h>

_Atomic(unsigned) check_section[MOST_SECTIONS];
unsigned check_threads;
bool check_rseq;

waiter *recip_waiter_new(void)
{
    return check_allocate(64, sizeof(waiter));
}

void recip_waiter_delete(waiter *element)
{
    check_free(element);
}

static recip_mutex_t mutex;
static int first, second, left;
static struct deadline deadline;

static void use(void)
{
    check_owned(&mutex);
    check_assert(first == second);
    first++;
    second++;
    bool last = --left == 0;
    check_leaving(&mutex);
    recip_mutex_unlock(&mutex);
    if (last)
        check_gone(&mutex, sizeof mutex);
}

static void lock(void *times)
{
    for (uintptr_t i = 0; i < (uintptr_t)times; i++) {
        check_arriving(&mutex, sizeof mutex);
        recip_mutex_lock(&mutex);
        use();
    }
}

static void try(void *times)
{
    for (uintptr_t i = 0; i < (uintptr_t)times; i++)
        if (recip_mutex_trylock(&mutex) == 0)
            use();
}

static void lock_in_time(void *unused)
{
    (void)unused;
    if (recip_mutex_lock_until(&mutex, &deadline) == 0)
        use();
    recip_left_behind_release(port_thread());
}

static recip_cond_t cond;
static recip_sem_t sem;
static bool happened;

static void wait_for_it(void *in_time)
{
    recip_mutex_lock(&mutex);
    while (!happened)
        if (recip_cond_wait_until(&cond, &mutex, in_time ? &deadline : NULL) != 0)
            break;
    first++;
    second++;
    recip_mutex_unlock(&mutex);
}

static void make_it_happen(void *everybody)
{
    recip_mutex_lock(&mutex);
    happened = true;
    first++;
    second++;
    if (everybody)
        recip_cond_broadcast(&cond);
    else
        recip_cond_signal(&cond);
    recip_mutex_unlock(&mutex);
}

/* Nobody waits after a broadcast: the condition variable may go, even while somebody whose time was over is still about
 * to leave. */
static void make_it_happen_and_destroy(void *unused)
{
    (void)unused;
    recip_mutex_lock(&mutex);
    recip_cond_broadcast(&cond);
    check_assert(recip_cond_destroy(&cond) == 0);
    check_gone(&cond, sizeof cond);
    recip_mutex_unlock(&mutex);
}

/* Its time is over from the start, and the mutex its own. */
static void wait_too_late(void *unused)
{
    (void)unused;
    recip_cond_wait_until(&cond, &mutex, &deadline);
    recip_mutex_unlock(&mutex);
}

static void wait_for_permit(void *in_time)
{
    if (recip_sem_wait_until(&sem, in_time ? &deadline : NULL) != 0)
        return;
    /* Given by one post: whoever has the only permit is alone. */
    check_assert(first == second);
    first++;
    second++;
    recip_sem_post(&sem);
}

static void pass_deadline(void *unused)
{
    (void)unused;
    atomic_store_explicit(&deadline.passed, 1, memory_order_relaxed);
}

static void begin(bool rseq, unsigned threads, unsigned bound, int acquisitions)
{
    check_rseq = rseq;
    check_threads = threads;
    memset(check_section, 0, sizeof check_section);
    mutex = (recip_mutex_t)RECIP_MUTEX_INIT_BOUND(bound);
    first = second = 0;
    left = acquisitions;
    atomic_store_explicit(&deadline.passed, 0, memory_order_relaxed);
    check_name(&mutex.state, 4, "state");
    check_name(&mutex.arrivals, 8, "arrivals");
    check_name(check_section, sizeof check_section, "section");
    check_promise(&mutex, -1);
    cond = (recip_cond_t)RECIP_COND_INIT;
    sem = (recip_sem_t)RECIP_SEM_INIT(1);
    happened = false;
}

#define SETUP(name, rseq, threads, bound, acquisitions, ...)                                                           \
    static void name(void)                                                                                             \
    {                                                                                                                  \
        begin(rseq, threads, bound, acquisitions);                                                                     \
        __VA_ARGS__                                                                                                    \
    }
#define LOCK(times) check_thread(lock, (void *)times);
#define TRY(times) check_thread(try, (void *)times);
#define TIMED check_thread(lock_in_time, NULL);
#define CLOCK check_thread(pass_deadline, NULL);
#define WAIT(in_time) check_thread(wait_for_it, in_time);
#define HAPPEN(everybody) check_thread(make_it_happen, everybody);
#define TAKE_PERMIT(in_time) check_thread(wait_for_permit, in_time);

SETUP(two, true, 2, 1, 2, LOCK(1) LOCK(1))
SETUP(two_and_one, true, 2, 1, 3, LOCK(2) LOCK(1))
SETUP(two_and_one_in_order, true, 2, 0, 3, LOCK(2) LOCK(1))
SETUP(two_and_two, true, 2, 1, 4, LOCK(2) LOCK(2))
SETUP(tried, true, 2, 1, -1, LOCK(1) TRY(2))
SETUP(timed, true, 2, 1, -1, LOCK(1) TIMED CLOCK)
SETUP(three_atomic, false, 3, 1, 3, LOCK(1) LOCK(1) LOCK(1))
SETUP(three, true, 3, 1, 3, LOCK(1) LOCK(1) LOCK(1))
SETUP(three_in_order, true, 3, 0, 3, LOCK(1) LOCK(1) LOCK(1))
SETUP(timed_follower, false, 3, 1, -1, LOCK(1) LOCK(1) TIMED CLOCK)
SETUP(signalled, false, 2, 1, -1, WAIT(NULL) HAPPEN(NULL))
SETUP(signalled_or_not, false, 2, 1, -1, WAIT(&deadline) HAPPEN(NULL) CLOCK)
SETUP(permits, false, 2, 1, -1, TAKE_PERMIT(NULL) TAKE_PERMIT(NULL))
SETUP(permits_in_time, false, 2, 1, -1, TAKE_PERMIT(NULL) TAKE_PERMIT(&deadline) CLOCK)

static void cond_destroyed(void)
{
    begin(false, 2, 1, -1);
    atomic_store_explicit(&deadline.passed, 1, memory_order_relaxed);
    mutex.state = RECIP_LOCKED_;
    check_thread(wait_too_late, NULL);
    check_thread(make_it_happen_and_destroy, NULL);
}

static struct check_client clients[] = {
    {"cond-destroyed", cond_destroyed, NULL, NULL},
    {"timed-follower", timed_follower, NULL, NULL},
    {"permits-in-time", permits_in_time, NULL, NULL},
    {"permits", permits, NULL, NULL},
    {"signalled-or-not", signalled_or_not, NULL, NULL},
    {"signalled", signalled, NULL, NULL},
    {"three-in-order", three_in_order, NULL, NULL},
    {"three", three, NULL, NULL},
    {"three-atomic", three_atomic, NULL, NULL},
    {"timed", timed, NULL, NULL},
    {"tried", tried, NULL, NULL},
    {"two-and-two", two_and_two, NULL, NULL},
    {"two-and-one-in-order", two_and_one_in_order, NULL, NULL},
    {"two-and-one", two_and_one, NULL, NULL},
    {"two", two, NULL, NULL},
};

__attribute__((constructor)) static void register_clients(void)
{
    const char *chosen = getenv("CLIENT");
    for (size_t i = 0; i < sizeof clients / sizeof *clients; i++)
        if (!chosen || strcmp(chosen, clients[i].name) == 0)
            check_register(&clients[i]);
}
