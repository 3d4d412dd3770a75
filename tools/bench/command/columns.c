/* SPDX-License-Identifier: MIT */
/* What the locks are measured with: workloads and numbers of threads. */
#include "bench/command/bench.h"

#include <stdio.h>
#include <stdlib.h>

#include "bench/measure/threads.h"

void bench_add_column(struct bench *bench, const struct bench_column *column)
{
    bench->columns = need_memory(realloc(bench->columns, (bench->column_count + 1) * sizeof *bench->columns));
    bench->columns[bench->column_count++] = *column;
}

void bench_add_workload(struct bench *bench, struct bench_column column)
{
    for (size_t i = 0; i < bench->threads.size; i++) {
        column.threads = bench->threads.values[i];
        bench_add_column(bench, &column);
    }
}

/* If only one of --inside and --outside was given, the other is one step inside, or nothing outside. */
bool bench_add_asked_workloads(struct bench *bench)
{
    static unsigned step = 1, nothing = 0;
    if (!bench->insides.size && !bench->outsides.size)
        return false;
    struct count_list insides = bench->insides.size ? bench->insides : (struct count_list){&step, 1};
    struct count_list outsides = bench->outsides.size ? bench->outsides : (struct count_list){&nothing, 1};
    for (size_t i = 0; i < insides.size; i++)
        for (size_t j = 0; j < outsides.size; j++) {
            struct bench_column asked = {.inside = insides.values[i], .outside = outsides.values[j]};
            snprintf(asked.workload, sizeof asked.workload, "%u/%u", asked.inside, asked.outside);
            bench_add_workload(bench, asked);
        }
    return true;
}

void bench_default_threads(struct bench *bench, const unsigned *values, size_t count)
{
    if (bench->threads.size)
        return;
    bench->threads.values = need_memory(malloc(count * sizeof *values));
    for (size_t i = 0; i < count; i++)
        if (!i || values[i] != values[i - 1])
            bench->threads.values[bench->threads.size++] = values[i];
}

void bench_default_threads_by_cpus(struct bench *bench)
{
    const unsigned values[] = {1, threads_cpus(), 2 * threads_cpus()};
    bench_default_threads(bench, values, 3);
}
