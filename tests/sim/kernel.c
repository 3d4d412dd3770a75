/* SPDX-License-Identifier: MIT */
/* The simulated kernel, against schedules made by hand. Every cost is a round number, nothing is random, and a thread
 * starts 10 microseconds after the one before it. Times are nanoseconds. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

#include "sim/port.h"
#include "sim/world.h"

enum { STEP = 10000, MAX_MARKS = 64 };

static struct machine machine;

/* What the threads noted, in the order in which they did. */
static struct {
    unsigned thread;
    int64_t time;
} marks[MAX_MARKS];
static unsigned mark_count;

static _Atomic(uint32_t) *word; /* on a line of its own */
static _Atomic(uintptr_t) *wide;

static int set_machine(void **state)
{
    static const char *const values[][2] = {
        {"sockets", "1"},
        {"clusters", "1"},
        {"cores", "4"},
        {"threads", "1"},
        {"line", "64"},
        {"protocol", "mesi"},
        {"adjudication", "home"},
        {"store_buffer", "8"},
        {"jitter", "0"},
        {"hit", "1"},
        {"atomic", "10"},
        {"pause", "9"},
        {"shared", "100"},
        {"transfer", "100"},
        {"memory", "100"},
        {"hop", "0"},
        {"cluster_hop", "0"},
        {"invalidate", "0"},
        {"read_occupancy", "1"},
        {"link_occupancy", "0"},
        {"clock", "20"},
        {"counter", "5"},
        {"step", "6"},
        {"context_switch", "1000"},
        {"slice", "100000"},
        {"preempt", "10000"},
        {"credit", "50000"},
        {"migration", "0"},
        {"balance", "1000000"},
        {"system_call", "200"},
        {"yield", "300"},
        {"park", "500"},
        {"wake", "700"},
        {"wake_latency", "2000"},
        {"nap", "50000"},
        {"release", "rseq"},
        {"barrier", "100"},
        {"barrier_wait", "1000"},
        {"barrier_each", "50"},
        {"interrupt", "400"},
        {"spin", "10000"},
    };
    (void)state;
    machine = (struct machine){0};
    for (size_t i = 0; i < sizeof values / sizeof *values; i++)
        assert_null(machine_set(&machine, values[i][0], values[i][1]));
    return 0;
}

static int64_t time_now(void)
{
    return (int64_t)(world.current->clock / SIM_NANOSECOND);
}

static void mark(void)
{
    marks[mark_count].thread = world.current->index;
    marks[mark_count++].time = time_now();
}

static void compute(int64_t nanoseconds)
{
    world_advance((sim_time)nanoseconds * SIM_NANOSECOND);
}

static void end(void)
{
    schedule_block(world.current);
}

static void simulate(unsigned threads, void (*run)(struct sim_thread *thread))
{
    mark_count = 0;
    world_make(&machine, threads, 1, run);
    world.counts_turns = true;
    port_begin();
    word = memory_new(OBJECT_LOCK, 0, 0, RECIP_LINE, RECIP_LINE);
    wide = memory_new(OBJECT_LOCK, 0, 0, RECIP_LINE, RECIP_LINE);
    for (unsigned i = 0; i < threads; i++)
        events_add(&world.events, i * STEP * SIM_NANOSECOND, schedule_start, &world.threads[i]);
    while (events_step(&world.events))
        continue;
    world_free();
}

static void expect(unsigned nth, unsigned thread, int64_t time)
{
    assert_true(nth < mark_count);
    if (marks[nth].thread != thread || marks[nth].time != time)
        fail_msg("mark %u is thread %u at %lld, and should be thread %u at %lld", nth, marks[nth].thread,
                 (long long)marks[nth].time, thread, (long long)time);
}

/* ---- Futexes ---- */

/* Half a call, the bucket's line, and of the first thread the word's. */
static void three_sleep_and_one_wakes(struct sim_thread *thread)
{
    if (thread->index < 3) {
        port_park32(word, 0);
        mark();
    } else {
        for (unsigned i = 0; i < 3; i++)
            port_wake32(word);
        mark();
    }
    end();
}

