/* SPDX-License-Identifier: MIT */
#include "tests/bench/waiting.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "bench/measure/mutexbench.h"
#include "bench/measure/waiting-thread.h"
#include "bench/measure/work.h"
#include "bench/results/results.h"

/* ---- Time as a test would have it ---- */

/* A sleep ends so much late. */
enum { LATE = 7 };

static uint64_t time_now, late = LATE;

static uint64_t fake_now(void *of)
{
    (void)of;
    return time_now;
}

static void fake_sleep_until(void *of, uint64_t when)
{
    (void)of;
    assert_true(when > time_now);
    time_now = when + late;
}

static const struct arrival_clock fake_clock = {.now = fake_now, .sleep_until = fake_sleep_until};

/* ---- Work and arrivals ---- */

void work_is_counted_exactly(void **state)
{
    static const uint64_t counts[] = {0, 1, 2, 3, 1000, 1023, 1024};
    (void)state;
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
        uint64_t worked = work_for(7, counts[i]);
        assert_true(work_is_after(worked, 7, counts[i]));
        assert_false(work_is_after(worked, 7, counts[i] + 1));
        assert_false(work_is_after(worked, 8, counts[i]));
        if (counts[i])
            assert_false(work_is_after(worked, 7, counts[i] - 1));
    }
    assert_int_equal(work_turns(100, 2), 50);
    assert_int_equal(work_turns(0, 2), 1);
    assert_true(work_calibrate() > 0);
}

/* The gaps have the mean that was asked for, and one in e is longer than it. */
void arrivals_are_a_poisson_process(void **state)
{
    enum { COUNT = 100000, PERIOD = 1000000 };
    struct arrivals arrivals;
    unsigned longer = 0;
    uint64_t before = 5;
    (void)state;
    arrivals_start(&arrivals, &fake_clock, PERIOD, before, 1);
    for (int i = 0; i < COUNT; i++) {
        uint64_t due = arrivals_next(&arrivals);
        longer += due - before > PERIOD;
        before = due;
    }
    assert_true(fabs((double)(before - 5) / COUNT / PERIOD - 1) < 0.02);
    assert_true(fabs((double)longer / COUNT - exp(-1)) < 0.01);
}

/* ---- Locks whose waits are known ---- */

enum { SECTION = 1000 };

#define STOP UINT64_C(4000000000)
#define START (STOP / 10)

/* How long an acquisition takes that begins now. */
static uint64_t (*wait_of_lock)(uint64_t now);

static void known_lock(void *lock)
{
    (void)lock;
    time_now += wait_of_lock(time_now);
}

static void known_unlock(void *lock)
{
    (void)lock;
    time_now += SECTION;
}

static struct waiting_arena arena;
static struct visitor visitor;

/* A visitor that comes every `period` to a lock with such waits, from 0 to STOP; what counts is due from START on. */
static void come(uint64_t (*wait)(uint64_t now), double period)
{
    static struct waiting waiting = {.inside = 1, .seed = 1};
    waiting.period = period * 1e-9;
    wait_of_lock = wait;
    time_now = 0;
    arena = (struct waiting_arena){
        .waiting = &waiting, .clock = &fake_clock, .lock = known_lock, .unlock = known_unlock, .start = START};
    atomic_store(&arena.stop, STOP);
    visitor = (struct visitor){.arena = &arena, .index = 1};
    waiting_come_by_clock(&visitor);
}

/* The same, as one would write it down: arrivals queue for a single server. */
static struct arrival_times *times_by_hand(uint64_t (*wait)(uint64_t now), double period)
{
    static struct arrival_times times;
    struct arrivals arrivals;
    uint64_t due, ready = 0;
    times = (struct arrival_times){.waits = {.count = 0}};
    arrivals_start(&arrivals, &fake_clock, period, 0, 2);
    while ((due = arrivals_next(&arrivals)) < STOP) {
        uint64_t from = ready < due ? due + LATE : due, begin = ready < due ? due + LATE : ready;
        uint64_t got = begin + wait(begin);
        if (due >= START) {
            histogram_add(&times.from_due, got - due);
            histogram_add(&times.late, ready < due ? LATE : 0);
            histogram_add(&times.waits, got - from);
        }
        ready = got + SECTION;
    }
    return &times;
}

static uint64_t not_at_all(uint64_t now)
{
    (void)now;
    return 0;
}

static uint64_t long_now_and_then(uint64_t now)
{
    return now / 1000000 % 10 == 3 ? 400000 : 20;
}

