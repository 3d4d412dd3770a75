/* SPDX-License-Identifier: MIT */
/* atomic: operations of libatomic, in a helper on the lock by the preload library. */
#include "bench/command/bench.h"

static void complete(struct bench *bench)
{
    bench_add_preload_locks(bench);
    bench_default_threads_by_cpus(bench);
    bench_add_workload(bench, (struct bench_column){.workload = "exchange", .section = SECTION_NOTHING});
    bench_add_workload(bench, (struct bench_column){.workload = "compare-exchange", .section = SECTION_NOTHING});
    bench_refuse_too_many_threads(bench);
}

static json_t *measure(const struct bench *bench, const struct bench_lock *lock, const struct mutexbench *settings,
                       const struct bench_column *column)
{
    return bench_measure_by_helper(bench_helper_of(bench, lock), lock->algorithm, column->workload, settings);
}

const struct bench_kind bench_kind_atomic = {
    .name = "atomic",
    .help = "std::atomic of a struct of five integers, exchange, and load and compare_exchange_strong.",
    .program = "recip-bench-atomic",
    .package = "g++",
    .options = TAKES_THREADS,
    .counts = true,
    .seconds = 0.05,
    .complete = complete,
    .measure = measure,
};
