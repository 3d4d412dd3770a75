/* SPDX-License-Identifier: MIT */
/* A core that computes ahead: short programs of one thread, with the time that they have to take. Other lines than the
 * ones said to be there are in a second thread's cache, modified. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

#include "port/port.h"
#include "sim/world.h"

enum { HIT = 1, ATOMIC = 8, TRANSFER = 60, AHEAD = 20, LINES = 8 };

static struct machine machine = {
    .sockets = 1,
    .clusters = 1,
    .cores = 2,
    .threads = 1,
    .line = 64,
    .store_buffer = 8,
    .hit = HIT * SIM_NANOSECOND,
    .atomic = ATOMIC * SIM_NANOSECOND,
    .pause = 5 * SIM_NANOSECOND,
    .shared = TRANSFER * SIM_NANOSECOND,
    .transfer = TRANSFER * SIM_NANOSECOND,
    .memory = TRANSFER * SIM_NANOSECOND,
    .read_occupancy = SIM_NANOSECOND,
    .slice = 1000 * 1000 * SIM_NANOSECOND,
    .balance = 1000 * 1000 * SIM_NANOSECOND,
};

static struct {
    _Alignas(64) uintptr_t word;
} * lines;
static void (*program)(void);
static sim_time taken;

/* The second thread makes all lines its own, then the first has line 0 and runs the program. */
static void run_program(struct sim_thread *thread)
{
    if (thread->index == 1) {
        for (unsigned i = 1; i < LINES; i++)
            world_modify(&lines[i].word);
    } else {
        world_modify(&lines[0].word);
        world_advance(1000 * 1000 * SIM_NANOSECOND);
        sim_time began = thread->clock;
        program();
        world_drain();
        taken = thread->clock - began;
    }
    schedule_block(thread);
}

static void expect(unsigned ahead, void (*of)(void), unsigned nanoseconds)
{
    machine.ahead = ahead * SIM_NANOSECOND;
    program = of;
    world_make(&machine, 2, 1, run_program);
    port_begin();
    lines = memory_new(OBJECT_LOCK, 0, 0, LINES * sizeof *lines, 4096);
    for (unsigned i = 0; i < 2; i++)
        schedule_start(&world.threads[i]);
    while (events_step(&world.events))
        continue;
    world_free();
    assert_int_equal(taken / SIM_NANOSECOND, nanoseconds);
}

static void modify_and_read_ten_times(void)
{
    world_modify(&lines[0].word);
    for (unsigned i = 0; i < 10; i++)
        world_read(&lines[0].word, sizeof(uintptr_t));
}

static void hits_overlap_with_a_read_modify_write(void **state)
{
    (void)state;
    expect(0, modify_and_read_ten_times, ATOMIC + 10 * HIT);
    expect(AHEAD, modify_and_read_ten_times, 10 * HIT);
}

static void modify_and_note(void)
{
    sim_time began = world.current->clock;
    world_modify(&lines[0].word);
    assert_int_equal((world.current->clock - began) / SIM_NANOSECOND, ATOMIC);
}

/* It is not seen before, nor are the stores behind it. */
static void a_read_modify_write_happens_when_it_is_done(void **state)
{
    (void)state;
    expect(0, modify_and_note, ATOMIC);
    expect(AHEAD, modify_and_note, ATOMIC);
}

static void modify_ten_times(void)
{
    for (unsigned i = 0; i < 10; i++)
        world_modify(&lines[0].word);
}

static void read_modify_writes_do_not_overlap(void **state)
{
    (void)state;
    expect(0, modify_ten_times, 10 * ATOMIC);
    expect(AHEAD, modify_ten_times, 10 * ATOMIC);
}

static void store_twice_and_modify(void)
{
    uintptr_t value = 1;
    world_store(&lines[0].word, &value, sizeof value);
    world_written(&lines[0].word);
    world_modify(&lines[0].word);
    world_modify(&lines[0].word);
}

/* The second read-modify-write has no stores before it. */
static void read_modify_writes_wait_for_stores(void **state)
{
    (void)state;
    expect(0, store_twice_and_modify, 2 * HIT + 2 * ATOMIC);
    expect(AHEAD, store_twice_and_modify, 2 * HIT + 2 * ATOMIC);
    machine.drain = 3 * SIM_NANOSECOND;
    expect(AHEAD, store_twice_and_modify, 2 * HIT + 2 * 3 + 2 * ATOMIC);
    machine.drain = 0;
}

static void read_two_lines(void)
{
    world_read(&lines[1].word, sizeof(uintptr_t));
    world_read(&lines[2].word, sizeof(uintptr_t));
}

static void read_one_after_work(void)
{
    world_read(&lines[1].word, sizeof(uintptr_t));
    world_advance((AHEAD + 1) * SIM_NANOSECOND);
    world_read(&lines[2].word, sizeof(uintptr_t));
}

static void follow_a_pointer(void)
{
    lines[1].word = (uintptr_t)&lines[3];
    world_load(&lines[1].word, sizeof(uintptr_t));
    world_load(&lines[3].word, sizeof(uintptr_t));
}

