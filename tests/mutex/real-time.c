/* SPDX-License-Identifier: MIT */
/* A thread of a real-time class neither yields nor naps, however it waits: a yield gives away the rest of a period of
 * one with a deadline, and a nap lets the release go by. Every other thread does. The calls are counted: the program
 * stands between the library and the C library's functions that make them (--wrap).
 */
#include "common.h"

#include <errno.h>
#include <string.h>
#include <sys/syscall.h>

#include "port/port.h"

/* ---- Classes ---- */

/* The kernel's struct sched_attr, and its number of SCHED_DEADLINE: few headers have them. */
struct attributes {
    uint32_t size, policy;
    uint64_t flags;
    int32_t nice;
    uint32_t priority;
    uint64_t runtime, deadline, period;
};

enum { BY_DEADLINE = 6, BY_FIFO = SCHED_FIFO, BY_ROUND_ROBIN = SCHED_RR, ON_FORK_RESET = 1 };

static bool set_class(uint32_t policy, uint64_t flags)
{
    struct attributes attributes = {.size = sizeof attributes, .policy = policy, .flags = flags};
    attributes.priority = policy == BY_FIFO || policy == BY_ROUND_ROBIN;
    if (policy == BY_DEADLINE) {
        attributes.runtime = 20000000;
        attributes.deadline = 40000000;
        attributes.period = 40000000;
    }
    return syscall(SYS_sched_setattr, 0, &attributes, 0) == 0;
}

/* ---- Calls of this thread ---- */

static _Thread_local unsigned yields, naps;

int __real_sched_yield(void);
int __wrap_sched_yield(void);
long __real_syscall(long number, ...);
long __wrap_syscall(long number, long a, long b, long c, long d, long e, long f);

int __wrap_sched_yield(void)
{
    yields++;
    return __real_sched_yield();
}

long __wrap_syscall(long number, long a, long b, long c, long d, long e, long f)
{
    yields += number == SYS_sched_yield;
    naps += number == SYS_clock_nanosleep;
#ifdef SYS_nanosleep
    naps += number == SYS_nanosleep;
#endif
    return __real_syscall(number, a, b, c, d, e, f);
}

/* ---- Threads of the usual class, which lock all the time ---- */

enum { HOGS = 3, SHORT = 0, LONG = 20000 };

static struct shared {
    recip_mutex_t mutex;
    recip_cond_t cond;
    recip_sem_t sem;
    unsigned waiting, turns; /* in a section */
    bool stop;
} shared;

static void *hog(void *unused)
{
    for (bool stop = false; !stop;) {
        recip_mutex_lock(&shared.mutex);
        for (volatile unsigned turn = 0; turn < shared.turns; turn++) {
        }
        if (shared.waiting > 0) {
            shared.waiting--;
            recip_cond_signal(&shared.cond);
            recip_sem_post(&shared.sem);
        }
        stop = shared.stop;
        recip_mutex_unlock(&shared.mutex);
    }
    return unused;
}

static void set(unsigned turns, bool stop)
{
    recip_mutex_lock(&shared.mutex);
    shared.turns = turns;
    shared.stop = stop;
    recip_mutex_unlock(&shared.mutex);
}

/* ---- The thread that is looked at ---- */

static void wait_in_every_way(void)
{
    recip_mutex_lock(&shared.mutex);
    recip_mutex_unlock(&shared.mutex);
    struct timespec late = after(CLOCK_MONOTONIC, 100000), never = after(CLOCK_MONOTONIC, 0);
    never.tv_sec += 1000;
    if (recip_mutex_clocklock(&shared.mutex, CLOCK_MONOTONIC, &late) == 0)
        recip_mutex_unlock(&shared.mutex);
    MUST(recip_mutex_clocklock(&shared.mutex, CLOCK_MONOTONIC, &never) == 0);
    shared.waiting++;
    recip_cond_wait(&shared.cond, &shared.mutex);
    recip_mutex_unlock(&shared.mutex);
    recip_sem_wait(&shared.sem);
}

struct look {
    uint32_t policy;
    uint64_t flags;
    int error;             /* if the class may not be had */
    unsigned yields, naps; /* after the rounds; or as soon as there was one, if `until_one` */
    bool until_one;
};

static void *take_part(void *of)
{
    enum { ROUNDS = REPEAT(50) };
    struct look *look = of;
    look->error = set_class(look->policy, look->flags) ? 0 : errno;
    if (look->error)
        return NULL;
    yields = naps = 0;
    for (int round = 0; look->until_one ? yields + naps == 0 : round < ROUNDS; round++)
        wait_in_every_way();
    if (!look->until_one) { /* there may have been no cause for it */
        port_yield();
        port_nap(1);
    }
    look->yields = yields;
    look->naps = naps;
    return NULL;
}

static struct look look_at(uint32_t policy, uint64_t flags, bool until_one)
{
    static const unsigned sections[] = {SHORT, LONG};
    struct look all = {.policy = policy};
    for (int i = 0; i < 2 && !all.error; i++) {
        struct look one = {.policy = policy, .flags = flags, .until_one = until_one};
        pthread_t hogs[HOGS];
        set(sections[i], false);
        for (int j = 0; j < HOGS; j++)
            hogs[j] = start(hog, NULL);
        finish(start(take_part, &one));
        set(SHORT, true);
        for (int j = 0; j < HOGS; j++)
            finish(hogs[j]);
        all.yields += one.yields;
        all.naps += one.naps;
        all.error = one.error;
    }
    return all;
}

static void looks_and_calls_nothing(const char *name, uint32_t policy, uint64_t flags)
{
    struct look look = look_at(policy, flags, false);
    if (look.error) {
        printf("not tried: %s: %s\n", name, strerror(look.error));
        skip();
    }
    assert_int_equal(look.yields, 0);
    assert_int_equal(look.naps, 0);
}

static void by_fifo(void **unused)
{
    (void)unused;
    looks_and_calls_nothing("SCHED_FIFO", BY_FIFO, 0);
}

static void by_round_robin(void **unused)
{
    (void)unused;
    looks_and_calls_nothing("SCHED_RR", BY_ROUND_ROBIN, 0);
    looks_and_calls_nothing("SCHED_RR, reset on fork", BY_ROUND_ROBIN, ON_FORK_RESET);
}

static void by_deadline(void **unused)
{
    (void)unused;
    looks_and_calls_nothing("SCHED_DEADLINE", BY_DEADLINE, 0);
}

/* In the same company: so the others have had cause for it. */
static void all_others_do(void **unused)
{
    (void)unused;
    static const uint32_t classes[] = {SCHED_BATCH, SCHED_OTHER};
    for (int i = 0; i < 2; i++) {
        struct look look = look_at(classes[i], 0, true);
        assert_int_equal(look.error, 0);
        assert_true(look.yields + look.naps > 0);
        yields = naps = 0;
        port_yield();
        port_nap(1);
        assert_int_equal(yields, 1);
        assert_int_equal(naps, 1);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(by_fifo),
        cmocka_unit_test(by_round_robin),
        cmocka_unit_test(by_deadline),
        cmocka_unit_test(all_others_do),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