/* The waker runs from 31000 on. Half a call 100, the bucket 10 and 100 from the cache of the last that came, 700: the
 * first is woken at 31910, and runs 2000 and 1000 later. Half a call 100; then the line is there: 910 for the next. */
static void first_to_sleep_is_first_to_wake(void **state)
{
    (void)state;
    simulate(4, three_sleep_and_one_wakes);
    assert_int_equal(mark_count, 4);
    expect(0, 3, 31910 + 910 + 910 + 100);
    expect(1, 0, 31910 + 3000);
    expect(2, 1, 31910 + 910 + 3000);
    expect(3, 2, 31910 + 910 + 910 + 3000);
}

static void sleep_or_wake_meanwhile(struct sim_thread *thread)
{
    if (thread->index == 0) {
        compute(10000);
        port_park32(word, 0);
    } else {
        compute(200);
        port_wake32(word);
    }
    mark();
    end();
}

/* The sleeper calls at 11000: 100, the bucket 110, the word 101; it has its CPU for 500 more. The waker calls at 11200:
 * 100, the bucket 110, 100, and no 700. */
static void waking_a_thread_that_still_runs_takes_a_call(void **state)
{
    (void)state;
    simulate(2, sleep_or_wake_meanwhile);
    assert_int_equal(mark_count, 2);
    expect(0, 1, 11200 + 100 + 110 + 100);
    expect(1, 0, 11000 + 100 + 110 + 101 + 500);
}

static void sleep_as_kinds(struct sim_thread *thread)
{
    if (thread->index < 2) {
        port_park_as(word, 0, 1u << thread->index, NULL);
        mark();
    } else {
        assert_true(port_wake_as(word, 2));
        assert_false(port_wake_as(word, 2));
        assert_true(port_wake_as(word, 3));
    }
    end();
}

static void kinds_of_sleepers_are_told_apart(void **state)
{
    (void)state;
    simulate(3, sleep_as_kinds);
    assert_int_equal(mark_count, 2);
    assert_int_equal(marks[0].thread, 1);
    assert_int_equal(marks[1].thread, 0);
}

static void change_and_compare(struct sim_thread *thread)
{
    if (thread->index == 0) {
        *wide = 7; /* by no simulated access */
        world_modify(wide);
    } else {
        assert_true(port_park_until(wide, 3, NULL));
        mark();
        marks[mark_count].thread = (unsigned)thread->counts.misses;
        marks[mark_count++].time = 0;
    }
    end();
}

/* From 11000: 100, the bucket 10 and 100 from memory, the word 1 and 100 from the other cache, 100. */
static void compare_is_an_access(void **state)
{
    (void)state;
    simulate(2, change_and_compare);
    assert_int_equal(mark_count, 2);
    expect(0, 1, 11000 + 100 + 110 + 101 + 100);
    assert_int_equal(marks[1].thread, 2);
}

static void sleep_until_deadline(struct sim_thread *thread)
{
    struct deadline deadline = {CLOCK_MONOTONIC, {0, 5000}};
    (void)thread;
    assert_false(port_park_as(word, 0, 1, &deadline));
    mark();
    end();
}

static void deadline_ends_sleep(void **state)
{
    (void)state;
    simulate(1, sleep_until_deadline);
    assert_int_equal(mark_count, 1);
    expect(0, 0, 5000 + 50000 + 1000);
}

/* ---- The clock ---- */

static void nap_and_read_clocks(struct sim_thread *thread)
{
    (void)thread;
    port_nap(30000);
    mark();
    int64_t now = port_now(), ticks = port_ticks();
    assert_int_equal(now, marks[0].time + 20);
    assert_int_equal(ticks, marks[0].time + 25);
    port_wait(500);
    mark();
    end();
}

static void nap_is_longer_than_asked(void **state)
{
    (void)state;
    simulate(1, nap_and_read_clocks);
    expect(0, 0, 1000 + 30000 + 50000 + 1000);
    expect(1, 0, 1000 + 30000 + 50000 + 1000 + 25 + 500);
}

/* ---- The barrier ---- */

