/* The native world's part of the mutex: rseq and membarrier, timed sleep, fork, naps, and the environment's tuning. */
#define RECIP_UNANNOTATED
#include "locks/port.h"

#include <linux/membarrier.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "locks/futex.h"
#include "mutex/tunables.h"
#include "mutex/waiter.h"

#if defined(__x86_64__) && defined(__has_include)
#if __has_include(<sys/rseq.h>)
#include <sys/rseq.h>
#define HAVE_RSEQ 1
#endif
#endif

ptrdiff_t recip_rseq_offset_;
unsigned recip_native_epoch;
/* Until turns have been measured, below. */
struct recip_tuning recip_tuning = {.newcomer_turns = 50, .follower_turns = 200, .leader_turns = 200};

/* ---- Release without an atomic operation, and the barrier against it ---- */

#ifdef HAVE_RSEQ
static bool switched_off(const char *name)
{
    const char *value = secure_getenv(name);
    return value && strcmp(value, "0") == 0;
}
#endif

/* Without both, release is atomic and needs no barrier. */
static void begin_rseq(void)
{
#ifdef HAVE_RSEQ
    bool wanted = !switched_off("RECIP_RSEQ") && !switched_off("RECIP_MEMBARRIER");
    if (wanted && __rseq_size && syscall(SYS_membarrier, MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED_RSEQ, 0, 0) == 0)
        recip_rseq_offset_ = __rseq_offset;
    else
        recip_rseq_offset_ = 0;
#endif
}

void recip_native_barrier(void)
{
    if (!recip_rseq_offset_)
        return;
    if (syscall(SYS_membarrier, MEMBARRIER_CMD_PRIVATE_EXPEDITED_RSEQ, 0, 0) != 0) {
        perror("recip: membarrier");
        abort();
    }
}

/* ---- Sleep with an end ---- */

bool recip_native_park32_until(_Atomic(uint32_t) *word, uint32_t expected, const struct deadline *deadline)
{
    int operation = FUTEX_WAIT_BITSET_PRIVATE;
    if (deadline && deadline->clock == CLOCK_REALTIME)
        operation |= FUTEX_CLOCK_REALTIME;
    const struct timespec *end = deadline ? &deadline->time : NULL;
    return futex_call(word, operation, expected, end) != -ETIMEDOUT;
}

void recip_native_wake32(_Atomic(uint32_t) *word)
{
    futex_call(word, FUTEX_WAKE_PRIVATE, 1, NULL);
}

_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "the futex is the lower half of a word");

/* ---- Fork ---- */

static void after_fork_in_child(void)
{
    recip_native_epoch = (recip_native_epoch + 1) % 65536;
    recip_repair_end();
    struct thread *self = port_thread();
    self->wake_due_for = NULL;
    while (self->left_behind) {
        waiter *element = self->left_behind;
        self->left_behind = element->next;
        recip_waiter_delete(element);
    }
    begin_rseq();
}

/* ---- Time ---- */

static bool is_real_time(void)
{
    int policy = sched_getscheduler(0) & ~SCHED_RESET_ON_FORK;
    return policy == SCHED_FIFO || policy == SCHED_RR;
}

/* A thread of real-time priority does not nap: it is owed the mutex as soon as that is free. */
bool recip_native_nap(int64_t nanoseconds)
{
    struct timespec time = {nanoseconds / 1000000000, nanoseconds % 1000000000};
    int kept = errno;
    bool naps = !is_real_time();
    /* By syscall: the function of that name is a cancellation point. */
    if (naps)
        syscall(SYS_clock_nanosleep, CLOCK_MONOTONIC, 0, &time, NULL);
    errno = kept;
    return naps;
}

/* The environment's choice, or the default. */
static int64_t nanoseconds_from(const char *name, int64_t nanoseconds)
{
    const char *value = secure_getenv(name);
    if (value) {
        char *end;
        errno = 0;
        long chosen = strtol(value, &end, 10);
        if (errno == 0 && end != value && !*end && chosen >= 0 && chosen < 1000000000)
            return chosen;
        fprintf(stderr, "recip: %s=%s is no number of nanoseconds; ignored\n", name, value);
    }
    return nanoseconds;
}

static unsigned turns_from(const char *name, int64_t nanoseconds)
{
    return recip_native_turns(nanoseconds_from(name, nanoseconds));
}

__attribute__((constructor)) static void begin(void)
{
    begin_rseq();
    pthread_atfork(NULL, NULL, after_fork_in_child);
    recip_tuning = (struct recip_tuning){
        .newcomer_turns = turns_from("RECIP_SPIN_NEWCOMER", NEWCOMER_NANOSECONDS),
        .newcomer_naps = NEWCOMER_NAPS,
        .follower_turns = turns_from("RECIP_SPIN_FOLLOWER", FOLLOWER_NANOSECONDS),
        .leader_turns = turns_from("RECIP_SPIN_LEADER", LEADER_NANOSECONDS),
        .yields = YIELDS,
        .nap = nanoseconds_from("RECIP_NAP", NAP_NANOSECONDS),
        .hot_patience = nanoseconds_from("RECIP_PATIENCE_HOT", HOT_PATIENCE_NANOSECONDS),
        .long_patience = nanoseconds_from("RECIP_PATIENCE", LONG_PATIENCE_NANOSECONDS),
    };
}

/* ---- Calls that take a clock ---- */

static int deadline_make(struct deadline *deadline, clockid_t clock, const struct timespec *time)
{
    if (clock != CLOCK_REALTIME && clock != CLOCK_MONOTONIC)
        return EINVAL;
    if (time->tv_nsec < 0 || time->tv_nsec > 999999999)
        return EINVAL;
    *deadline = (struct deadline){clock, *time};
    /* The kernel refuses times before the clock's zero; they have passed. */
    if (deadline->time.tv_sec < 0)
        deadline->time = (struct timespec){0, 0};
    return 0;
}

int recip_mutex_clocklock_slow_(recip_mutex_t *mutex, clockid_t clock, const struct timespec *time)
{
    struct deadline deadline;
    int error = deadline_make(&deadline, clock, time);
    return error ? error : recip_mutex_lock_until(mutex, &deadline);
}

int recip_cond_wait_(recip_cond_t *cond, recip_mutex_t *mutex, clockid_t clock, const struct timespec *time)
{
    struct deadline deadline;
    if (!time)
        return recip_cond_wait_until(cond, mutex, NULL);
    int error = deadline_make(&deadline, clock, time);
    return error ? error : recip_cond_wait_until(cond, mutex, &deadline);
}

int recip_sem_wait_(recip_sem_t *sem, clockid_t clock, const struct timespec *time)
{
    struct deadline deadline;
    if (!time)
        return recip_sem_wait_until(sem, NULL);
    int error = deadline_make(&deadline, clock, time);
    return error ? error : recip_sem_wait_until(sem, &deadline);
}
