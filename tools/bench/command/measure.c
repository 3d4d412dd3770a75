/* SPDX-License-Identifier: MIT */
/* One measurement: of mutexbench in this process, or by a helper program. */
#include "bench/command/bench.h"

#include <stdio.h>
#include <stdlib.h>

#include "bench/helper/helper.h"
#include "bench/results/results.h"

bool bench_run_is_wrong(const char *lock, bool excluded, bool worked)
{
    if (!excluded)
        fprintf(stderr, "recip: the lock '%s' let two threads in at once\n", lock);
    else if (!worked)
        fprintf(stderr, "recip: on the lock '%s' the work of the benchmark was not done\n", lock);
    return !excluded || !worked;
}

json_t *bench_measure_here(const struct bench *bench, const struct bench_lock *lock, const struct mutexbench *settings,
                           const struct bench_column *column)
{
    (void)bench, (void)column;
    struct mutexbench_result result;
    json_t *said = NULL;
    if (!mutexbench_run(settings, &result)) {
        fprintf(stderr, "recip: %u threads cannot be had on this system\n", settings->threads);
        return NULL;
    }
    if (!result.cut_short && !bench_run_is_wrong(lock->id, result.excluded, result.worked))
        said = settings->count_calls ? results_of_calls(&result) : results_of_mutexbench(settings, &result);
    mutexbench_free(&result);
    return said;
}

json_t *bench_measure_by_helper(const char *helper, const struct recip_algorithm *lock, const char *subject,
                                const struct mutexbench *settings)
{
    char *request = need_memory(helper_request(subject, settings));
    const char *arguments[] = {request, NULL};
    json_t *said = bench_run_helper(helper, lock, arguments);
    free(request);
    return said;
}
