/* SPDX-License-Identifier: MIT */
/* latency: what one acquisition takes. */
#include "bench/command/bench.h"

#include <stdio.h>

#include "bench/measure/latency.h"
#include "bench/measure/threads.h"

/* bench_column.variant */
enum { UNCONTENDED, HANDOVER };

static void complete(struct bench *bench)
{
    bench_add_locks(bench);
    bench_add_column(bench, &(struct bench_column){.workload = "uncontended", .threads = 1, .variant = UNCONTENDED});
    if (threads_cpus() > 1)
        bench_add_column(bench, &(struct bench_column){.workload = "handover", .threads = 2, .variant = HANDOVER});
    else
        fputs("recip: one CPU only: no handover between two\n", stderr);
}

static json_t *measure(const struct bench *bench, const struct bench_lock *lock, const struct mutexbench *settings,
                       const struct bench_column *column)
{
    (void)bench;
    struct latency latency = {lock->algorithm, column->variant == HANDOVER, settings->seconds, settings->warm_up};
    struct latency_result result;
    if (!latency_run(&latency, &result)) {
        fputs("recip: two threads cannot be had on this system\n", stderr);
        return NULL;
    }
    if (result.cut_short)
        return NULL;
    return json_pack("{s:f, s:f, s:I}", "value", result.nanoseconds, "seconds", result.seconds, "operations",
                     (json_int_t)result.operations);
}

const struct bench_kind bench_kind_latency = {
    .name = "latency",
    .help = "acquire and release by one thread, and the way from release to the return of another's acquire.",
    .times = true,
    .seconds = 0.05,
    .complete = complete,
    .measure = measure,
};
