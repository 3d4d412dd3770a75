/* SPDX-License-Identifier: MIT */
/* The mutex, condition variable and semaphore in the simulator as they ship, and what it says of them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

#include "port/port.h"

#include <recip.h>

#include "port/gate.h"
#include "port/hapax.h"
#include "port/waiting-array.h"
#include "sim/run.h"
#include "src/tunables.h"

static struct machine two_core, mesh;

static int read_machines(void **state)
{
    (void)state;
    assert_null(machine_read(&two_core, MACHINES "/two-core.machine"));
    assert_null(machine_read(&mesh, MACHINES "/altra-max.machine"));
    return 0;
}

static struct settings settings_of(const char *id, const struct machine *machine, unsigned threads, unsigned inside,
                                   unsigned outside)
{
    return (struct settings){
        .lock = recip_algorithm_find(id),
        .machine = machine,
        .threads = threads,
        .workload = WORKLOAD_TIMES,
        .context = CONTEXT_BODY,
        .episodes = 1000,
        .seed = 3,
        .critical = inside * SIM_NANOSECOND,
        .outside = outside * SIM_NANOSECOND,
        .least = 50 * 1000 * 1000 * SIM_NANOSECOND,
        .seldom_threads = 1,
        .period = 200 * 1000 * SIM_NANOSECOND,
    };
}

/* ---- Waits by the clock ---- */

static double seconds_of(sim_time time)
{
    return (double)time / (1e9 * SIM_NANOSECOND);
}

/* Hogs queue all the time, so whoever comes waits for as many sections as there are hogs, less a part of the first. One
 * that was due while the thread was still at its last visit waits up to twice that, and for what that visit was late.
 */
static void whoever_comes_to_a_ticket_lock_waits_for_all_before(void **state)
{
    (void)state;
    for (unsigned hogs = 2; hogs <= 16; hogs *= 2) {
        struct settings settings = settings_of("ticket", &mesh, hogs, 1000, 0);
        settings.period *= 3;
        settings.least *= 2;
        struct result result = run(&settings);
        double section = 1 / result.throughput;
        assert_true(result.waits.count > 100);
        assert_true(result.waits.p50 > (hogs - 1) * section && result.waits.p50 < hogs * section);
        assert_true(result.waits.p90 < (hogs + 0.5) * section);
        assert_true(result.waits.p99 <
                    2 * (hogs + 0.5) * section + seconds_of(mesh.context_switch + mesh.wake_latency));
        result_free(&result);
    }
}

/* Its CPU is idle: it runs after a wake-up and a switch, and the lock has nothing to do with it. */
static void an_idle_cpu_makes_late_by_a_wake_up(void **state)
{
    (void)state;
    double late = seconds_of(mesh.context_switch + mesh.wake_latency);
    for (unsigned hogs = 2; hogs <= 16; hogs *= 8) {
        struct settings settings = settings_of("ticket", &mesh, hogs, 1000, 0);
        settings.period *= 10;
        settings.least *= 10;
        struct result result = run(&settings);
        assert_int_equal(result.late.count, result.waits.count);
        assert_int_equal(result.from_due.count, result.waits.count);
        assert_true(result.late.p50 >= late && result.late.p90 < late + 0.5e-6);
        double sum = result.late.p50 + result.waits.p50;
        assert_true(result.from_due.p50 > sum - 0.2e-6 && result.from_due.p50 < sum + 0.2e-6);
        result_free(&result);
    }
}

/* Where the kernel does not preempt for it, it runs when a slice ends: it is late, and the lock is free. */
static void who_gets_no_cpu_is_late(void **state)
{
    (void)state;
    struct machine stubborn = two_core;
    stubborn.preempt = SIM_NEVER / 4;
    struct settings settings = settings_of("ttas", &stubborn, 2, 50, 1000);
    settings.period *= 100;
    settings.least *= 10;
    struct result result = run(&settings);
    assert_true(result.late.count > 10);
    assert_true(result.late.p90 > seconds_of(two_core.slice) / 3);
    assert_true(result.waits.p50 < 10e-6);
    assert_true(result.from_due.p50 > 10 * result.waits.p50);
    result_free(&result);
}