static void compute_or_bar(struct sim_thread *thread)
{
    if (thread->index == 0)
        compute(20000);
    else
        port_barrier();
    mark();
    end();
}

static void barrier_interrupts_running_threads(void **state)
{
    (void)state;
    simulate(2, compute_or_bar);
    expect(0, 1, 11000 + 100 + 1000 + 50);
    expect(1, 0, 1000 + 20000 + 400);
    simulate(1, compute_or_bar);
    expect(0, 0, 1000 + 20000);
}

static void bar_alone(struct sim_thread *thread)
{
    (void)thread;
    port_barrier();
    mark();
    end();
}

static void barrier_alone_is_short(void **state)
{
    (void)state;
    simulate(1, bar_alone);
    expect(0, 0, 1000 + 100);
    machine.release = RELEASE_ATOMIC;
    simulate(1, bar_alone);
    expect(0, 0, 1000);
}

static int64_t section_takes;
static bool has_committed;
static uint32_t seen_after_barrier;

static void release_against_barrier(struct sim_thread *thread)
{
    if (thread->index == 0) {
        assert_true(sim_port_section_begin());
        compute(section_takes);
        has_committed = sim_port_section_commit((_Atomic(uint8_t) *)(void *)word, 5);
    } else {
        port_barrier();
        seen_after_barrier = *(volatile uint32_t *)word;
    }
    end();
}

/* The interrupt comes at 11600. The store takes 1, and 100 more until it is in memory. */
static void barrier_sends_back_or_waits(void **state)
{
    (void)state;
    static const struct {
        int64_t takes;
        bool commits;
    } cases[] = {{5000, true}, {10598, true}, {10600, false}, {11000, false}, {15000, false}};
    for (unsigned i = 0; i < 5; i++) {
        section_takes = cases[i].takes;
        simulate(2, release_against_barrier);
        assert_int_equal(has_committed, cases[i].commits);
        assert_int_equal(seen_after_barrier, cases[i].commits ? 5 : 0);
    }
}

/* ---- The scheduler ---- */

static void compute_long(struct sim_thread *thread)
{
    (void)thread;
    compute(250000);
    mark();
    end();
}

/* One CPU. The first runs from 1000 to 101000, the end of its slice; then each in turn, 1000 for every switch: the
 * second from 102000, the first from 203000, the second from 304000, the first from 405000 with 50000 to go, the second
 * from 456000. */
static void slices_take_turns(void **state)
{
    (void)state;
    machine.cores = 1;
    simulate(2, compute_long);
    expect(0, 0, 405000 + 50000);
    expect(1, 1, 456000 + 50000);
}

static void a_cpu_for_each_needs_no_slices(void **state)
{
    (void)state;
    machine.cores = 2;
    simulate(2, compute_long);
    expect(0, 0, 1000 + 250000);
    expect(1, 1, 11000 + 250000);
}

/* Comes at 0, sleeps until 60000. The other comes at 10000. */
static void sleep_beside_hog(struct sim_thread *thread)
{
    if (thread->index == 0) {
        sleep_until(60000 * SIM_NANOSECOND, 0);
        mark();
        compute(1000);
    } else {
        compute(250000);
        mark();
    }
    end();
}

/* The hog runs from 11000 on; at 60000 it has had 50000 more than the sleeper. It loses 1000 for the section, and two
 * switches. */
static void a_thread_that_wakes_preempts(void **state)
{
    (void)state;
    machine.cores = 1;
    simulate(2, sleep_beside_hog);
    expect(0, 0, 61000);
    expect(1, 1, 11000 + 250000 + 2000 + 1000);
}

/* Without credit it waits for the slice that began at 11000 to end. */
static void without_credit_it_waits_for_the_slice(void **state)
{
    (void)state;
    machine.cores = 1;
    machine.credit = 0;
    simulate(2, sleep_beside_hog);
    expect(0, 0, 111000 + 1000);
}

/* Two CPUs. The third thread queues at the first, where it waits behind another; the second CPU's ends at 41000. */
static void end_early_or_late(struct sim_thread *thread)
{
    compute(thread->index == 1 ? 30000 : 500000);
    mark();
    end();
}

