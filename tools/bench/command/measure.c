/* One measurement: of mutexbench in this process, or by a helper program. */
#include "bench/command/bench.h"

#include <stdio.h>
#include <stdlib.h>

#include "bench/helper/helper.h"
#include "bench/results/results.h"

/* True if the run is not to be used, after a line on stderr that says why. */
static bool is_wrong(const struct bench_lock *lock, const struct mutexbench_result *result)
{
    if (result->cut_short)
        return true;
    if (!result->excluded)
        fprintf(stderr, "recip: the lock '%s' let two threads in at once\n", lock->id);
    else if (!result->worked)
        fprintf(stderr, "recip: on the lock '%s' the work of the benchmark was not done\n", lock->id);
    return !result->excluded || !result->worked;
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
    if (!is_wrong(lock, &result))
        said = settings->count_calls ? results_of_calls(&result) : results_of_mutexbench(settings, &result);
    mutexbench_free(&result);
    return said;
}

json_t *bench_measure_by_helper(const struct bench *bench, const struct recip_algorithm *lock, const char *subject,
                                const struct mutexbench *settings)
{
    char *request = need_memory(helper_request(subject, settings));
    const char *arguments[] = {request, NULL};
    json_t *said = bench_run_helper(bench->kind, lock, arguments);
    free(request);
    return said;
}