/* The first acquisition lasts until the end, and all that were due meanwhile have waited since then. */
static uint64_t until_the_end(uint64_t now)
{
    return now < STOP ? STOP - now : 0;
}

void waits_count_from_when_they_were_due(void **state)
{
    static const struct {
        uint64_t (*wait)(uint64_t now);
        double period;
    } cases[] = {{not_at_all, 20000}, {not_at_all, 500}, {long_now_and_then, 20000}, {until_the_end, 20000}};
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        come(cases[i].wait, cases[i].period);
        const struct arrival_times *expected = times_by_hand(cases[i].wait, cases[i].period);
        assert_memory_equal(&visitor.times, expected, sizeof *expected);
        assert_true(expected->waits.count > 100);
        assert_true(visitor.sections >= expected->waits.count);
        assert_true(work_is_after(arena.work, 0, visitor.sections));
    }
    /* Of the last: as many as were due, and half of them have waited for half of the time or more. */
    const struct histogram *waits = &visitor.times.from_due;
    assert_in_range(waits->count, 177000, 183000);
    assert_in_range(histogram_quantile(waits, 0.5), STOP * 4 / 10, STOP * 5 / 10);
    assert_in_range(waits->max, STOP * 85 / 100, STOP);
}

enum { HOG_SECTION = 5000 };

static unsigned hogs;

/* First come, first served: the hogs stand in line, and an arrival waits for the rest of one section and for all of the
 * others. */
static uint64_t behind_hogs(uint64_t now)
{
    return hogs * HOG_SECTION - now % HOG_SECTION;
}

/* With so much that comes before: in part of the distribution. */
static void assert_waits_of_hogs(const struct histogram *waits, uint64_t before)
{
    uint64_t least = before + (hogs - 1) * HOG_SECTION, most = before + hogs * HOG_SECTION, middle = (least + most) / 2;
    assert_in_range(waits->count, 1600, 2000);
    assert_in_range(histogram_quantile(waits, 0), least - before, most);
    assert_in_range(histogram_quantile(waits, 0.1), least, middle);
    assert_in_range(histogram_quantile(waits, 0.5), middle * 95 / 100, middle * 110 / 100);
    assert_in_range(histogram_quantile(waits, 0.9), middle, most * 106 / 100);
}

/* So seldom that hardly any arrival meets the one before. A histogram knows a value within 6 %, and rounds it up. A
 * machine that runs threads late makes them wait from when they were due, and the lock is not to blame. */
void waits_of_a_known_lock_are_found(void **state)
{
    static const uint64_t latenesses[] = {LATE, 3 * HOG_SECTION};
    (void)state;
    for (int i = 0; i < 2; i++) {
        late = latenesses[i];
        for (hogs = 1; hogs <= 4; hogs++) {
            come(behind_hogs, 100 * 4 * HOG_SECTION);
            assert_waits_of_hogs(&visitor.times.waits, 0);
            assert_waits_of_hogs(&visitor.times.from_due, late);
            assert_in_range(histogram_quantile(&visitor.times.late, 0.5), late, late * 106 / 100);
        }
    }
    late = LATE;
}

/* Without a lock, all lateness is the clock's, however many threads compute beside the visitor. */
void lateness_is_the_clocks(void **state)
{
    (void)state;
    for (unsigned computing = 0; computing <= 2; computing++) {
        struct histogram found;
        time_now = 0;
        assert_true(arrivals_lateness(&found, &fake_clock, computing));
        assert_true(found.count > 100);
        assert_true(found.buckets[histogram_bucket(LATE)] > found.count * 95 / 100);
        assert_int_equal(found.buckets[histogram_bucket(LATE)] + found.buckets[0], found.count);
    }
}

/* ---- Condition variables ---- */

static void no_wait(void *monitor)
{
    (void)monitor;
    fail_msg("a consumer waits though all is over");
}

