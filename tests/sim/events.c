/* SPDX-License-Identifier: MIT */
/* Coherence events per episode (misses and upgrades) under sustained contention, as the paper's Table 1 counts its
 * invalidations: critical section private, context with the thread, stores waited for. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <string.h>

#include "sim/run.h"

enum { SEEDS = 5 };

static struct machine machine, two_sockets;

static int read_machines(void **state)
{
    (void)state;
    assert_null(machine_read(&machine, MACHINES "/altra-max.machine"));
    assert_null(machine_read(&two_sockets, MACHINES "/x5-2.machine"));
    machine.store_buffer = two_sockets.store_buffer = 0;
    return 0;
}

static struct settings settings_of(const char *id, unsigned threads, uint64_t seed)
{
    return (struct settings){
        .lock = recip_algorithm_find(id),
        .machine = &machine,
        .threads = threads,
        .workload = WORKLOAD_DEGENERATE,
        .context = CONTEXT_LOCAL,
        .episodes = 4000,
        .seed = seed,
        .critical = 60 * SIM_NANOSECOND,
    };
}

static double events(const char *id, unsigned threads, uint64_t seed)
{
    struct settings settings = settings_of(id, threads, seed);
    struct result result = run(&settings);
    double value = result_events(&result);
    result_free(&result);
    return value;
}

static bool near(double is, double wanted)
{
    return fabs(is - wanted) <= wanted / 10;
}

static void expect_near(double is, double wanted)
{
    if (!near(is, wanted))
        fail_msg("%g is not within a tenth of %g", is, wanted);
}

static void ten_threads_as_in_the_paper(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= SEEDS; seed++) {
        expect_near(events("reciprocating", 10, seed), 4);
        expect_near(events("clh", 10, seed), 5);
        expect_near(events("hemlock", 10, seed), 5);
        expect_near(events("hemlock-ctr", 10, seed), 5);
        expect_near(events("mcs", 10, seed), 6);
        expect_near(events("ticket", 10, seed), 10);
        double twa = events("twa", 10, seed);
        assert_true(twa >= 7 && twa <= 9);
    }
}

static const struct {
    const char *id;
    double events;
} queue_locks[] = {{"reciprocating", 4}, {"clh", 5}, {"mcs", 6}, {"hemlock", 5}};

/* The first `locks` of them, at every number of threads from 5 to all CPUs. */
static void expect_constant(const struct machine *on, sim_time critical, unsigned locks)
{
    for (unsigned i = 0; i < locks; i++)
        for (unsigned threads = 5; threads <= machine_cpus(on); threads++) {
            struct settings settings = settings_of(queue_locks[i].id, threads, 1);
            settings.machine = on;
            settings.critical = critical;
            settings.episodes = 1000;
            struct result result = run(&settings);
            if (!near(result_events(&result), queue_locks[i].events))
                fail_msg("%s, %u threads: %g is not within a tenth of %g", queue_locks[i].id, threads,
                         result_events(&result), queue_locks[i].events);
            result_free(&result);
        }
}

static void constant_in_the_number_of_threads(void **state)
{
    (void)state;
    expect_constant(&machine, 60 * SIM_NANOSECOND, 4);
    for (unsigned threads = 5; threads <= 128; threads += 41)
        expect_near(events("ticket", threads, 1), threads);
}

/* HemLock's fifth event becomes a sixth where a thread's next exchange comes later than its successor's
 * compare-and-swap: the thread waits a transfer for its receipt, the successor its critical section and, until it has
 * the line, half a transfer. So a critical section longer than half of the longest transfer keeps five. */
static void constant_on_two_sockets(void **state)
{
    (void)state;
    sim_time half = (two_sockets.transfer + 2 * two_sockets.hop) / 2;
    expect_constant(&two_sockets, half + half / 3, 4);
    expect_constant(&two_sockets, 60 * SIM_NANOSECOND, 3);
}

/* Misses of the exchange, and all other events, in an episode. */
static void hemlock_events(const struct machine *on, unsigned threads, sim_time critical, double *exchange,
                           double *others)
{
    struct settings settings = settings_of("hemlock", threads, 1);
    settings.machine = on;
    settings.critical = critical;
    settings.list_events = true;
    struct result result = run(&settings);
    *exchange = *others = 0;
    for (size_t i = 0; i < result.coherence_event_count; i++) {
        const struct coherence_event *one = &result.coherence_events[i];
        bool enters = one->phase == PHASE_ACQUIRE && one->access == ACCESS_RMW && one->object == OBJECT_LOCK;
        *(enters ? exchange : others) += (double)one->count / (double)result.episodes;
    }
    result_free(&result);
}

