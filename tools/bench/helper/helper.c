/* SPDX-License-Identifier: MIT */
#include "bench/helper/helper.h"

#include <stdio.h>
#include <string.h>

#include "bench/results/results.h"

char *helper_request(const char *subject, const struct mutexbench *bench)
{
    json_t *request = json_pack("{s:s, s:i, s:i, s:i, s:i, s:f, s:f, s:b, s:b}", "subject", subject, "threads",
                                (int)bench->threads, "section", (int)bench->section, "inside", (int)bench->inside,
                                "outside", (int)bench->outside, "seconds", bench->seconds, "warm_up", bench->warm_up,
                                "pinned", bench->pinned, "count_calls", bench->count_calls);
    char *text = json_dumps(request, JSON_COMPACT | JSON_REAL_PRECISION(9));
    json_decref(request);
    return text;
}

static bool read_request(json_t *request, const char **subject, struct mutexbench *bench)
{
    int threads, section, inside, outside, pinned, count_calls;
    if (json_unpack(request, "{s:s, s:i, s:i, s:i, s:i, s:F, s:F, s:b, s:b}", "subject", subject, "threads", &threads,
                    "section", &section, "inside", &inside, "outside", &outside, "seconds", &bench->seconds, "warm_up",
                    &bench->warm_up, "pinned", &pinned, "count_calls", &count_calls) != 0)
        return false;
    bench->threads = (unsigned)threads;
    bench->section = (enum section)section;
    bench->inside = (unsigned)inside;
    bench->outside = (unsigned)outside;
    bench->pinned = pinned;
    bench->count_calls = count_calls;
    return true;
}

int helper_fail(const char *subject, const char *why)
{
    fprintf(stderr, "recip: %s: %s\n", subject, why);
    return 1;
}

int helper_print(json_t *said)
{
    json_dumpf(said, stdout, JSON_COMPACT | JSON_REAL_PRECISION(15));
    putchar('\n');
    json_decref(said);
    return fflush(stdout) == 0 ? 0 : 1;
}

static int measure(const struct helper *helper, const char *subject, struct mutexbench *bench)
{
    struct mutexbench_result result;
    bench->lock = helper->find(subject);
    if (!bench->lock)
        return helper_fail(subject, "not known here");
    bench->pairs = bench->section == SECTION_PAIR && helper->pairs ? helper->pairs(subject) : NULL;
    if (bench->section == SECTION_PAIR && !bench->pairs)
        return helper_fail(subject, "not known here as inline functions");
    if (bench->count_calls && !system_calls_available())
        return helper_fail(subject, "system calls cannot be counted here");
    if (!mutexbench_run(bench, &result))
        return helper_fail(subject, "so many threads cannot be had on this system");
    const char *wrong = helper->wrong ? helper->wrong() : NULL;
    json_t *said = bench->count_calls                   ? results_of_calls(&result)
                   : helper->operations || bench->pairs ? results_of_operations(bench, &result)
                                                        : results_of_mutexbench(bench, &result);
    if (!result.excluded)
        wrong = "let two threads in at once";
    else if (!result.worked)
        wrong = "the work of the benchmark was not done";
    mutexbench_free(&result);
    if (!wrong)
        return helper_print(said);
    json_decref(said);
    return helper_fail(subject, wrong);
}

int helper_main(const struct helper *helper, int argc, char **argv)
{
    const char *subject;
    struct mutexbench bench = {.threads = 1};
    int status = 2;
    if (argc == 2 && strcmp(argv[1], "list") == 0)
        return helper_print(helper->list());
    json_t *request = argc == 2 ? json_loads(argv[1], 0, NULL) : NULL;
    if (helper_is_waiting(request))
        status = helper_measure_waiting(helper, request);
    else if (request && read_request(request, &subject, &bench))
        status = measure(helper, subject, &bench);
    else
        fprintf(stderr, "%s is for 'recip bench'\n", argv[0]);
    json_decref(request);
    return status;
}