static void read_after_a_turn(void)
{
    world_load(&lines[1].word, sizeof(uintptr_t));
    sim_port_relax();
    world_load(&lines[2].word, sizeof(uintptr_t));
    world_load(&lines[3].word, sizeof(uintptr_t));
}

static void misses_overlap_unless_one_depends_on_the_other(void **state)
{
    (void)state;
    expect(0, read_two_lines, 2 * (HIT + TRANSFER));
    expect(AHEAD, read_two_lines, HIT + TRANSFER + HIT);
    expect(AHEAD, read_one_after_work, 2 * (HIT + TRANSFER) + AHEAD + 1);
    expect(AHEAD, follow_a_pointer, 2 * (HIT + TRANSFER));
}

/* For the line to come, not for the hit. */
static void what_follows_a_spin_loop_waits_for_it(void **state)
{
    (void)state;
    machine.pause = (AHEAD + 1) * SIM_NANOSECOND;
    expect(AHEAD, read_after_a_turn, 2 * (HIT + TRANSFER) + AHEAD + 1 + TRANSFER);
}

static void store_twice(void)
{
    world_store(&lines[1].word, &(uintptr_t){1}, sizeof(uintptr_t));
    world_store(&lines[2].word, &(uintptr_t){1}, sizeof(uintptr_t));
}

static void store_and_modify(void)
{
    world_store(&lines[1].word, &(uintptr_t){1}, sizeof(uintptr_t));
    world_modify(&lines[2].word);
}

static void stores_ask_for_their_lines_at_once(void **state)
{
    (void)state;
    expect(0, store_twice, HIT + 2 * TRANSFER);
    expect(AHEAD, store_twice, HIT + TRANSFER + HIT);
    expect(0, store_and_modify, HIT + TRANSFER + ATOMIC + TRANSFER);
    expect(AHEAD, store_and_modify, HIT + TRANSFER + ATOMIC);
}

/* ---- Spinning for ever ---- */

static bool spins_to_write;
static sim_time seen;

static bool is_stored(void)
{
    uintptr_t value;
    if (spins_to_write)
        world_modify(&lines[1].word);
    memcpy(&value, spins_to_write ? (void *)&lines[1].word : world_load(&lines[1].word, sizeof value), sizeof value);
    return value;
}

static void spin_or_store(struct sim_thread *thread)
{
    if (thread->index == 1) {
        world_advance(1000 * SIM_NANOSECOND);
        world_store(&lines[1].word, &(uintptr_t){1}, sizeof(uintptr_t));
        world_drain();
    } else {
        while (!is_stored())
            sim_port_relax();
        seen = thread->clock;
    }
    schedule_block(thread);
}

static void expect_seen(unsigned turn, unsigned leave, unsigned fetch, unsigned nanoseconds)
{
    machine.ahead = 0;
    machine.pause = 5 * SIM_NANOSECOND;
    machine.turn = turn * SIM_NANOSECOND;
    machine.leave = leave * SIM_NANOSECOND;
    machine.fetch = fetch * SIM_NANOSECOND;
    world_make(&machine, 2, 1, spin_or_store);
    port_begin();
    lines = memory_new(OBJECT_LOCK, 0, 0, LINES * sizeof *lines, 4096);
    for (unsigned i = 0; i < 2; i++)
        schedule_start(&world.threads[i]);
    while (events_step(&world.events))
        continue;
    world_free();
    machine.turn = machine.leave = machine.fetch = 0;
    assert_int_equal(seen / SIM_NANOSECOND, nanoseconds);
}

/* The spinner has the line at 61 and looks at 66, and again when it is taken at 1031, which is on its way until 1061;
 * or, if a turn takes 100, at 1066. */
static void a_spinning_thread_looks_once_in_a_turn(void **state)
{
    (void)state;
    expect_seen(0, 0, 0, 1061 + TRANSFER);
    expect_seen(100, 0, 0, 1066 + HIT + TRANSFER);
    expect_seen(100, 7, 0, 1066 + HIT + TRANSFER + 7);
    expect_seen(100, 7, 40, 1066 + HIT + 40 + 7);
}

/* It has the line at 68 and looks at 73; turns take as long as a read-modify-write more: 7 of 158, until 1179. */
static void one_that_spins_to_write_has_longer_turns(void **state)
{
    (void)state;
    spins_to_write = true;
    expect_seen(0, 0, 0, 1061 + TRANSFER);
    expect_seen(150, 0, 40, 1179 + ATOMIC + TRANSFER);
    spins_to_write = false;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(hits_overlap_with_a_read_modify_write),
        cmocka_unit_test(a_read_modify_write_happens_when_it_is_done),
        cmocka_unit_test(read_modify_writes_do_not_overlap),
        cmocka_unit_test(read_modify_writes_wait_for_stores),
        cmocka_unit_test(misses_overlap_unless_one_depends_on_the_other),
        cmocka_unit_test(what_follows_a_spin_loop_waits_for_it),
        cmocka_unit_test(stores_ask_for_their_lines_at_once),
        cmocka_unit_test(a_spinning_thread_looks_once_in_a_turn),
        cmocka_unit_test(one_that_spins_to_write_has_longer_turns),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