static void hemlocks_sixth_is_its_exchange(void **state)
{
    (void)state;
    double exchange, others;
    sim_time half = machine.transfer / 2;
    hemlock_events(&machine, 10, 2 * half, &exchange, &others);
    assert_true(exchange < 0.1);
    hemlock_events(&machine, 10, half / 2, &exchange, &others);
    expect_near(exchange, 1);
    expect_near(others, 5);
    for (unsigned threads = 20; threads <= 72; threads += 13) {
        hemlock_events(&two_sockets, threads, 60 * SIM_NANOSECOND, &exchange, &others);
        assert_true(exchange > 0.1 && exchange < 1.05);
        expect_near(others, 5);
    }
}

/* The list adds up to the count, and says where Reciprocating's four come from. */
static void the_list_explains_the_count(void **state)
{
    (void)state;
    struct settings settings = settings_of("reciprocating", 10, 1);
    settings.list_events = true;
    struct result result = run(&settings);
    uint64_t sum = 0, own_gate_upgrades = 0, own_gate_misses = 0;
    for (size_t i = 0; i < result.coherence_event_count; i++) {
        const struct coherence_event *one = &result.coherence_events[i];
        bool own_gate = one->object == OBJECT_THREAD && one->own && one->offset == 0 && one->phase == PHASE_ACQUIRE;
        sum += one->count;
        own_gate_upgrades += own_gate && one->outcome == OUTCOME_UPGRADE ? one->count : 0;
        own_gate_misses += own_gate && one->outcome == OUTCOME_MISS ? one->count : 0;
    }
    expect_near((double)sum, result_events(&result) * (double)result.episodes);
    expect_near((double)own_gate_upgrades, (double)result.episodes);
    expect_near((double)own_gate_misses, (double)result.episodes);
    result_free(&result);
}

static void one_thread_alone_suffers_nothing(void **state)
{
    (void)state;
    for (size_t i = 0; i < recip_algorithm_count; i++)
        if (!(recip_algorithms[i]->traits & RECIP_NATIVE))
            assert_true(events(recip_algorithms[i]->id, 1, 1) < 0.3);
}

static bool same(const struct result *a, const struct result *b)
{
    return a->episodes == b->episodes && a->seconds == b->seconds && a->misses == b->misses &&
           memcmp(a->trace, b->trace, a->episodes * sizeof *a->trace) == 0;
}

static void a_seed_decides_everything(void **state)
{
    (void)state;
    static const char *const ids[] = {"reciprocating", "twa", "reciprocating-fair", "mcs-park", "tas"};
    for (unsigned i = 0; i < sizeof ids / sizeof *ids; i++) {
        struct settings settings = settings_of(ids[i], 12, 7);
        settings.workload = WORKLOAD_MODERATE;
        struct result first = run(&settings), second = run(&settings);
        settings.seed = 8;
        struct result other = run(&settings);
        assert_true(same(&first, &second));
        assert_false(same(&first, &other));
        result_free(&first);
        result_free(&second);
        result_free(&other);
    }
}

/* Every lock, spinning and parking, with and without store buffers, with more threads than CPUs: runs and ends. */
static void every_lock_runs(void **state)
{
    (void)state;
    struct machine small;
    assert_null(machine_read(&small, MACHINES "/two-core.machine"));
    small.slice = 20000 * SIM_NANOSECOND;
    for (size_t i = 0; i < recip_algorithm_count; i++) {
        if (recip_algorithms[i]->traits & RECIP_NATIVE)
            continue;
        for (unsigned round = 0; round < 4; round++) {
            struct settings settings = settings_of(recip_algorithms[i]->id, round & 1 ? 5 : 2, round);
            small.store_buffer = round & 2 ? 0 : 8;
            settings.machine = &small;
            settings.context = round & 1;
            settings.episodes = 300;
            struct result result = run(&settings);
            assert_true(result.episodes >= 300);
            result_free(&result);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ten_threads_as_in_the_paper), cmocka_unit_test(constant_in_the_number_of_threads),
        cmocka_unit_test(constant_on_two_sockets),     cmocka_unit_test(hemlocks_sixth_is_its_exchange),
        cmocka_unit_test(the_list_explains_the_count), cmocka_unit_test(one_thread_alone_suffers_nothing),
        cmocka_unit_test(a_seed_decides_everything),   cmocka_unit_test(every_lock_runs),
    };
    return cmocka_run_group_tests(tests, read_machines, NULL);
}
