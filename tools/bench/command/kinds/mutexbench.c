/* SPDX-License-Identifier: MIT */
/* mutexbench: the paper's micro-benchmark. */
#include "bench/command/bench.h"

static void complete(struct bench *bench)
{
    bench_add_locks(bench);
    bench_default_threads_by_cpus(bench);
    if (!bench_add_asked_workloads(bench)) {
        bench_add_workload(bench, (struct bench_column){.workload = "max", .inside = 1});
        bench_add_workload(bench,
                           (struct bench_column){.workload = "moderate", .inside = 1, .outside = MODERATE_STEPS});
    }
    bench_refuse_too_many_threads(bench);
}

const struct bench_kind bench_kind_mutexbench = {
    .name = "mutexbench",
    .help = "threads acquire one lock, advance a shared mt19937 by a step and release it; under maximum contention "
            "(max) they do nothing else, under moderate contention they advance a private mt19937 by 0 to 249 steps "
            "in between.",
    .options = TAKES_THREADS | TAKES_INSIDE | TAKES_OUTSIDE,
    .counts = true,
    .measures_loop = true,
    .seconds = 0.05,
    .complete = complete,
    .measure = bench_measure_here,
};
