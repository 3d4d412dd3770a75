/* SPDX-License-Identifier: MIT */
/* The native world's part of the port: the thread record, sleeping, and time. */
#include "port/port.h"

#include <limits.h>
#include <sched.h>
#include <time.h>

#include "port/futex.h"
#include "port/gate.h"

_Thread_local alignas(RECIP_LINE / 2) char recip_thread_storage[sizeof(struct thread) + RECIP_LINE / 2];

/* The half of the word that a futex compares. GATE_PARKED differs from every other value of a gate in that half: the
 * others are 0, 1 or addresses of elements, which are aligned. */
static uint32_t *futex_of(_Atomic(uintptr_t) *word)
{
    uint32_t *half = (uint32_t *)(void *)word;
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    half += sizeof(uintptr_t) / sizeof *half - 1;
#endif
    return half;
}

void recip_native_park(_Atomic(uintptr_t) *word, uintptr_t expected)
{
    port_thread()->parks++;
    futex_call(futex_of(word), FUTEX_WAITS_PRIVATE, (uint32_t)expected, NULL);
}

void recip_native_wake(_Atomic(uintptr_t) *word)
{
    futex_call(futex_of(word), FUTEX_WAKES_PRIVATE, 1, NULL);
}

bool recip_native_park_as(const void *word, uint32_t expected, uint32_t kind, const struct deadline *deadline)
{
    int operation = FUTEX_WAITS_UNTIL_PRIVATE;
    if (deadline && deadline->clock == CLOCK_REALTIME)
        operation |= FUTEX_BY_REALTIME;
    const struct timespec *end = deadline ? &deadline->time : NULL;
    port_thread()->parks++;
    return futex_call_kinds(word, operation, expected, end, kind) != -ETIMEDOUT;
}

bool recip_native_nap_at(const void *word, uint32_t expected, uint32_t kind, int64_t nanoseconds)
{
    int64_t end = recip_native_now() + nanoseconds;
    struct deadline deadline = {CLOCK_MONOTONIC, {end / 1000000000, end % 1000000000}};
    recip_native_park_as(word, expected, kind, &deadline);
    return true;
}

bool recip_native_wake_as(const void *word, uint32_t kind)
{
    return futex_call_kinds(word, FUTEX_WAKES_KIND_PRIVATE, 1, NULL, kind) > 0;
}

/* SCHED_DEADLINE, which few headers have. */
enum { SCHEDULED_BY_DEADLINE = 6 };

static bool is_real_time(void)
{
    /* By syscall: the function of that name says "not supported" in musl. */
    int policy = (int)syscall(SYS_sched_getscheduler, 0) & ~SCHED_RESET_ON_FORK;
    return policy == SCHED_FIFO || policy == SCHED_RR || policy == SCHEDULED_BY_DEADLINE;
}

/* Nor does it yield: that would not let others run who matter less, and gives away the budget of one with a deadline.
 */
void recip_native_yield(void)
{
    if (!is_real_time())
        sched_yield();
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

/* How long a thread spins before it sleeps: about what a sleep and a wake-up on another core cost. */
#define SPIN_NANOSECONDS INT64_C(10000)

/* Until the measurement below has run. */
unsigned recip_spin_turns = 400;

int64_t recip_native_now(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec * INT64_C(1000000000) + now.tv_nsec;
}

/* Ticks of port_ticks in 1,024 nanoseconds. Until they have been measured: those of a CPU of 2.5 GHz. */
static int64_t ticks_in_1024 = 2560;

int64_t recip_native_ticks_of(int64_t nanoseconds)
{
    return nanoseconds * ticks_in_1024 / 1024;
}

enum { CALIBRATION_TURNS = 200, CALIBRATIONS = 5 };

/* What CALIBRATION_TURNS turns of port_relax take: the fastest of a few tries, as a preemption can only slow one down.
 */
struct calibration {
    int64_t nanoseconds, ticks;
};

static struct calibration calibrate(void)
{
    struct calibration best = {INT64_MAX, 1};
    for (int attempt = 0; attempt < CALIBRATIONS; attempt++) {
        int64_t start = recip_native_now(), first = port_ticks();
        for (int turn = 0; turn < CALIBRATION_TURNS; turn++)
            port_relax();
        struct calibration one = {.ticks = port_ticks() - first};
        one.nanoseconds = recip_native_now() - start;
        if (one.nanoseconds < best.nanoseconds)
            best = one;
    }
    return best;
}

/* Before the library's own constructor, which asks for ticks. */
__attribute__((constructor(101))) static void begin(void)
{
    struct calibration taken = calibrate();
    if (taken.nanoseconds < 1 || taken.ticks < 1)
        return;
    recip_spin_turns = (unsigned)(SPIN_NANOSECONDS * CALIBRATION_TURNS / taken.nanoseconds);
    ticks_in_1024 = taken.ticks * 1024 / taken.nanoseconds;
}
