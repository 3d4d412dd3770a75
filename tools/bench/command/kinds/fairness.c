/* SPDX-License-Identifier: MIT */
/* fairness: mutexbench with the admissions counted by thread and slice of time. */
#include "bench/command/bench.h"

#include "bench/measure/threads.h"

enum { DEFAULT_SLICES = 50, MAX_SLICES = 10000 };

static void complete(struct bench *bench)
{
    const unsigned values[] = {threads_cpus(), 2 * threads_cpus()};
    bench_add_locks(bench);
    bench_default_threads(bench, values, 2);
    if (!bench_add_asked_workloads(bench))
        bench_add_workload(bench, (struct bench_column){.workload = "max", .inside = 1});
    bench_refuse_too_many_threads(bench);
    if (bench->slice <= 0)
        bench->slice = bench->seconds / DEFAULT_SLICES;
    if (bench->slice > bench->seconds || bench->seconds / bench->slice > MAX_SLICES)
        refuse("--slice: '%g' is not a part of the duration, %g s; give %g to %g", bench->slice, bench->seconds,
               bench->seconds / MAX_SLICES, bench->seconds);
}

const struct bench_kind bench_kind_fairness = {
    .name = "fairness",
    .help = "mutexbench with the admissions counted by thread and slice of time.",
    .options = TAKES_THREADS | TAKES_INSIDE | TAKES_OUTSIDE | TAKES_SLICE,
    .measures_loop = true,
    .seconds = 0.2,
    .complete = complete,
    .measure = bench_measure_here,
};