static void an_idle_cpu_takes_a_waiting_thread(void **state)
{
    (void)state;
    machine.cores = 2;
    simulate(3, end_early_or_late);
    expect(0, 1, 41000);
    expect(1, 0, 501000);
    expect(2, 2, 42000 + 500000);
    machine.migration = 1000000 * SIM_NANOSECOND;
    simulate(3, end_early_or_late);
    expect(0, 1, 41000);
    assert_true(marks[1].time > 600000);
}

static void yield_and_mark(struct sim_thread *thread)
{
    (void)thread;
    compute(20000);
    port_yield();
    mark();
    end();
}

/* One CPU: at 21300 the first gives way to the second, which runs from 22300 on, gives way at 42600, and again. */
static void yield_lets_another_run(void **state)
{
    (void)state;
    machine.cores = 1;
    simulate(2, yield_and_mark);
    expect(0, 0, 43600);
    expect(1, 1, 44600);
    simulate(1, yield_and_mark);
    expect(0, 0, 21300);
}

/* ---- Spinning ---- */

enum { MANY_TURNS = 3000 };

static unsigned turns;

/* A turn takes 10. */
static void spin_or_store(struct sim_thread *thread)
{
    if (thread->index == 0) {
        world_load(word, sizeof *word); /* 101: from now on it is there */
        mark();
        for (turns = 0; turns < MANY_TURNS; turns++) {
            uint32_t value;
            memcpy(&value, world_load(word, sizeof *word), sizeof value);
            if (value)
                break;
            port_relax();
        }
        mark();
    } else {
        uint32_t value = 1;
        compute(1000);
        world_store(word, &value, sizeof value);
        world_drain();
        mark();
    }
    end();
}

/* The turns are counted one by one, whoever sleeps through them. */
static void turns_are_counted(void **state)
{
    (void)state;
    simulate(1, spin_or_store);
    assert_int_equal(turns, MANY_TURNS);
    assert_true(marks[1].time - marks[0].time >= 10 * MANY_TURNS);
    assert_true(marks[1].time - marks[0].time <= 10 * MANY_TURNS + 256);
}

/* The spinner loads at 1102, 1112 and so on. The store begins at 12001 and takes the line at 12051: the load at 12042,
 * the 1095th, is the last that finds it there. */
static void a_change_is_seen_in_its_turn(void **state)
{
    (void)state;
    simulate(2, spin_or_store);
    assert_int_equal(marks[0].time, 1101);
    expect(1, 1, 12101);
    assert_int_equal(turns, 1095);
    assert_int_equal(marks[2].thread, 0);
    assert_true(marks[2].time > 12101 && marks[2].time <= 12101 + 101);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(first_to_sleep_is_first_to_wake, set_machine),
        cmocka_unit_test_setup(waking_a_thread_that_still_runs_takes_a_call, set_machine),
        cmocka_unit_test_setup(kinds_of_sleepers_are_told_apart, set_machine),
        cmocka_unit_test_setup(compare_is_an_access, set_machine),
        cmocka_unit_test_setup(deadline_ends_sleep, set_machine),
        cmocka_unit_test_setup(nap_is_longer_than_asked, set_machine),
        cmocka_unit_test_setup(barrier_interrupts_running_threads, set_machine),
        cmocka_unit_test_setup(barrier_alone_is_short, set_machine),
        cmocka_unit_test_setup(barrier_sends_back_or_waits, set_machine),
        cmocka_unit_test_setup(slices_take_turns, set_machine),
        cmocka_unit_test_setup(a_cpu_for_each_needs_no_slices, set_machine),
        cmocka_unit_test_setup(a_thread_that_wakes_preempts, set_machine),
        cmocka_unit_test_setup(without_credit_it_waits_for_the_slice, set_machine),
        cmocka_unit_test_setup(an_idle_cpu_takes_a_waiting_thread, set_machine),
        cmocka_unit_test_setup(yield_lets_another_run, set_machine),
        cmocka_unit_test_setup(turns_are_counted, set_machine),
        cmocka_unit_test_setup(a_change_is_seen_in_its_turn, set_machine),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