/* One that is not admitted until the end has waited since it came, and so have those that were due behind it. */
static void who_waits_at_the_end_counts(void **state)
{
    (void)state;
    struct settings settings = settings_of("ttas", &mesh, 1, 20, 0);
    settings.least = 1000 * 1000 * SIM_NANOSECOND;
    settings.period = 1000 * SIM_NANOSECOND;
    settings.critical = 1000 * 1000 * SIM_NANOSECOND;
    struct result result = run(&settings);
    assert_true(result.waits.count > 500);
    assert_true(result.waits.longest > 1e-3);
    assert_true(result.from_due.longest >= result.waits.longest);
    assert_true(result.late.p50 == 0); /* most were due while the thread was still waiting */
    result_free(&result);
}

static double median_wait(const char *sleeps)
{
    struct settings settings = settings_of("mutex", &two_core, 1, 20, 0);
    settings.period = 10 * 1000 * 1000 * SIM_NANOSECOND;
    settings.least *= 5;
    setenv("RECIP_CREDIT", "0", 1); /* it queues, instead of being next at once */
    if (sleeps)
        setenv("RECIP_SLEEPS_HOT", sleeps, 1);
    struct result result = run(&settings);
    unsetenv("RECIP_SLEEPS_HOT");
    unsetenv("RECIP_CREDIT");
    double wait = result.waits.p50;
    result_free(&result);
    return wait;
}

static void a_longer_patience_shows(void **state)
{
    (void)state;
    assert_true(median_wait("30") > 4 * median_wait(NULL));
}

/* ---- Condition variable and semaphore ---- */

enum { ITEMS = 300, PLACES = 4, PRODUCERS = 2, CONSUMERS = 3 };

static const struct recip_algorithm *mutex_form;
static recip_mutex_t *mutex;
static recip_cond_t *filled, *emptied;
static recip_sem_t *permits;
static unsigned queued, produced, consumed;

static void simulate(unsigned threads, void (*thread_run)(struct sim_thread *thread))
{
    world_make(&two_core, threads, 1, thread_run);
    world.counts_turns = true;
    port_begin();
    mutex_form = recip_algorithm_find("mutex");
    mutex = memory_new(OBJECT_LOCK, 0, 0, sizeof *mutex, RECIP_LINE);
    filled = memory_new(OBJECT_LOCK, 0, 0, sizeof *filled, RECIP_LINE);
    emptied = memory_new(OBJECT_LOCK, 0, 0, sizeof *emptied, RECIP_LINE);
    permits = memory_new(OBJECT_LOCK, 0, 0, sizeof *permits, RECIP_LINE);
    queued = produced = consumed = 0;
    world_start();
    while (events_step(&world.events))
        continue;
}

static void produce(void)
{
    for (unsigned i = 0; i < ITEMS / PRODUCERS; i++) {
        mutex_form->mutex_lock(mutex);
        while (queued == PLACES)
            recip_cond_wait_(emptied, mutex, CLOCK_MONOTONIC, NULL);
        queued++;
        produced++;
        recip_cond_signal_(filled);
        mutex_form->mutex_unlock(mutex);
    }
}

static void consume(void)
{
    for (unsigned i = 0; i < ITEMS / CONSUMERS; i++) {
        mutex_form->mutex_lock(mutex);
        while (queued == 0)
            recip_cond_wait_(filled, mutex, CLOCK_MONOTONIC, NULL);
        queued--;
        consumed++;
        recip_cond_signal_(emptied);
        mutex_form->mutex_unlock(mutex);
        world_advance(500 * SIM_NANOSECOND);
    }
}

static void produce_or_consume(struct sim_thread *thread)
{
    if (thread->index < PRODUCERS)
        produce();
    else
        consume();
    schedule_block(thread);
}

static void a_queue_with_condition_variables_loses_nothing(void **state)
{
    (void)state;
    simulate(PRODUCERS + CONSUMERS, produce_or_consume);
    uint64_t parks = 0;
    for (unsigned i = 0; i < world.thread_count; i++)
        parks += world.threads[i].doings.parks;
    assert_int_equal(produced, ITEMS);
    assert_int_equal(consumed, ITEMS);
    assert_true(parks > 0);
    world_free();
}

static int64_t ended_at;
static int answer;

static void wait_until_a_millisecond(struct sim_thread *thread)
{
    struct timespec deadline = {0, 1000000};
    mutex_form->mutex_lock(mutex);
    answer = recip_cond_wait_(filled, mutex, CLOCK_MONOTONIC, &deadline);
    mutex_form->mutex_unlock(mutex);
    ended_at = (int64_t)(thread->clock / SIM_NANOSECOND);
    schedule_block(thread);
}

