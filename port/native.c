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

bool recip_native_park32_until(_Atomic(uint32_t) *word, uint32_t expected, const struct deadline *deadline)
{
    int operation = FUTEX_WAITS_UNTIL_PRIVATE;
    if (deadline && deadline->clock == CLOCK_REALTIME)
        operation |= FUTEX_BY_REALTIME;
    const struct timespec *end = deadline ? &deadline->time : NULL;
    port_thread()->parks++;
    return futex_call(word, operation, expected, end) != -ETIMEDOUT;
}

void recip_native_wake32(_Atomic(uint32_t) *word)
{
    futex_call(word, FUTEX_WAKES_PRIVATE, 1, NULL);
}

static bool is_real_time(void)
{
    /* By syscall: the function of that name says "not supported" in musl. */
    int policy = (int)syscall(SYS_sched_getscheduler, 0) & ~SCHED_RESET_ON_FORK;
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

enum { CALIBRATION_TURNS = 200 };

/* Of CALIBRATION_TURNS turns of port_relax: 5 to 150 ns each, by CPU. The fastest of a few tries, as a preemption can
 * only slow one down. */
static int64_t nanoseconds_of_turns(void)
{
    int64_t best = INT64_MAX;
    for (int attempt = 0; attempt < 5; attempt++) {
        int64_t start = recip_native_now();
        for (int turn = 0; turn < CALIBRATION_TURNS; turn++)
            port_relax();
        int64_t taken = recip_native_now() - start;
        if (taken < best)
            best = taken;
    }
    return best < 1 ? 1 : best;
}

unsigned recip_native_turns(int64_t nanoseconds)
{
    static int64_t calibration;
    if (!calibration)
        calibration = nanoseconds_of_turns();
    int64_t turns = nanoseconds * CALIBRATION_TURNS / calibration;
    return turns > INT_MAX ? INT_MAX : (unsigned)turns;
}

__attribute__((constructor)) static void begin(void)
{
    recip_spin_turns = recip_native_turns(SPIN_NANOSECONDS);
}