/* Signals sent before the start do not count; of the others each has its own wait, also where one comes late. */
void signals_count_until_the_mutex_is_had(void **state)
{
    static const struct monitor monitor = {.wait = no_wait};
    static const struct waiting waiting = {.monitor = &monitor, .inside = 1, .others = 1};
    uint64_t times[] = {START - 1, START, START + 100, START + 3000, STOP};
    (void)state;
    wait_of_lock = not_at_all;
    time_now = START + 5000;
    arena = (struct waiting_arena){.waiting = &waiting,
                                   .clock = &fake_clock,
                                   .lock = known_lock,
                                   .unlock = known_unlock,
                                   .start = START,
                                   .signals = {.sent = 5, .times = times, .over = true}};
    atomic_store(&arena.stop, STOP);
    visitor = (struct visitor){.arena = &arena};
    waiting_consumer(&visitor);
    struct histogram expected = {.count = 0};
    histogram_add(&expected, 5000);
    histogram_add(&expected, 4900);
    histogram_add(&expected, 2000);
    assert_memory_equal(&visitor.times.waits, &expected, sizeof expected);
    assert_int_equal(visitor.times.from_due.count, 0);
    assert_int_equal(visitor.sections, 5);
    assert_int_equal(arena.signals.taken, 5);
}

/* ---- Real threads ---- */

/* On a machine that is busy with other things, a run may be over before its threads have done anything. */
enum { ATTEMPTS = 100 };

static struct waiting short_run(const struct recip_algorithm *lock, const struct monitor *monitor)
{
    return (struct waiting){
        .lock = lock,
        .monitor = monitor,
        .bound = WAITING_USUAL_BOUND,
        .hogs = 3,
        .others = 2,
        .inside = 20,
        .outside = 20,
        .period = 1e-3,
        .seconds = 0.05,
        .warm_up = 0.01,
    };
}

void waiting_catches_no_lock(void **state)
{
    struct waiting waiting = short_run(&mutexbench_no_lock, NULL);
    struct waiting_result result = {.excluded = true};
    (void)state;
    for (int attempt = 0; attempt < ATTEMPTS && result.excluded; attempt++) {
        assert_true(waiting_run(&waiting, &result));
        waiting_free(&result);
    }
    assert_false(result.excluded);
}

/* Runs until somebody has come and somebody has worked. */
static void assert_measured(const struct waiting *waiting)
{
    bool came = false, worked = false;
    for (int attempt = 0; attempt < ATTEMPTS && !(came && worked); attempt++) {
        struct waiting_result result;
        uint64_t sum = 0;
        assert_true(waiting_run(waiting, &result));
        assert_true(result.excluded);
        assert_true(result.worked);
        for (unsigned i = 0; i < waiting->hogs; i++)
            sum += result.per_thread[i];
        assert_int_equal(sum, result.operations);
        came = came || result.arrivals->waits.count;
        worked = worked || result.operations;
        waiting_free(&result);
    }
    assert_true(came && worked);
}

void waiting_accuses_no_lock(void **state)
{
    static const char *const locks[] = {"mutex", "pthread", "ticket", "mcs-park"}, *const monitors[] = {"mutex",
                                                                                                        "pthread"};
    (void)state;
    for (int i = 0; i < 4; i++) {
        struct waiting waiting = short_run(recip_algorithm_find(locks[i]), NULL);
        assert_measured(&waiting);
    }
    for (int i = 0; i < 2; i++) {
        struct waiting waiting = short_run(NULL, monitor_find(monitors[i]));
        assert_measured(&waiting);
    }
    struct waiting bounded = short_run(recip_algorithm_find("mutex"), NULL);
    bounded.bound = 0;
    assert_measured(&bounded);
}

/* ---- Documents ---- */

static void add(json_t *results, const char *lock, unsigned run, int p50, int p99, int longest)
{
    struct results_cell cell = {lock, "20/0", 3};
    results_add_measurement(results, &cell, run,
                            json_pack("{s:f, s:f, s:i, s:[i, i, i], s:i, s:i, s:i, s:i, s:i, s:i, s:[[i, i], [i, i]]}",
                                      "value", 1e6, "seconds", 1.0, "operations", 3, "per_thread", 1, 1, 1, "arrivals",
                                      500, "wait_ns_p50", p50, "wait_ns_p90", p50, "wait_ns_p99", p99, "wait_ns_p999",
                                      longest, "wait_ns_max", longest, "waits", p50, 499, longest, 1));
}