static void a_timed_wait_ends_by_the_clock(void **state)
{
    (void)state;
    simulate(1, wait_until_a_millisecond);
    int64_t nap = (int64_t)(two_core.nap / SIM_NANOSECOND);
    assert_int_equal(answer, ETIMEDOUT);
    assert_true(ended_at >= 1000000 + nap && ended_at < 1000000 + nap + 10000);
    world_free();
}

static void post_or_wait(struct sim_thread *thread)
{
    for (unsigned i = 0; i < ITEMS; i++)
        if (thread->index == 0) {
            world_advance(30 * 1000 * SIM_NANOSECOND);
            recip_sem_post_(permits);
            produced++;
        } else {
            recip_sem_wait_(permits, CLOCK_MONOTONIC, NULL);
            consumed++;
            assert_true(consumed <= produced + 1);
        }
    schedule_block(thread);
}

static void a_semaphore_lets_as_many_through_as_were_posted(void **state)
{
    (void)state;
    simulate(2, post_or_wait);
    assert_int_equal(consumed, ITEMS);
    assert_true(world.threads[1].doings.parks > ITEMS / 2);
    world_free();
}

/* ---- The same again ---- */

static void a_seed_decides_everything(void **state)
{
    (void)state;
    static const char *const ids[] = {"mutex", "futex", "futex-adaptive", "mcs-park"};
    for (unsigned i = 0; i < 4; i++) {
        struct settings settings = settings_of(ids[i], &two_core, 5, 50, 200);
        settings.least /= 10;
        struct result one = run(&settings), two = run(&settings);
        assert_int_equal(one.episodes, two.episodes);
        assert_memory_equal(one.trace, two.trace, one.episodes * sizeof *one.trace);
        assert_memory_equal(&one.doings, &two.doings, sizeof one.doings);
        assert_memory_equal(&one.waits, &two.waits, sizeof one.waits);
        assert_memory_equal(&one.late, &two.late, sizeof one.late);
        assert_true(one.throughput == two.throughput && one.cpus_busy == two.cpus_busy);
        result_free(&two);
        settings.seed++;
        two = run(&settings);
        assert_true(one.throughput != two.throughput);
        result_free(&one);
        result_free(&two);
    }
}

/* Locks find this data of the program's at its own addresses: which of it shares a line is no matter of the build. */
static void the_program_s_own_data_begins_a_line(void **state)
{
    (void)state;
    const void *const data[] = {&recip_tuning,       &recip_spin_turns, &recip_rseq_offset_,
                                recip_waiting_array, recip_hapax_slots, &recip_hapax_blocks};
    for (size_t i = 0; i < sizeof data / sizeof *data; i++)
        assert_int_equal((uintptr_t)data[i] % RECIP_LINE, 0);
}

/* ---- Work ---- */

/* What a run costs is its number of events: 72 threads and 50 ms are to take less than a minute. */
static void a_run_of_many_threads_is_not_long(void **state)
{
    (void)state;
    struct machine machine;
    assert_null(machine_read(&machine, MACHINES "/x5-2.machine"));
    static const enum workload workloads[] = {WORKLOAD_MAX, WORKLOAD_MODERATE};
    for (unsigned i = 0; i < 2; i++) {
        struct settings settings = settings_of("mutex", &machine, 72, 0, 0);
        settings.workload = workloads[i];
        struct result result = run(&settings);
        assert_true(result.seconds >= 0.05);
        assert_true(result.events_taken < 50 * 1000 * 1000);
        result_free(&result);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_program_s_own_data_begins_a_line),
        cmocka_unit_test(whoever_comes_to_a_ticket_lock_waits_for_all_before),
        cmocka_unit_test(an_idle_cpu_makes_late_by_a_wake_up),
        cmocka_unit_test(who_gets_no_cpu_is_late),
        cmocka_unit_test(who_waits_at_the_end_counts),
        cmocka_unit_test(a_longer_patience_shows),
        cmocka_unit_test(a_queue_with_condition_variables_loses_nothing),
        cmocka_unit_test(a_timed_wait_ends_by_the_clock),
        cmocka_unit_test(a_semaphore_lets_as_many_through_as_were_posted),
        cmocka_unit_test(a_seed_decides_everything),
        cmocka_unit_test(a_run_of_many_threads_is_not_long),
    };
    return cmocka_run_group_tests(tests, read_machines, NULL);
}
