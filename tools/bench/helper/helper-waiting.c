/* SPDX-License-Identifier: MIT */
/* Measurements of waiting, in a helper. */
#include "bench/helper/helper.h"
#include "bench/results/results.h"

char *helper_waiting_request(const char *subject, bool cond, const struct waiting *waiting)
{
    json_t *request =
        json_pack("{s:s, s:b, s:i, s:i, s:i, s:I, s:I, s:f, s:f, s:f, s:i}", "waiting", subject, "cond", cond, "bound",
                  waiting->bound, "hogs", (int)waiting->hogs, "others", (int)waiting->others, "inside",
                  (json_int_t)waiting->inside, "outside", (json_int_t)waiting->outside, "period", waiting->period,
                  "seconds", waiting->seconds, "warm_up", waiting->warm_up, "seed", (int)waiting->seed);
    char *text = json_dumps(request, JSON_COMPACT | JSON_REAL_PRECISION(9));
    json_decref(request);
    return text;
}

bool helper_is_waiting(const json_t *request)
{
    return json_object_get(request, "waiting");
}

static bool read_request(const json_t *request, const char **subject, int *cond, struct waiting *waiting)
{
    int hogs, others, seed;
    json_int_t inside, outside;
    if (json_unpack((json_t *)request, "{s:s, s:b, s:i, s:i, s:i, s:I, s:I, s:F, s:F, s:F, s:i}", "waiting", subject,
                    "cond", cond, "bound", &waiting->bound, "hogs", &hogs, "others", &others, "inside", &inside,
                    "outside", &outside, "period", &waiting->period, "seconds", &waiting->seconds, "warm_up",
                    &waiting->warm_up, "seed", &seed) != 0)
        return false;
    waiting->hogs = (unsigned)hogs;
    waiting->others = (unsigned)others;
    waiting->inside = (uint64_t)inside;
    waiting->outside = (uint64_t)outside;
    waiting->seed = (unsigned)seed;
    return true;
}

int helper_measure_waiting(const struct helper *helper, const json_t *request)
{
    const char *subject = "";
    int cond, status;
    struct waiting waiting = {.hogs = 1};
    struct waiting_result result;
    if (!read_request(request, &subject, &cond, &waiting))
        return helper_fail(subject, "the request is not understood");
    if (cond && helper->monitor)
        waiting.monitor = helper->monitor(subject);
    else if (!cond)
        waiting.lock = helper->find(subject);
    if (!waiting.monitor && !waiting.lock)
        return helper_fail(subject, "not known here");
    if (!waiting_run(&waiting, &result))
        return helper_fail(subject, "so many threads cannot be had on this system");
    if (!result.excluded)
        status = helper_fail(subject, "let two threads in at once");
    else if (!result.worked)
        status = helper_fail(subject, "the work of the benchmark was not done");
    else
        status = helper_print(results_of_waiting(&waiting, &result));
    waiting_free(&result);
    return status;
}