/* The same with a lateness of 900, in every measurement. */
static void add_lateness(json_t *results)
{
    json_t *measurement, *pair;
    size_t i, j;
    json_array_foreach(json_object_get(results, "measurements"), i, measurement)
    {
        static const char *const percentiles[] = {"p50", "p90", "p99", "p999", "max"};
        for (int k = 0; k < 5; k++) {
            char name[32];
            snprintf(name, sizeof name, "late_ns_%s", percentiles[k]);
            json_object_set_new(measurement, name, json_integer(900));
            snprintf(name, sizeof name, "wait_ns_%s", percentiles[k]);
            json_int_t wait = json_integer_value(json_object_get(measurement, name));
            snprintf(name, sizeof name, "from_due_ns_%s", percentiles[k]);
            json_object_set_new(measurement, name, json_integer(wait + 900));
        }
        json_t *from_due = json_deep_copy(json_object_get(measurement, "waits"));
        json_array_foreach(from_due, j, pair)
        {
            json_array_set_new(pair, 0, json_integer(json_integer_value(json_array_get(pair, 0)) + 900));
        }
        json_object_set_new(measurement, "from_due", from_due);
    }
}

static double number(const json_t *object, const char *field, const char *part)
{
    const json_t *value = json_object_get(object, field);
    assert_non_null(value);
    return json_number_value(part ? json_object_get(value, part) : value);
}

/* p50 to p99 are medians over the runs; p99.9 is of all 3,500 arrivals together: 3,497 waits are at most so long, so
 * three are longer. */
void waits_are_summarised_and_compared(void **state)
{
    json_t *results = results_new("waiting", false, json_pack("{s:s}", "baseline", "pthread"));
    (void)state;
    for (int run = 0; run < 7; run++) {
        add(results, "pthread", (unsigned)run, 100 + run, 1000, 5000 + run);
        add(results, "other", (unsigned)run, 2 * (100 + run), run % 2 ? 900 : 1100, 9000);
    }
    results_summarise(results);
    const json_t *summary = json_array_get(json_object_get(results, "summaries"), 0);
    assert_int_equal(number(summary, "wait_ns_p50", "median"), 103);
    assert_int_equal(number(summary, "wait_ns_p50", "low"), 100);
    assert_int_equal(number(summary, "wait_ns_p50", "high"), 106);
    assert_int_equal(number(summary, "wait_ns_p99", "median"), 1000);
    assert_int_equal(number(summary, "wait_ns_p999", NULL), 5003);
    assert_int_equal(number(summary, "wait_ns_max", NULL), 5006);
    assert_int_equal(number(summary, "arrivals", NULL), 3500);
    const json_t *comparison = json_array_get(json_object_get(results, "comparisons"), 0);
    assert_int_equal(json_array_size(json_object_get(results, "comparisons")), 1);
    assert_true(fabs(number(comparison, "wait_p50", "median") - 2) < 1e-9);
    assert_string_equal(json_string_value(json_object_get(json_object_get(comparison, "wait_p50"), "verdict")),
                        "longer");
    assert_string_equal(json_string_value(json_object_get(json_object_get(comparison, "wait_p99"), "verdict")),
                        "no difference seen");
    assert_string_equal(json_string_value(json_object_get(comparison, "verdict")), "no difference seen");
    assert_null(json_object_get(summary, "from_due_ns_p50")); /* as in older results */
    assert_null(json_object_get(comparison, "from_due_p50"));
    json_decref(results);
}

void waits_from_due_are_summarised_and_compared(void **state)
{
    json_t *results = results_new("waiting", false, json_pack("{s:s}", "baseline", "pthread"));
    (void)state;
    for (int run = 0; run < 7; run++) {
        add(results, "pthread", (unsigned)run, 100 + run, 1000, 5000 + run);
        add(results, "other", (unsigned)run, 1103 + 2 * run, 2900, 9000);
    }
    add_lateness(results);
    results_summarise(results);
    const json_t *summary = json_array_get(json_object_get(results, "summaries"), 0);
    assert_int_equal(number(summary, "wait_ns_p50", "median"), 103);
    assert_int_equal(number(summary, "from_due_ns_p50", "median"), 1003);
    assert_int_equal(number(summary, "from_due_ns_p99", "high"), 1900);
    assert_int_equal(number(summary, "from_due_ns_p999", NULL), 5903);
    assert_int_equal(number(summary, "from_due_ns_max", NULL), 5906);
    assert_int_equal(number(summary, "late_ns_p90", "median"), 900);
    const json_t *comparison = json_array_get(json_object_get(results, "comparisons"), 0);
    assert_true(fabs(number(comparison, "from_due_p50", "median") - 2006.0 / 1003) < 0.01);
    assert_true(fabs(number(comparison, "from_due_p99", "median") - 2) < 1e-9);
    assert_true(fabs(number(comparison, "wait_p99", "median") - 2.9) < 1e-9);
    assert_null(json_object_get(comparison, "late_p99"));
    json_decref(results);
}
