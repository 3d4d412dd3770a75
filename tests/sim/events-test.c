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

static struct machine machine;

static int read_machine(void **state)
{
    (void)state;
    assert_null(machine_read(&machine, MACHINES "/altra-max.machine"));
    machine.store_buffer = 0;
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

static void expect_near(double is, double wanted)
{
    if (fabs(is - wanted) > wanted / 10)
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

static void constant_in_the_number_of_threads(void **state)
{
    (void)state;
    static const unsigned threads[] = {5, 20, 40, 72, 128};
    for (unsigned i = 0; i < sizeof threads / sizeof *threads; i++) {
        expect_near(events("reciprocating", threads[i], 1), 4);
        expect_near(events("clh", threads[i], 1), 5);
        expect_near(events("hemlock", threads[i], 1), 5);
        expect_near(events("mcs", threads[i], 1), 6);
        expect_near(events("ticket", threads[i], 1), threads[i]);
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
    for (size_t i = 0; i < result.happening_count; i++) {
        const struct happening *one = &result.happenings[i];
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
        cmocka_unit_test(the_list_explains_the_count), cmocka_unit_test(one_thread_alone_suffers_nothing),
        cmocka_unit_test(a_seed_decides_everything),   cmocka_unit_test(every_lock_runs),
    };
    return cmocka_run_group_tests(tests, read_machine, NULL);
}
